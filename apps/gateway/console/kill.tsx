import type { Desk } from './desk';
import { ask } from './dialog';
import { controlVerdictOf } from './outcome';
import { send } from './writes';

const target = 'kill switch';

/** Asks, then halts trading. It is possible during an outage as well: the request may still arrive. */
export function askToKill(desk: Desk, account: string): void {
  ask({
    title: 'Halt trading?',
    content: (
      <>
        <p>{account}</p>
        <p>
          Orders, closes and changes are refused until the kill switch is released. Cancelling and reading still work.
        </p>
        <label>
          <input type="checkbox" name="flatten" /> Also cancel every order and close every position
        </label>
      </>
    ),
    confirm: 'Halt trading',
    isDangerous: true,
    onConfirm: (fields) => {
      void kill(desk, fields.has('flatten'));
      return null;
    },
  });
}

/** Asks, then lets trading resume. */
export function askToRelease(desk: Desk, account: string): void {
  ask({
    title: 'Release the kill switch?',
    content: (
      <>
        <p>{account}</p>
        <p>Trading resumes at once, also that of strategies and bots.</p>
      </>
    ),
    confirm: 'Release',
    isDangerous: true,
    onConfirm: () => {
      void release(desk);
      return null;
    },
  });
}

async function kill(desk: Desk, flatten: boolean): Promise<void> {
  const what = flatten ? 'halt trading, cancel every order and close every position' : 'halt trading';
  await send({ what, target, key: null, login: desk.login.value, call: null }, async () => {
    const outcome = await desk.client.control.kill({ flatten });
    const verdict = controlVerdictOf(outcome);
    const report = outcome.kind === 'done' ? outcome.body.flatten : null;
    if (!report) return verdict;
    const { cancelled, closed, failed, unknown } = report;
    const left = [...failed, ...unknown].map(({ kind, ticket, error }) => `${kind} ${ticket}: ${error}`);
    const counts = `cancelled ${cancelled.length}, closed ${closed.length}, not done ${left.length}`;
    const advice = left.length === 0 ? null : `Still open: ${left.join('; ')}`;
    return { ...verdict, text: `${verdict.text}; ${counts}`, advice };
  });
  desk.refresh();
}

async function release(desk: Desk): Promise<void> {
  const verdict = async () => controlVerdictOf(await desk.client.control.release());
  const what = 'release the kill switch';
  await send({ what, target, key: null, login: desk.login.value, call: null }, verdict);
  desk.refresh();
}

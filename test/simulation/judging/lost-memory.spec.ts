import type { TradeOrder } from '@libs/terminal-client';
import { AskBook, type Ask, type HttpRequest } from '../asks';
import { account, SimulatedBroker } from '../broker';
import { Judge } from '../judge';
import type { SendRecord } from '../sends';
import { answer, ask, send } from '../testing/sample';
import { VirtualTime } from '../virtual-time';

const limits = {
  ...{ symbols: ['EURUSD'], mostOrderVolume: 1, mostOpenVolume: 5, mostOpenVolumePerSymbol: 5 },
  ...{ mostPerMinute: 60, mostDailyLoss: 9 },
};

/** The line of an intent on the audit log. */
const line = (intentId: string): string =>
  `${JSON.stringify({ timestamp: '2026-01-07T10:00:00.000Z', sequence: 1, event: 'intent', intent_id: intentId })}\n`;

/** A judge of a gateway that sends for these requests. */
async function judged(asks: readonly Ask[]) {
  const time = new VirtualTime(Date.UTC(2026, 0, 7, 10));
  const broker = new SimulatedBroker(time, 1);
  await broker.start();
  const book = new AskBook();
  for (const one of asks) book.add(one);
  const sends: SendRecord[] = [];
  const journaled = new Map<string, number>();
  const disks = { mayLoseExits: false, hasLostLines: false };
  const judge = new Judge({
    ...{ time, broker, book, sends, login: account.login, limits, journaled },
    ...{ hasLostLines: () => disks.hasLostLines, mayLoseExits: () => disks.mayLoseExits, diskCallMs: () => 0 },
    ...{ unwritableSince: () => null, unreachableSince: () => null, listsLateMs: () => 0, isClockOff: () => false },
  });
  /** An intent that the journal keeps, and a send that the broker carries out. */
  const sendOne = (one: SendRecord): void => {
    if (!disks.mayLoseExits) journaled.set(one.intentId, 0);
    judge.accounts.read(1, account.login);
    const made = { ...one, atMs: time.elapsedMs };
    judge.sending(made);
    sends.push(made);
    made.fate = 'done';
  };
  return { judge, disks, broker, sendOne, broken: () => judge.violation?.invariant };
}

const entry = (number: number): SendRecord => send({ number, intentId: `id${number}/0` });
const exit = (number: number): SendRecord =>
  send({ number, intentId: `id${number}/0`, marker: 'close 5 a', request: { position: 5 } });
const closing = (key: string): Ask =>
  ask({ key, kind: 'close', variants: [{ request: { method: 'POST', url: '/close_position' }, marker: 'close 5 a' }] });

describe('a gateway whose journal was lost', () => {
  it.each([
    ['an entry', ask(), entry],
    ['an exit', closing('k1'), exit],
  ])('may not repeat %s whose intent is on the audit log', async (_case, asked, made) => {
    const { judge, sendOne, broken } = await judged([asked]);
    sendOne(made(1));
    judge.journalLost([line('id1/0')]);
    judge.journalAccepted();
    expect(broken()).toBeUndefined();
    sendOne(made(2));
    expect(broken()).toBe('no key has two orders');
  });

  it('may repeat an exit once whose intent no audit log has as a whole', async () => {
    const { judge, sendOne, broken } = await judged([closing('k1')]);
    sendOne(exit(1));
    judge.journalLost([line('other/0'), line('id1/0').slice(0, -3)]);
    sendOne(exit(2));
    judge.journalAccepted();
    expect(broken()).toBeUndefined();
    sendOne(exit(3));
    expect(broken()).toBe('no key has two orders');
  });

  it('may repeat one of two exits that look alike when one of them is on no audit log', async () => {
    const { judge, sendOne, broken } = await judged([closing('k1'), closing('k2')]);
    sendOne(exit(1));
    sendOne(exit(2));
    judge.journalLost([line('id1/0')]);
    sendOne(exit(3));
    expect(broken()).toBeUndefined();
    sendOne(exit(4));
    expect(broken()).toBe('no key has two orders');
  });
});

describe('a gateway whose disks took no intent of an exit', () => {
  it('may repeat it once its run has ended', async () => {
    const { judge, disks, sendOne, broken } = await judged([closing('k1')]);
    disks.mayLoseExits = true;
    sendOne(exit(1));
    judge.runEnded(1, []);
    disks.mayLoseExits = false;
    sendOne(exit(2));
    judge.runEnded(1, []);
    expect(broken()).toBeUndefined();
    sendOne(exit(3));
    expect(broken()).toBe('no key has two orders');
  });

  it('may not repeat it while it runs, nor when its disks took it in the end', async () => {
    const running = await judged([closing('k1')]);
    running.disks.mayLoseExits = true;
    running.sendOne(exit(1));
    running.sendOne(exit(2));
    expect(running.broken()).toBe('no key has two orders');

    const written = await judged([closing('k1')]);
    written.disks.mayLoseExits = true;
    written.sendOne(exit(1));
    written.judge.runEnded(1, [line('id1/0')]);
    written.sendOne(exit(2));
    expect(written.broken()).toBe('no key has two orders');
  });
});

describe('an order that two closes are acknowledged with', () => {
  async function acknowledgedTwice(isWritten: boolean): Promise<string | undefined> {
    const asks = [closing('k1'), closing('k2')] as const;
    const { judge, disks, broker, sendOne, broken } = await judged(asks);
    const request: HttpRequest = { method: 'POST', url: '/close_position' };
    const made = { ticket: 9, position_id: 5, comment: 'a' } as TradeOrder;
    jest.spyOn(broker, 'orderAt').mockReturnValue(made);
    disks.mayLoseExits = !isWritten;
    sendOne(exit(1));
    for (const one of asks) {
      judge.words.delivered(one);
      judge.words.answered(one, request, answer(200, { result: { order: 9 } }));
      judge.runEnded(1, []);
    }
    return broken();
  }

  it('is excused when no disk has the send that made it', async () => {
    expect(await acknowledgedTwice(false)).toBeUndefined();
    expect(await acknowledgedTwice(true)).toBe('what was acknowledged exists');
  });
});

describe('a void of the key of a forgotten exit', () => {
  async function voided(forget: (judge: Judge) => void, mayLoseExits: boolean): Promise<string | undefined> {
    const asked = closing('k1');
    const { judge, disks, sendOne, broken } = await judged([asked]);
    disks.mayLoseExits = mayLoseExits;
    sendOne(exit(1));
    forget(judge);
    judge.words.lookedUp(asked, answer(200, { status: 'void' }));
    return broken();
  }

  it('is excused when no disk ever had the send, and not when it was lost with the journal', async () => {
    expect(await voided((judge) => judge.runEnded(1, []), true)).toBeUndefined();
    expect(await voided((judge) => judge.journalLost([]), false)).toBe('what was refused was not done');
  });
});

describe('a crash that takes lines of the audit log', () => {
  const logAfter = async (answeredAtMs: number | null): Promise<string | undefined> => {
    const { judge, disks, sendOne, broken } = await judged([ask({ lastWord: 'undecidable' })]);
    sendOne({ ...entry(1), answeredAtMs });
    disks.hasLostLines = true;
    judge.runEnded(1, [line('id1/0')]);
    judge.end(0, [line('id1/0')], []);
    return broken();
  };

  it('excuses an outcome that the run had, and not that of a send in transit, which the next start writes', async () => {
    expect(await logAfter(0)).toBeUndefined();
    expect(await logAfter(null)).toBe('the audit log holds together');
  });
});

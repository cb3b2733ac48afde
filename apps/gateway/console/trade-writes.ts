import { GatewayReadError, type GatewayClient, type TradeCall } from '@libs/gateway-client';
import type { ReadonlySignal } from '@preact/signals';
import { settledVerdictOf, verdictOf, type Verdict } from './outcome';
import { newKey } from './random-key';
import { send, settle, writes, type Write } from './writes';

/** What a write needs of the desk. */
export interface Trader {
  readonly client: GatewayClient;
  /** The account of the page. */
  readonly login: ReadonlySignal<number | null>;
  /** Reads everything again. */
  refresh(): void;
}

/** What the answers to all trade requests have. */
interface Answer {
  readonly message?: unknown;
  readonly remembered?: unknown;
}

/** Sends a trade request once, under a new key. */
export async function sendTrade(desk: Trader, what: string, target: string, call: TradeCall): Promise<void> {
  const key = newKey();
  const write = { what, target, key, login: desk.login.value, call };
  await send(write, async () => verdictOf(await desk.client.send<Answer>(call, key), doneText));
  desk.refresh();
}

/** Whether a repetition reaches the account that the write was meant for. */
export function isRepeatable(desk: Trader, write: Write): boolean {
  return write.state === 'unknown' && write.call !== null && write.key !== null && write.login === desk.login.value;
}

/** Sends the same request under the same key: the gateway answers with its outcome, and nothing is sent twice. */
export async function repeat(desk: Trader, write: Write): Promise<void> {
  const { id, key, call } = write;
  if (key === null || call === null || !isRepeatable(desk, write)) return;
  settle(id, { state: 'in flight', text: 'repeated under the same key; no answer yet', advice: null });
  settle(id, verdictOf(await desk.client.resend<Answer>(call, key), doneText));
  desk.refresh();
}

/** Accepts that the outcome of an undecidable request stays unknown. */
export async function acceptUnknown(desk: Trader, name: string): Promise<void> {
  await sendPut(desk, `accept that the outcome of ${name} stays unknown`, name, async () => {
    const { status } = await desk.client.acceptUnknownOutcome(name);
    return status === 'accepted' ? 'accepted; it leaves the unknown outcomes' : `not changed: its status is ${status}`;
  });
}

/** Makes a key void, so that nothing is ever sent under it. */
export async function voidKey(desk: Trader, key: string): Promise<void> {
  await sendPut(desk, `make ${key} void`, key, async () => {
    const { status } = await desk.client.voidTradeRequest(key);
    return status === 'void' ? 'void: nothing is ever sent under it' : `not void: its status is ${status}`;
  });
}

/** Asks the journal for the writes of unknown outcome. Returns how many are still unknown. */
export async function settleUnknownWrites(desk: Trader): Promise<number> {
  const unknown = writes.value.filter((write) => write.call !== null && isRepeatable(desk, write));
  for (const { id, key } of unknown) {
    const verdict = settledVerdictOf(await desk.client.reads.tradeRequest(key ?? ''));
    // A repetition may be in flight by now.
    if (verdict === null || writes.value.find((write) => write.id === id)?.state !== 'unknown') continue;
    settle(id, verdict);
    desk.refresh();
  }
  return unknown.length;
}

async function sendPut(desk: Trader, what: string, key: string, put: () => Promise<string>): Promise<void> {
  const write = { what, target: `request ${key}`, key, login: desk.login.value, call: null };
  await send(write, async (): Promise<Verdict> => {
    try {
      return { state: 'done', text: await put(), advice: null };
    } catch (error) {
      return putFailure(error);
    }
  });
  desk.refresh();
}

function putFailure(error: unknown): Verdict {
  const text = error instanceof Error ? error.message : 'no usable answer';
  const isRefused = error instanceof GatewayReadError && !error.isTransient;
  return isRefused
    ? { state: 'refused', text, advice: 'Nothing was changed.' }
    : { state: 'unknown', text, advice: 'It may have taken effect. Sending it again does no harm.' };
}

/** A success in the gateway's words. */
function doneText(body: Answer): string {
  const message = typeof body.message === 'string' ? body.message : 'done';
  return body.remembered === false ? `${message}; the gateway could not write it to disk` : message;
}

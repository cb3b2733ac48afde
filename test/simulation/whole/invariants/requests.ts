import type { IntentRecord, StateText } from '../../../../apps/daemon/src/core/records';
import type { HttpRequest } from '../../asks';
import type { View } from '../../../../apps/daemon/src/live/view';
import type { Intent } from '../../../../apps/daemon/src/core/strategy-event';
import type { TradeAsk } from '../trade-asks';

/** How long after its first send an entry may be sent again; then its price and its reason are old. */
const entryFreshMs = 10_000;
/** What lies between a check of the daemon and the send that it lets pass. */
const sendMarginMs = 50;

/** A key keeps its request: gateway, method, path and parameters. */
export function changedUnderKey(ask: TradeAsk, site: number, { method, url, body }: HttpRequest): string[] {
  const same = ask.site === site && ask.method === method && ask.path === url;
  if (same && JSON.stringify(ask.body) === JSON.stringify({ ...body })) return [];
  return [`${ask.key} is sent as ${method} ${url} to gateway ${site}, and was ${ask.method} ${ask.path} before`];
}

/** An entry is on the daemon's disk before it is sent. @param durable the requests that are, by key */
export function sentBeforeState(ask: TradeAsk, durable: ReadonlyMap<string, IntentRecord>): string[] {
  if (!ask.isEntry || durable.has(ask.key)) return [];
  return [`the entry ${ask.key} is sent, and is not in the daemon's state`];
}

/**
 * An entry of one intent is sent under one key. One that was not sent may be on disk, because the answer of its write was lost:
 * it is recorded as absent before the intent is sent under another key.
 * @param durable the requests that are on disk, by key
 * @param sent those that were sent, by key
 */
export function enteredTwice(
  ask: TradeAsk,
  durable: ReadonlyMap<string, IntentRecord>,
  sent: ReadonlyMap<string, unknown>,
): string[] {
  const mine = durable.get(ask.key);
  if (!ask.isEntry || !mine) return [];
  const other = [...durable.values()].find(
    (record) =>
      record.isEntry &&
      record.strategy === mine.strategy &&
      record.intentId === mine.intentId &&
      record.key !== mine.key &&
      (record.state !== 'absent' || sent.has(record.key)),
  );
  return other ? [`intent ${mine.intentId} is entered under ${mine.key}, and was under ${other.key}`] : [];
}

/** An entry is repeated by the run that sent it, and for a short time. @param excusedMs how long the daemon stood still */
export function enteredLate(ask: TradeAsk, atMs: number, run: number, excusedMs: number): string[] {
  if (!ask.isEntry) return [];
  if (ask.run !== run) return [`the entry ${ask.key} of run ${ask.run} is sent by run ${run}`];
  const afterMs = atMs - ask.atMs;
  if (afterMs <= entryFreshMs + sendMarginMs + excusedMs) return [];
  return [`the entry ${ask.key} is sent again ${afterMs} ms after it was sent first`];
}

/** What a strategy decided to enter on. */
export interface Decision {
  /** When the bar closed, in virtual milliseconds; null when it was not decided on a bar. */
  readonly barClosedMs: number | null;
  readonly barMs: number;
  /** What the strategy keeps from this decision on; null if it keeps the same as before. */
  readonly state: Pick<StateText, 'json'> | null;
}

/** Nothing is entered on a bar that closed longer ago than a bar lasts. @param excusedMs what delayed the daemon after its check */
export function enteredOnOldBar(ask: TradeAsk, decision: Decision | null, excusedMs: number): string[] {
  if (!ask.isEntry || decision?.barClosedMs == null) return [];
  const ageMs = ask.atMs - decision.barClosedMs;
  if (ageMs <= decision.barMs + excusedMs) return [];
  return [`the entry ${ask.key} was decided on a bar that had closed ${Math.round(ageMs)} ms before`];
}

/** A halted strategy enters nothing. @param haltedSinceMs null while it is not halted */
export function enteredThoughHalted(ask: TradeAsk, haltedSinceMs: number | null, excusedMs: number): string[] {
  if (!ask.isEntry || haltedSinceMs === null || ask.atMs - haltedSinceMs <= excusedMs) return [];
  return [`the entry ${ask.key} is sent ${ask.atMs - haltedSinceMs} ms after its strategy was halted`];
}

/** A position of a strategy, as the broker has it. */
export interface HeldPosition {
  readonly gateway: string;
  readonly ticket: number;
  /** The ticket of the order that opened it. */
  readonly identifier: number;
  readonly symbol: string;
  /** On an account that keeps one position a symbol. */
  readonly isNetting: boolean;
}

/**
 * A strategy that decides to enter is shown each position that it has, the order that has become it, or a request in flight.
 * @param held the positions under its magic number at the broker
 */
export function enteredUnseeing(
  strategy: string,
  intents: readonly Intent[],
  view: ShownView,
  held: readonly HeldPosition[],
): string[] {
  if (view.inFlight > 0 || !intents.some(({ action }) => action === 'enter' || action === 'stack')) return [];
  return held
    .filter(({ gateway, ticket, identifier, symbol, isNetting }) => {
      const isIt = (row: ShownView['orders'][number]): boolean =>
        row.broker === gateway &&
        (row.ticket === ticket || row.ticket === identifier || (isNetting && row.symbol === symbol));
      return ![...view.positions, ...view.orders].some(isIt);
    })
    .map(({ ticket, gateway }) => `${strategy} enters, and is not shown its position ${ticket} on ${gateway}`);
}

export type ShownRow = Pick<View['orders'][number], 'broker' | 'ticket' | 'symbol'>;

export interface ShownView extends Pick<View, 'inFlight'> {
  readonly positions: readonly ShownRow[];
  readonly orders: readonly ShownRow[];
}

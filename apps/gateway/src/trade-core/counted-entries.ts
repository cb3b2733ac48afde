import { Decimal } from 'decimal.js';
import {
  addVolume,
  boundsVolume,
  entryRefusal,
  isMarketOrder,
  openVolumes,
  type EntryLimits,
  type Exposure,
  type OrderRefusal,
} from '@libs/order-drafts';
import { isBuyOrder, PositionType, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { closes, type IntentRecord } from './journal-records';
import { isRunning, type CountedEntry, type EntrySend, type TradeState } from './trade-state';

const minuteMs = 60_000;

/** An order as the entry limits see it. */
export interface EntryOrder {
  readonly symbol: string;
  readonly type: number;
  /** Lots. */
  readonly volume: number;
}

type Side = CountedEntry['side'];

/** The account as the entry limits see it. */
export interface EntryView {
  readonly isNetting: boolean;
  readonly positions: readonly Pick<TradePosition, 'ticket' | 'identifier' | 'symbol' | 'type' | 'volume'>[];
  readonly orders: readonly Pick<TradeOrder, 'ticket' | 'symbol' | 'volume_current'>[];
  /** Of the tickets that were looked up, those of which the lists show all that they have done. */
  readonly shownTickets: readonly number[];
  /** Loss of the broker's day in the account currency, closed and floating; negative is a profit. Null if it was not read. */
  readonly dailyLoss: number | null;
  /** Decimals of the account currency. */
  readonly currencyDigits: number;
}

type Counting = Pick<TradeState, 'entries' | 'requests'>;

/** Whether a send opens a position or places an order. */
export function isEntry({ purpose }: Pick<IntentRecord, 'purpose'>): boolean {
  return purpose === 'open' || purpose === 'place_pending';
}

/** Holds capacity for an order, if the limits allow it. @returns why they do not; null if they do */
export function admit(
  state: Counting,
  requestId: string,
  order: EntryOrder,
  view: EntryView,
  limits: EntryLimits,
  runningMs: number,
): OrderRefusal | null {
  const refusal = refusalOf(state, order, view, limits, runningMs);
  if (refusal) return refusal;
  const { symbol, type, volume } = order;
  const { addedVolume, spareVolume } = effectOf(state, order, view);
  const begun = { endedAtMs: null, sends: new Map<string, EntrySend>(), isHeld: true, isOvertaken: false };
  state.entries.set(requestId, { symbol, side: sideOf(type), volume, addedVolume, spareVolume, ...begun });
  return null;
}

/** Why the limits do not allow an order; null if they do. */
export function refusalOf(
  state: Counting,
  order: EntryOrder,
  view: EntryView,
  limits: EntryLimits,
  runningMs: number,
): OrderRefusal | null {
  const { addedVolume } = effectOf(state, order, view);
  if (addedVolume === 0) return null;
  return entryRefusal({ symbol: order.symbol, addedVolume }, exposureOf(state, view, limits, runningMs), limits);
}

/** The figures to compare with the limits. */
export function exposureOf(state: Counting, view: EntryView, limits: EntryLimits, runningMs: number): Exposure {
  const { count, nextInMs } = rateOf(state, runningMs);
  return {
    ordersLastMinute: count,
    nextOrderInMs: nextInMs,
    openVolume: boundsVolume(limits) ? openVolume(state, view) : null,
    dailyLoss: view.dailyLoss,
    currencyDigits: view.currencyDigits,
  };
}

/** Entries of the last minute and those in flight, whose minute starts when the broker can no longer receive them. */
export function rateOf(
  { entries }: Counting,
  runningMs: number,
): { readonly count: number; readonly nextInMs: number } {
  const sent = [...entries.values()].filter((entry) => isOfMinute(entry, runningMs));
  const oldestMs = Math.min(...sent.map(({ endedAtMs }) => endedAtMs ?? runningMs));
  return { count: sent.length, nextInMs: sent.length === 0 ? 0 : oldestMs + minuteMs - runningMs };
}

/** An executed order that the lists have to show. */
export interface ExecutedOrder {
  readonly ticket: number;
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
}

/** Executed orders that no view of the lists has shown yet. */
export function ordersToShow({ entries }: Counting): ExecutedOrder[] {
  return heldIn(entries).flatMap((entry) => {
    const { symbol, volume } = entry;
    return isOpen(entry) ? [] : ticketsOfEntry(entry).map((ticket) => ({ ticket, symbol, volume }));
  });
}

/** Releases the capacity of orders that did nothing, and of executed ones that the lists show, and forgets what no longer counts. */
export function takeView({ entries }: Counting, view: EntryView, runningMs: number): void {
  for (const [id, entry] of entries) {
    const { volume } = entry;
    const isShown = (ticket: number): boolean =>
      view.shownTickets.includes(ticket) || listsShow(view, { ticket, volume });
    const isHeld = entry.isHeld && (isOpen(entry) || !ticketsOfEntry(entry).every(isShown));
    if (isHeld) continue;
    if (isOfMinute(entry, runningMs)) entries.set(id, { ...entry, isHeld });
    else entries.delete(id);
  }
}

/** Whether the lists alone show all of an order: that it is pending, or the position that it opened. */
export function listsShow(
  { orders, positions }: Pick<EntryView, 'orders' | 'positions'>,
  { ticket, volume }: Pick<ExecutedOrder, 'ticket' | 'volume'>,
): boolean {
  return (
    orders.some((order) => order.ticket === ticket && order.volume_current >= volume) ||
    positions.some((position) => position.identifier === ticket && position.volume >= volume)
  );
}

/** Nothing more is sent for an order. */
export function endEntry({ entries }: Counting, requestId: string, runningMs: number): void {
  const entry = entries.get(requestId);
  if (entry) entries.set(requestId, { ...entry, endedAtMs: runningMs });
}

/** A close begins: orders that have not been sent and were to reduce what it takes open that volume instead. */
export function overtakeEntries({ entries }: Counting, { purpose, request }: IntentRecord): void {
  if (!closes(purpose)) return;
  for (const [id, entry] of entries) {
    const { symbol, volume, addedVolume, spareVolume, endedAtMs } = entry;
    if (symbol !== request.symbol || endedAtMs !== null || addedVolume === volume) continue;
    const spare = new Decimal(spareVolume).minus(request.volume);
    const lacking = Decimal.max(0, spare.negated());
    entries.set(id, {
      ...entry,
      addedVolume: Decimal.min(volume, lacking.plus(addedVolume)).toNumber(),
      spareVolume: Decimal.max(0, spare).toNumber(),
      isOvertaken: entry.isOvertaken || lacking.gt(0),
    });
  }
}

/** Takes in what became of a send. */
export function noteEntry({ entries }: Counting, requestId: string, intent: IntentRecord): void {
  if (isEntry(intent)) entries.get(requestId)?.sends.set(intent.id, sendOf(intent));
}

/**
 * Takes up what earlier processes sent: entries of the last minute, and those without an outcome.
 * @param recalled sends of at least the last minute
 */
export function takeUpEntries(state: Counting, recalled: readonly IntentRecord[], runningMs: number): void {
  for (const intent of recalled) {
    const { id, outcome, writtenAtRunningMs = runningMs } = intent;
    if (!isEntry(intent) || outcome.kind === 'not_sent' || runningMs - writtenAtRunningMs >= minuteMs) continue;
    takeUp(state, id.slice(0, id.lastIndexOf('/')), [intent], false);
  }
  for (const request of state.requests.values()) {
    const sends = [...request.intents.values()].filter(isEntry);
    const isUnresolved = !isRunning(request) && request.record.status === 'unknown';
    if (isUnresolved && sends.some(isOpenIntent)) takeUp(state, request.record.id, sends, true);
  }
}

function takeUp({ entries }: Counting, requestId: string, sends: readonly IntentRecord[], isHeld: boolean): void {
  const [first] = sends;
  if (!first) return;
  const known = entries.get(requestId);
  // It is of this process.
  if (known?.endedAtMs === null) return;
  const { symbol, type, volume } = first.request;
  entries.set(requestId, {
    symbol,
    side: sideOf(type),
    volume,
    addedVolume: volume,
    spareVolume: 0,
    isOvertaken: false,
    endedAtMs: Math.max(known?.endedAtMs ?? 0, ...sends.map(({ writtenAtRunningMs = 0 }) => writtenAtRunningMs)),
    sends: new Map([...(known?.sends ?? []), ...sends.map((intent) => [intent.id, sendOf(intent)] as const)]),
    isHeld: isHeld || known?.isHeld === true,
  });
}

function sendOf({ outcome }: IntentRecord): EntrySend {
  return { kind: outcome.kind, ticket: outcome.kind === 'done' ? outcome.result.order : null };
}

function isOpenIntent({ outcome }: IntentRecord): boolean {
  return outcome.kind === 'pending' || outcome.kind === 'unknown';
}

function heldIn(entries: Counting['entries']): CountedEntry[] {
  return [...entries.values()].filter(({ isHeld }) => isHeld);
}

/** In flight or of unknown outcome: the broker may have executed it, or may yet. */
function isOpen({ endedAtMs, sends }: CountedEntry): boolean {
  return endedAtMs === null || [...sends.values()].some(({ kind }) => kind === 'pending' || kind === 'unknown');
}

function ticketsOfEntry({ sends }: CountedEntry): number[] {
  return [...sends.values()].flatMap(({ ticket }) => (ticket === null ? [] : [ticket]));
}

function isOfMinute({ addedVolume, endedAtMs, sends }: CountedEntry, runningMs: number): boolean {
  if (addedVolume === 0) return false;
  if (endedAtMs === null) return true;
  return runningMs - endedAtMs < minuteMs && [...sends.values()].some(({ kind }) => kind !== 'not_sent');
}

function openVolume(state: Counting, { positions, orders }: EntryView): Map<string, number> {
  const volumes = openVolumes(positions, orders);
  const held = heldIn(state.entries);
  const reductions = new Map<string, { readonly symbol: string; readonly side: Side; readonly volume: Decimal }>();
  for (const { symbol, side, volume, addedVolume } of held) {
    addVolume(volumes, symbol, addedVolume);
    const of = `${side} ${symbol}`;
    const before = reductions.get(of)?.volume ?? new Decimal(0);
    reductions.set(of, { symbol, side, volume: before.plus(volume).minus(addedVolume) });
  }
  // If something else closes the position first, they open that volume instead.
  for (const { symbol, side, volume } of reductions.values()) {
    const position = oppositePosition(positions, symbol, side);
    addVolume(volumes, symbol, Decimal.max(0, volume.minus(position?.volume ?? 0)));
  }
  return new Map([...volumes].map(([symbol, volume]) => [symbol, volume.toNumber()]));
}

type EntryEffect = Pick<CountedEntry, 'addedVolume' | 'spareVolume'>;

/**
 * Lots that an order may add. On a netting account, a market order against the position first reduces it, unless other requests
 * that may still execute already do so.
 */
function effectOf(state: Counting, { symbol, type, volume }: EntryOrder, view: EntryView): EntryEffect {
  const { isNetting, positions } = view;
  const side = sideOf(type);
  const position = isNetting && isMarketOrder(type) ? oppositePosition(positions, symbol, side) : undefined;
  if (!position) return { addedVolume: volume, spareVolume: 0 };
  const alike = heldIn(state.entries).filter((entry) => entry.symbol === symbol && entry.side === side);
  const reducible = new Decimal(position.volume)
    .minus(Decimal.sum(0, ...alike.map((entry) => entry.volume)))
    .minus(closingVolume(state, symbol));
  const spare = Decimal.max(0, reducible).minus(volume);
  return {
    addedVolume: Decimal.max(0, spare.negated()).toNumber(),
    spareVolume: Decimal.max(0, spare).toNumber(),
  };
}

/** Lots of the closes of a symbol that are in flight or of unknown outcome. */
function closingVolume({ requests }: Counting, symbol: string): Decimal {
  const taking = [...requests.values()]
    .filter((request) => isRunning(request) || request.record.status === 'unknown')
    .flatMap(({ intents }) => [...intents.values()])
    .filter((intent) => closes(intent.purpose) && intent.request.symbol === symbol && isOpenIntent(intent));
  return Decimal.sum(0, ...taking.map(({ request }) => request.volume));
}

function sideOf(type: number): Side {
  return isBuyOrder(type) ? 'buy' : 'sell';
}

function oppositePosition(
  positions: EntryView['positions'],
  symbol: string,
  side: Side,
): EntryView['positions'][number] | undefined {
  const type = side === 'buy' ? PositionType.SELL : PositionType.BUY;
  return positions.find((position) => position.symbol === symbol && position.type === type);
}

import type {
  ClosePositionRequest,
  DealRecord,
  GatewayClient,
  HistoryOrderRecord,
  ModifySlTpRequest,
  OrderRequest,
  OrderTypeWord,
} from '@libs/gateway-client';
import { Decimal } from 'decimal.js';
import type { IntentRecord } from '../state/records';
import { isClose } from './plan';

/** What the broker shows of a request that the gateway does not remember, or not any more. */
export type Trace =
  | { readonly kind: 'done'; readonly order: number | null }
  /** It was not carried out, or nothing hangs on whether it was. */
  | { readonly kind: 'none'; readonly reason: string }
  /** Something was done that may be this request, or another. */
  | { readonly kind: 'unclear'; readonly reason: string };

export interface TraceOptions {
  readonly client: GatewayClient;
  /** Whether an order is known to have come from another request. */
  readonly isKnown: (order: number) => boolean;
}

/** How far the broker's time may be from the daemon's. */
const skewMs = 60_000;
/** How long after it was written an entry can have come to the broker: it is sent for a few seconds only. */
const arrivesWithinMs = 120_000;
/** `reason` of a deal or order that a program asked for (docs: ENUM_DEAL_REASON, ENUM_ORDER_REASON). */
const byExpert = 3;
/** State of an order that was cancelled (docs: ENUM_ORDER_STATE). */
const cancelled = 2;
/** `margin_mode` of an account with any number of positions a symbol (docs: ENUM_ACCOUNT_MARGIN_MODE). */
const hedging = 2;
/** Numbers of order types (docs: ENUM_ORDER_TYPE). */
const typeNumbers: Readonly<Record<OrderTypeWord, number>> = {
  ...{ BUY: 0, SELL: 1, BUY_LIMIT: 2, SELL_LIMIT: 3 },
  ...{ BUY_STOP: 4, SELL_STOP: 5, BUY_STOP_LIMIT: 6, SELL_STOP_LIMIT: 7 },
};

/** Looks for what a request did, in the broker's own books. @throws what the reads throw */
export function traceOf(intent: IntentRecord, options: TraceOptions): Promise<Trace> {
  if (intent.isEntry) return traceOfEntry(intent, options);
  if (intent.ticket === null) return Promise.resolve({ kind: 'unclear', reason: 'it names no ticket' });
  if (isClose(intent)) return traceOfClose(intent, intent.ticket, options);
  if (intent.call.method === 'DELETE') return traceOfCancel(intent.ticket, options);
  return traceOfLevels(intent, intent.ticket, options);
}

/** The order that the gateway has under its key is it, or the one of its shape and time that came from no other request. */
async function traceOfEntry(intent: IntentRecord, { client, isKnown }: TraceOptions): Promise<Trace> {
  const { createdAtMs, key } = intent;
  const window = { from_date: new Date(createdAtMs - skewMs), to_date: new Date(createdAtMs + arrivesWithinMs) };
  const done = await client.reads.historyOrdersGet(window);
  const { positions, orders: waiting, deals } = await client.reads.reconcile();
  const keyed = [...done, ...positions, ...waiting].filter(hasKey);
  const isIts = (row: { readonly client_order_id: string | null }): boolean => row.client_order_id === key;
  // A broker's clock may be so far off that the window of the orders misses it.
  const its = keyed.find(isIts)?.ticket ?? deals.find(isIts)?.order;
  if (its !== undefined) return { kind: 'done', order: its };
  const ofOthers = new Set(keyed.map(({ ticket }) => ticket));
  const isLikeIt = (order: Shaped): boolean =>
    isOfShape(order, intent) && !isKnown(order.ticket) && !ofOthers.has(order.ticket);
  const ofItsTime = done.filter((order) => isLikeIt(order) && isNear(order.time_setup_utc, createdAtMs));
  // What closes a position of the other side looks the same, but for the position it acts on.
  const { margin_mode } = await client.reads.account();
  const candidates = ofItsTime.filter((order) => margin_mode !== hedging || !actsOnAnother(order));
  const [order, ...others] = [...candidates, ...waiting.filter(isLikeIt)];
  if (!order) return { kind: 'none', reason: 'the broker has no order of it' };
  const isIt = others.length === 0 && 'time_setup_utc' in order && order.time_setup_utc !== null;
  if (isIt && !actsOnAnother(order)) return { kind: 'done', order: order.ticket };
  const tickets = [order, ...others].map(({ ticket }) => ticket).join(', ');
  return { kind: 'unclear', reason: `it may have become order ${tickets}, as another request may have` };
}

/**
 * The deals that the gateway has under its key tell, or those of the position that a program asked for and that were not
 * there when the close was written.
 */
async function traceOfClose(intent: IntentRecord, ticket: number, { client, isKnown }: TraceOptions): Promise<Trace> {
  const deals = await client.reads.dealsOfPosition(ticket);
  const its = deals.find(({ client_order_id }) => client_order_id === intent.key);
  if (its) return { kind: 'done', order: its.order };
  const asked = deals.filter((deal) => deal.entry !== 0 && deal.reason === byExpert && !isKnown(deal.order));
  const closing = asked.filter((deal) => isNew(deal, intent) && !hasKey(deal));
  const [last] = closing.slice(-1);
  if (!last) return { kind: 'none', reason: 'the broker shows no close of it' };
  const volume = volumeOf(intent);
  const orders = [...new Set(closing.map(({ order }) => order))];
  const match = orders.find(
    (order) => volume !== null && lots(closing.filter((deal) => deal.order === order)).eq(volume),
  );
  if (match !== undefined) return { kind: 'done', order: match };
  const isOpen = (await client.reads.positions()).some(({ identifier }) => identifier === ticket);
  if (isOpen) return { kind: 'unclear', reason: `order ${orders.join(', ')} closed some of position ${ticket} since` };
  if (volume === null) return { kind: 'done', order: last.order };
  return { kind: 'none', reason: `whether it closed a part cannot be told any more, and position ${ticket} is closed` };
}

async function traceOfCancel(ticket: number, { client }: TraceOptions): Promise<Trace> {
  const order = await client.reads.orderFromTicket(ticket);
  if (order?.state === cancelled) return { kind: 'done', order: null };
  return { kind: 'none', reason: `order ${ticket} was not cancelled` };
}

async function traceOfLevels({ call }: IntentRecord, ticket: number, { client }: TraceOptions): Promise<Trace> {
  const position = (await client.reads.positions()).find(({ identifier }) => identifier === ticket);
  if (!position) return { kind: 'none', reason: `position ${ticket} is closed` };
  const { sl, tp, clear_sl, clear_tp } = call.body as Partial<ModifySlTpRequest>;
  const isSo = (level: number, wanted: number | undefined, clear = false): boolean =>
    clear ? level === 0 : wanted === undefined || level === wanted;
  if (isSo(position.sl, sl, clear_sl) && isSo(position.tp, tp, clear_tp)) return { kind: 'done', order: null };
  return { kind: 'none', reason: `position ${ticket} has other levels` };
}

/** Whether the gateway knows the request that a row came from. */
function hasKey({ client_order_id: key }: { readonly client_order_id: string | null }): boolean {
  return typeof key === 'string';
}

type Shaped = Pick<HistoryOrderRecord, 'ticket' | 'symbol' | 'magic' | 'type' | 'volume_initial' | 'reason'>;

/** Whether an order is of the symbol, magic, type and volume that an entry asked for, and was made by a program. */
export function isOfShape(order: Shaped, { call }: IntentRecord): boolean {
  const { symbol, magic, type, volume } = call.body as OrderRequest;
  const isSame = order.symbol === symbol && order.magic === magic && order.type === typeNumbers[type];
  return isSame && order.reason === byExpert && new Decimal(volume).eq(order.volume_initial);
}

/** Of a server whose zone is not known nothing can be ruled out. */
function isNear(timeUtc: string | null, createdAtMs: number): boolean {
  if (timeUtc === null) return true;
  const ageMs = Date.parse(timeUtc) - createdAtMs;
  return ageMs >= -skewMs && ageMs <= arrivesWithinMs;
}

function actsOnAnother({ ticket, position_id }: Pick<HistoryOrderRecord, 'ticket' | 'position_id'>): boolean {
  return position_id !== 0 && position_id !== ticket;
}

/** Whether a deal was not there yet when a close was written; of records that do not say, its time tells. */
function isNew(deal: DealRecord, { dealsBefore, createdAtMs }: IntentRecord): boolean {
  if (dealsBefore) return !dealsBefore.includes(deal.ticket);
  return deal.time_utc === null || Date.parse(deal.time_utc) >= createdAtMs - skewMs;
}

function lots(deals: readonly DealRecord[]): Decimal {
  return deals.reduce((sum, { volume }) => sum.plus(volume), new Decimal(0));
}

/** Lots that a close is to take out; null for all of them. */
function volumeOf({ call }: IntentRecord): number | null {
  const { position } = call.body as Partial<ClosePositionRequest>;
  return typeof position === 'object' ? (position.volume ?? null) : null;
}

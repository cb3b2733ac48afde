import {
  dealsGap,
  historyLack,
  isEnd,
  isReduced,
  loadedRows,
  lostOrder,
  lostPosition,
  type ExplainedAccount,
  type ListRows,
  type Unexplained,
} from '@libs/account-evidence';
import {
  sameVolume,
  type HistoryQuery,
  type ListFilter,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { withCalls } from './replaced-calls';
import type { AccountEvidence, AcknowledgedFill, AcknowledgedOrder } from './account-evidence';
import { notSynchronized } from './not-synchronized.error';

/**
 * The same terminal, whose lists are explained by the known account, or are failed reads: a position or an order that a list
 * lacks has its end in the history, and a history has what it had before. What is new is shown at once.
 */
export function evidentTerminal(terminal: TerminalClient, evidence: AccountEvidence): TerminalClient {
  return withCalls(terminal, {
    positionsGet: (filter) => positions(terminal, evidence, filter),
    ordersGet: (filter) => orders(terminal, evidence, filter),
    historyOrdersGet: (query) => historyOrders(terminal, evidence, query),
    historyDealsGet: (query) => historyDeals(terminal, evidence, query),
  });
}

type ListRow = Pick<TradePosition, 'ticket'> & Partial<Pick<TradePosition, 'identifier' | 'volume'>>;

/**
 * Reads a list for a client: not as it was before an order or a change that the broker has acknowledged. The gateway itself knows its
 * requests and needs no list for that.
 * @throws NotSynchronizedError if no list shows such an order or change
 */
export function rowsForClient<Row extends TradePosition | TradeOrder>(
  evidence: AccountEvidence,
  filter: ListFilter,
  read: () => Promise<Row[]>,
): Promise<Row[]> {
  return evidence.acknowledgedBy(read, (rows) => behindIn(evidence, rows, filter));
}

/**
 * Reads deals for a client: with those that the broker has acknowledged, for a minute after them.
 * @throws NotSynchronizedError if the history lacks one
 */
export function dealsForClient(
  evidence: AccountEvidence,
  query: HistoryQuery,
  read: () => Promise<TradeDeal[]>,
): Promise<TradeDeal[]> {
  return evidence.acknowledgedBy(read, (rows) => evidence.lackingDeals(rows, (fill) => isFillWanted(fill, query)));
}

/** The same for orders. @throws as {@link dealsForClient} */
export function doneOrdersForClient(
  evidence: AccountEvidence,
  query: HistoryQuery,
  read: () => Promise<TradeOrder[]>,
): Promise<TradeOrder[]> {
  return evidence.acknowledgedBy(read, (rows) => evidence.lackingDoneOrders(rows, (fill) => isFillWanted(fill, query)));
}

/** The lists of an account, and its history of a span. */
export interface AccountLists {
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
  readonly historyOrders: readonly TradeOrder[];
  readonly deals: readonly TradeDeal[];
}

/** Reads all lists for a client. @throws as {@link rowsForClient} and {@link dealsForClient} */
export function listsForClient<Lists extends AccountLists>(
  evidence: AccountEvidence,
  span: { readonly from: number; readonly to: number },
  read: () => Promise<Lists>,
): Promise<Lists> {
  const isWanted = (fill: AcknowledgedFill): boolean => isFillWanted(fill, span);
  return evidence.acknowledgedBy(read, ({ positions, orders, historyOrders, deals }) => [
    ...behindIn(evidence, positions),
    ...behindIn(evidence, orders),
    ...evidence.lackingDoneOrders(historyOrders, isWanted),
    ...evidence.lackingDeals(deals, isWanted),
  ]);
}

function behindIn(
  evidence: AccountEvidence,
  rows: readonly (TradePosition | TradeOrder)[],
  filter: ListFilter = {},
): readonly Unexplained[] {
  return evidence.behindIn(rows, (some, order) => isBehind(some, order, filter));
}

/** The last quote before a fill is hardly older than the fill by more seconds. */
const quietS = 60;

/** Whether a query asks for a fill. It was made after its time, and soon if there are quotes. */
function isFillWanted({ order, position, time }: AcknowledgedFill, query: HistoryQuery): boolean {
  if ('ticket' in query) return query.ticket === order;
  if ('position' in query) return query.position === position;
  return query.group === undefined && query.from <= time + quietS && query.to >= time;
}

/** Whether rows lack the order and the position that an entry made, or have what was closed of a position, or an order that was cancelled. */
function isBehind(
  rows: readonly ListRow[],
  { closed, isCancelled, ...entry }: AcknowledgedOrder,
  filter: ListFilter,
): boolean {
  // What a cancelled order has filled is a position with its ticket.
  if (isCancelled === true)
    return rows.some(({ ticket, identifier }) => identifier === undefined && ticket === entry.ticket);
  const wasClosed = ({ ticket, volume = 0 }: ListRow): boolean =>
    closed.some((before) => before.ticket === ticket && sameVolume(before.volume, volume));
  if (closed.length > 0) return rows.some(wasClosed);
  if (!isWanted(entry, filter)) return false;
  return !rows.some(({ ticket, identifier }) => ticket === entry.ticket || identifier === entry.ticket);
}

async function positions(
  terminal: TerminalClient,
  evidence: AccountEvidence,
  filter?: ListFilter,
): Promise<TradePosition[]> {
  const rows = await terminal.positionsGet(filter);
  await evidence.read();
  requireLoaded('positions', rows, evidence);
  const known = evidence.requireList('positions');
  const listed = new Map(rows.map((row) => [row.identifier, row]));
  const lost: Unexplained[] = [];
  for (const [identifier, before] of known.positions.entriesOf(null)) {
    if (!isWanted(before.record, filter)) continue;
    const now = listed.get(identifier);
    if (now && !isReduced(before.record, now)) continue;
    const found = lostPosition(before, now, await terminal.historyDealsGet({ position: identifier }));
    if (found) lost.push(found);
  }
  if (lost.length > 0) throw notSynchronized(lost);
  return rows;
}

async function orders(terminal: TerminalClient, evidence: AccountEvidence, filter?: ListFilter): Promise<TradeOrder[]> {
  const rows = await terminal.ordersGet(filter);
  await evidence.read();
  requireLoaded('orders', rows, evidence);
  const known = evidence.requireList('orders');
  const listed = new Set(rows.map(({ ticket }) => ticket));
  const lost: Unexplained[] = [];
  for (const [ticket, before] of known.orders.entriesOf(null)) {
    if (listed.has(ticket) || !isWanted(before, filter)) continue;
    if (!(await hasEnded(terminal, ticket))) lost.push(lostOrder(before));
  }
  if (lost.length > 0) throw notSynchronized(lost);
  return rows;
}

/** @throws NotSynchronizedError if a row is not loaded, unless a person accepted that */
function requireLoaded<List extends keyof ListRows>(
  list: List,
  rows: readonly ListRows[List][],
  evidence: AccountEvidence,
): void {
  const found: Unexplained[] = [];
  loadedRows(list, rows, found);
  const unloaded = found.filter((one) => !evidence.isAccepted(one));
  if (unloaded.length > 0) throw notSynchronized(unloaded);
}

/** Whether the history has the end of an order, or a deal of it. */
async function hasEnded(terminal: TerminalClient, ticket: number): Promise<boolean> {
  if (isEnd((await terminal.historyOrdersGet({ ticket }))[0])) return true;
  return (await terminal.historyDealsGet({ ticket })).length > 0;
}

async function historyOrders(
  terminal: TerminalClient,
  evidence: AccountEvidence,
  query: HistoryQuery,
): Promise<TradeOrder[]> {
  const rows = await terminal.historyOrdersGet(query);
  await evidence.read();
  requireLoaded('history_orders', rows, evidence);
  requireHistory('order', evidence.requireHistory(), query, rows);
  return rows;
}

async function historyDeals(
  terminal: TerminalClient,
  evidence: AccountEvidence,
  query: HistoryQuery,
): Promise<TradeDeal[]> {
  const rows = await terminal.historyDealsGet(query);
  await evidence.read();
  requireLoaded('deals', rows, evidence);
  const known = evidence.requireHistory();
  requireHistory('deal', known, query, rows);
  requireDay(known, query, rows);
  return rows;
}

/** @throws NotSynchronizedError if the history of a span lacks what it had before */
function requireHistory(
  what: 'deal' | 'order',
  known: ExplainedAccount,
  query: HistoryQuery,
  rows: readonly { readonly ticket: number }[],
): void {
  if (!('from' in query) || query.group !== undefined) return;
  const lack = historyLack(what, what === 'deal' ? known.deals : known.doneOrders, rows, query.from, query.to);
  if (lack.length > 0) throw notSynchronized(lack);
}

/** @throws NotSynchronizedError if a history that includes the latest day has fewer deals than were seen of that day */
function requireDay(known: ExplainedAccount, query: HistoryQuery, rows: readonly TradeDeal[]): void {
  if (!('from' in query) || query.group !== undefined) return;
  const gap = dealsGap(known, rows, query);
  if (gap.length > 0) throw notSynchronized(gap);
}

/** Whether a filter surely asks for a row. A mask is evaluated by the terminal. */
function isWanted(row: { readonly ticket: number; readonly symbol: string }, filter: ListFilter = {}): boolean {
  if (filter.group !== undefined) return false;
  if (filter.symbol !== undefined) return row.symbol === filter.symbol;
  return filter.ticket === undefined || row.ticket === filter.ticket;
}

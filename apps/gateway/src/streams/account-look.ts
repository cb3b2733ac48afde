import {
  type AccountLook,
  isBehindDeals,
  isEnd,
  isOfUnseenPosition,
  isReduced,
  loadedRows,
  type Unexplained,
} from '@libs/account-evidence';
import {
  latestDateS,
  type AccountInfo,
  type TerminalClient,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import type { KnownAccount } from './known-account';

/** The lists that change with every trade. */
export interface AccountLists {
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
}

/** Lists that were read. */
interface ReadLists extends AccountLists {
  /** Rows that are not loaded; the lists are without them. */
  readonly unloaded: readonly Unexplained[];
}

/** The lists with the account, which was read before them. */
export interface AccountShown extends ReadLists {
  readonly account: AccountInfo;
  /** Their floating profits differed in several looks in a row. */
  readonly isProfitOff: boolean;
  /** Margin that one of them needs, if the account shows none. */
  readonly marginNeeded: number;
}

export async function readLists(terminal: TerminalClient): Promise<ReadLists> {
  // In this order, a pending order that fills between the reads is seen twice rather than never.
  const unloaded: Unexplained[] = [];
  const orders = loadedRows('orders', await terminal.ordersGet(), unloaded);
  const positions = loadedRows('positions', await terminal.positionsGet(), unloaded);
  return { orders, positions, unloaded };
}

/** By how much a server may set its clock back, in seconds. */
const setBackS = 86_400;

/**
 * Reads the history since the last snapshot, and the records that explain changes in the lists.
 * @param shown the lists, and the account read before them
 * @param isWide reads what the server may have booked since it set its clock back or right, too
 */
export async function lookCloser(
  terminal: TerminalClient,
  known: KnownAccount,
  { account, isProfitOff, marginNeeded, ...lists }: AccountShown,
  isWide: boolean,
): Promise<AccountLook> {
  // The end is open: one by the clock of this machine would omit the latest rows if that clock is behind.
  const to = latestDateS;
  const fromOf = (seen: KnownAccount['deals']): number => (isWide ? seen.earliest - setBackS : seen.lookBackTo);
  const openedS = Math.min(...newIn(known, lists.positions).map(({ time }) => time));
  const historyFrom = {
    deals: Math.max(0, Math.min(fromOf(known.deals), openedS)),
    doneOrders: Math.max(0, Math.min(fromOf(known.doneOrders), openedS)),
  };
  const unloaded = [...lists.unloaded];
  const done = await terminal.historyOrdersGet({ from: historyFrom.doneOrders, to });
  const doneOrders = loadedRows('history_orders', done, unloaded);
  const deals = loadedRows('deals', await terminal.historyDealsGet({ from: historyFrom.deals, to }), unloaded);
  const dealsOf = await dealsInQuestion(terminal, known, { ...lists, deals, scope: null });
  const endOf = new Map<number, TradeOrder | null>();
  const listed = new Set(lists.orders.map(({ ticket }) => ticket));
  for (const [ticket] of known.orders) {
    if (listed.has(ticket)) continue;
    const shown = doneOrders.find((order) => order.ticket === ticket && isEnd(order));
    endOf.set(ticket, shown ?? (await terminal.historyOrdersGet({ ticket }))[0] ?? null);
  }
  const shown = { ...lists, unloaded, scope: null, account, isProfitOff, marginNeeded };
  return { ...shown, historyFrom, deals, doneOrders, dealsOf, endOf };
}

/** Positions that were not seen before. Their deals are older than the window if the server has set its clock back. */
function newIn(known: KnownAccount, positions: readonly TradePosition[]): readonly TradePosition[] {
  return positions.filter(({ identifier }) => !known.positions.has(identifier) && !known.closedLately.has(identifier));
}

/** Reads the whole history with the lists: the look at an account that is not known yet. */
export async function firstLook(
  terminal: TerminalClient,
  { account, isProfitOff, marginNeeded, ...lists }: AccountShown,
): Promise<AccountLook> {
  const to = latestDateS;
  const unloaded = [...lists.unloaded];
  const doneOrders = loadedRows('history_orders', await terminal.historyOrdersGet({ from: 0, to }), unloaded);
  const deals = loadedRows('deals', await terminal.historyDealsGet({ from: 0, to }), unloaded);
  const dealsOf = new Map<number, AccountLook['deals']>();
  const dealt = new Set(deals.map(({ position_id }) => position_id));
  for (const { identifier } of lists.positions) {
    if (!dealt.has(identifier)) dealsOf.set(identifier, await terminal.historyDealsGet({ position: identifier }));
  }
  const historyFrom = { deals: 0, doneOrders: 0 };
  const shown = { ...lists, unloaded, scope: null, account, isProfitOff, marginNeeded };
  return { ...shown, historyFrom, deals, doneOrders, dealsOf, endOf: new Map() };
}

/** Reads the deals that explain what the lists show of some positions. */
export async function dealsInQuestion(
  terminal: TerminalClient,
  known: KnownAccount,
  look: Pick<AccountLook, 'positions' | 'deals' | 'scope'>,
): Promise<AccountLook['dealsOf']> {
  const dealsOf = new Map<number, AccountLook['deals']>();
  for (const position of positionsInQuestion(known, look)) {
    const shown = look.deals.filter(({ position_id }) => position_id === position);
    dealsOf.set(position, merged(shown, await terminal.historyDealsGet({ position })));
  }
  return dealsOf;
}

/**
 * A look with what the history has shown in a look before it, a moment ago: a history only grows, and a read that lacks some of it
 * was not loaded.
 */
export function withHistoryOf(before: AccountLook, look: AccountLook): AccountLook {
  const endOf = [...look.endOf].map(
    ([ticket, end]) => [ticket, isEnd(end) ? end : (before.endOf.get(ticket) ?? end)] as const,
  );
  const deals = merged(before.deals, look.deals);
  const dealsOf = [...look.dealsOf].map(([position, now]) => {
    const listed = deals.filter(({ position_id }) => position_id === position);
    return [position, merged(merged(listed, before.dealsOf.get(position) ?? []), now)] as const;
  });
  return {
    ...look,
    deals,
    doneOrders: merged(before.doneOrders, look.doneOrders),
    dealsOf: new Map(dealsOf),
    endOf: new Map(endOf),
  };
}

/** Rows of both reads in the order of their tickets, as the later one shows them. */
function merged<Row extends { readonly ticket: number }>(before: readonly Row[], now: readonly Row[]): readonly Row[] {
  if (before.length === 0) return now;
  const rows = new Map([...before, ...now].map((row) => [row.ticket, row]));
  return [...rows.values()].sort((a, b) => a.ticket - b.ticket);
}

/**
 * Positions that shrank or left, reappeared after they were closed, are known only from a deal, are shown without any, or are not
 * what their new deals leave open.
 */
function positionsInQuestion(
  known: KnownAccount,
  { positions, deals, scope }: Pick<AccountLook, 'positions' | 'deals' | 'scope'>,
): ReadonlySet<number> {
  const listed = new Map(positions.map((position) => [position.identifier, position]));
  const dealt = new Set(deals.map(({ position_id }) => position_id));
  const inQuestion = new Set<number>();
  for (const [identifier, before] of known.positions.entriesOf(scope && scope.positions)) {
    const now = listed.get(identifier);
    if (!now || isReduced(before.record, now)) inQuestion.add(identifier);
    else if (before.unproven === true && !dealt.has(identifier)) inQuestion.add(identifier);
  }
  for (const identifier of listed.keys()) {
    if (known.closedLately.has(identifier)) inQuestion.add(identifier);
    else if (!known.positions.has(identifier) && !dealt.has(identifier)) inQuestion.add(identifier);
  }
  for (const deal of deals) {
    if (known.deals.has(deal.ticket, deal.time)) continue;
    if (isOfUnseenPosition(deal, known, listed)) inQuestion.add(deal.position_id);
  }
  const shown = { deals, dealsOf: new Map() };
  for (const [identifier, now] of listed) if (isBehindDeals(known, now, shown)) inQuestion.add(identifier);
  return inQuestion;
}

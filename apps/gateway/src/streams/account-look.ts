import {
  DealEntry,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import type { KnownAccount } from './known-account';

/** The lists that change with every trade. */
export interface AccountLists {
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
}

/** The rows that a look covers; all others are as they were. */
export interface LookScope {
  /** Identifiers. */
  readonly positions: ReadonlySet<number>;
  /** Tickets of active orders. */
  readonly orders: ReadonlySet<number>;
}

/** Data for one comparison, read from the terminal. A failed read throws, and nothing is compared. */
export interface AccountLook extends AccountLists {
  /** Null: the whole account. */
  readonly scope: LookScope | null;
  readonly deals: readonly TradeDeal[];
  readonly doneOrders: readonly TradeOrder[];
  /** All deals of the positions that may have changed, by identifier. */
  readonly dealsOf: ReadonlyMap<number, readonly TradeDeal[]>;
  /** The historical records of orders that left the list; null if there is none yet. */
  readonly endOf: ReadonlyMap<number, TradeOrder | null>;
}

/** A server time after the stamp of any row, in seconds: two days ahead of this machine's clock. */
export function afterAllRows(nowMs: number): number {
  return Math.ceil(nowMs / 1_000) + 2 * 86_400;
}

export async function readLists(terminal: TerminalClient): Promise<AccountLists> {
  // In this order, a pending order that fills between the reads is seen twice rather than never.
  const orders = await terminal.ordersGet();
  const positions = await terminal.positionsGet();
  return { orders, positions };
}

/** Reads the history since the last snapshot, and the records that explain changes in the lists. */
export async function lookCloser(
  terminal: TerminalClient,
  known: KnownAccount,
  lists: AccountLists,
  nowMs: number,
): Promise<AccountLook> {
  const to = afterAllRows(nowMs);
  const doneOrders = await terminal.historyOrdersGet({ from: known.doneOrders.lookBackTo, to });
  const deals = await terminal.historyDealsGet({ from: known.deals.lookBackTo, to });
  const dealsOf = await dealsInQuestion(terminal, known, { ...lists, deals, scope: null });
  const endOf = new Map<number, TradeOrder | null>();
  const listed = new Set(lists.orders.map(({ ticket }) => ticket));
  for (const [ticket] of known.orders) {
    if (!listed.has(ticket)) endOf.set(ticket, (await terminal.historyOrdersGet({ ticket }))[0] ?? null);
  }
  return { ...lists, scope: null, deals, doneOrders, dealsOf, endOf };
}

/** Reads the deals that explain what the lists show of some positions. */
export async function dealsInQuestion(
  terminal: TerminalClient,
  known: KnownAccount,
  look: Pick<AccountLook, 'positions' | 'deals' | 'scope'>,
): Promise<AccountLook['dealsOf']> {
  const dealsOf = new Map<number, readonly TradeDeal[]>();
  for (const position of positionsInQuestion(known, look)) {
    dealsOf.set(position, await terminal.historyDealsGet({ position }));
  }
  return dealsOf;
}

/** Positions that shrank or left, reappeared after they were closed, or are known only from a deal. */
function positionsInQuestion(
  known: KnownAccount,
  { positions, deals, scope }: Pick<AccountLook, 'positions' | 'deals' | 'scope'>,
): ReadonlySet<number> {
  const listed = new Map(positions.map((position) => [position.identifier, position]));
  const inQuestion = new Set<number>();
  for (const [identifier, { record }] of known.positions.entriesOf(scope && scope.positions)) {
    const now = listed.get(identifier);
    if (!now || now.type !== record.type || now.volume < record.volume) inQuestion.add(identifier);
  }
  for (const identifier of listed.keys()) if (known.closedLately.has(identifier)) inQuestion.add(identifier);
  for (const deal of deals) {
    if (known.deals.has(deal.ticket, deal.time) || deal.position_id === 0 || deal.entry === DealEntry.OUT) continue;
    if (!known.positions.has(deal.position_id) && !listed.has(deal.position_id)) inQuestion.add(deal.position_id);
  }
  return inQuestion;
}

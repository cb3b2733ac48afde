import type { accountFields, dealFields, orderFields, positionFields, RecordOf } from '@libs/records';

/** Records of the terminal, and of the API, which has them with further members. */
export type AccountInfo = RecordOf<typeof accountFields>;
export type TradeDeal = RecordOf<typeof dealFields>;
export type TradeOrder = RecordOf<typeof orderFields>;
export type TradePosition = RecordOf<typeof positionFields>;

/** What of a position the rule compares. */
export type PositionFacts = Pick<TradePosition, 'ticket' | 'symbol' | 'type' | 'volume'>;

/** The tickets of a list that were seen, by server time. */
export interface SeenRows {
  /** Start of the window for new rows, in server seconds. */
  readonly lookBackTo: number;
  has(ticket: number, time: number): boolean;
  /** Seen tickets of a span of server seconds that a list of it lacks. */
  missingIn(listed: ReadonlySet<number>, from: number, to: number): number[];
}

/** A position as deals up to some ticket left it. */
export interface KnownPositionFacts {
  readonly record: PositionFacts;
  /** Deals up to this ticket led to this record. */
  readonly toldThrough: number;
}

/** A position as it was last explained. */
export interface ExplainedPosition extends KnownPositionFacts {
  readonly record: TradePosition;
  /** The list has shown it, or its growth, and no deal explains that yet. */
  readonly unproven?: boolean;
}

/** Rows by identifier or ticket. @param keys null for all */
interface RowsByKey<Row> {
  get(key: number): Row | undefined;
  has(key: number): boolean;
  entriesOf(keys: Iterable<number> | null): Iterable<[number, Row]>;
}

/** The account as it was last explained. */
export interface ExplainedAccount {
  /** By identifier, which survives reversals and reopenings. */
  readonly positions: RowsByKey<ExplainedPosition>;
  readonly orders: RowsByKey<TradeOrder>;
  readonly deals: SeenRows;
  readonly doneOrders: SeenRows;
  /** Identifiers of positions whose close was explained; a lagging list may still show them. */
  readonly closedLately: { has(identifier: number): boolean };
  /** Number of deals that a history of this span has at least, in server seconds; 0 if that is not known. */
  leastDealsIn(fromS: number, toS: number): number;
  /** Money by which a seen deal changed the balance as it was last shown, in the deposit currency; null if that is not known. */
  amountOf(ticket: number): number | null;
  /** Balance after the seen deals, in the deposit currency; null if it is not known. */
  readonly balance: number | null;
}

/** The rows that a look covers; all others are as they were. */
export interface LookScope {
  /** Identifiers. */
  readonly positions: ReadonlySet<number>;
  /** Tickets of active orders. */
  readonly orders: ReadonlySet<number>;
}

/** What the terminal shows of an account, read together: the account first, the history last. */
export interface AccountLook {
  /** Null: the whole account. */
  readonly scope: LookScope | null;
  /** Null for a look at single rows. */
  readonly account: (Pick<AccountInfo, 'balance' | 'margin' | 'profit'> & Partial<AccountInfo>) | null;
  /** Margin that an open position needs, in the deposit currency; read only if the account shows none. */
  readonly marginNeeded?: number;
  /** Rows of this look that are not loaded; the lists are without them. */
  readonly unloaded?: readonly Unexplained[];
  /** The floating profit of the account and that of the positions differed in several looks in a row. */
  readonly isProfitOff: boolean;
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
  /** History since `historyFrom`. */
  readonly deals: readonly TradeDeal[];
  readonly doneOrders: readonly TradeOrder[];
  /** Start of the history of this look, in server seconds; null for a look at single rows. */
  readonly historyFrom: { readonly deals: number; readonly doneOrders: number } | null;
  /** All deals of the positions in question, by identifier. */
  readonly dealsOf: ReadonlyMap<number, readonly TradeDeal[]>;
  /** The historical records of orders that left the list; null if there is none. */
  readonly endOf: ReadonlyMap<number, TradeOrder | null>;
}

/** The list that a contradiction makes unusable. `entries`: none, but no entry may rely on the account. */
export type Spoils = 'positions' | 'orders' | 'entries';

/** One thing that the look shows and nothing explains. */
export interface Unexplained {
  readonly kind:
    | 'position_missing'
    | 'position_reduced'
    | 'position_without_deals'
    | 'deal_without_position'
    | 'position_behind'
    | 'fill_without_deals'
    | 'order_missing'
    | 'row_not_loaded'
    | 'not_looked_at'
    | 'acknowledged_order_missing'
    | 'change_not_shown'
    | 'history_incomplete'
    | 'balance_without_deals'
    | 'margin_without_positions'
    | 'profit_without_positions'
    | 'profit_differs'
    | 'equity_differs'
    | 'margin_differs';
  readonly spoils: Spoils;
  /** Ticket of the position, order or deal; null if none is concerned. */
  readonly ticket: number | null;
  readonly symbol: string | null;
  readonly message: string;
}

import type { Bar, Quote, Stream } from './market';
import type { Account, Risk, SymbolSpec } from './symbol';

export type Side = 'buy' | 'sell';

/** A position of this strategy, as the terminal sees it. */
export interface Position<Alias extends string = string> {
  readonly ticket: number;
  /** Alias of its stream; that of then if the configuration has another one by now, and empty for an adopted one without a stream. */
  readonly stream: Alias;
  /** The intent that opened it; null when that is not known, as of a position that was adopted. */
  readonly intentId: string | null;
  /** The tag of the entry that opened it; null without one. */
  readonly tag: string | null;
  /** The gateway it is held through: numbers of tickets are unique only there. */
  readonly broker: string;
  readonly symbol: string;
  readonly side: Side;
  /** Lots. */
  readonly volume: number;
  /** Volume-weighted price of its entries. */
  readonly avgPrice: number;
  /** 0 when there is none. */
  readonly sl: number;
  /** 0 when there is none. */
  readonly tp: number;
  /** Its trailing stop; null without one. */
  readonly trail: TrailingStop | null;
  /** Floating result with swap, in the account's currency. */
  readonly unrealized: number;
  /** Milliseconds since the epoch; null while the zone of the broker's clock is not known. */
  readonly openedAtMs: number | null;
}

/** A pending order of this strategy. */
export interface PendingOrder<Alias extends string = string> {
  readonly ticket: number;
  /** As that of a position. */
  readonly stream: Alias;
  /** The intent that placed it; null when that is not known. */
  readonly intentId: string | null;
  /** The tag that it was placed with; null without one. */
  readonly tag: string | null;
  readonly broker: string;
  readonly symbol: string;
  readonly side: Side;
  readonly kind: 'limit' | 'stop' | 'stop_limit';
  /** Lots that still wait. */
  readonly volume: number;
  readonly price: number;
  /** Limit price of a stop-limit order; 0 for other kinds. */
  readonly stoplimit: number;
  /** 0 when there is none. */
  readonly sl: number;
  /** 0 when there is none. */
  readonly tp: number;
  /** When it lapses, in milliseconds since the epoch; null when it never does, or when that is not known. */
  readonly expirationMs: number | null;
}

interface EntryTerms {
  /** Lots; has to lie on the symbol's grid. */
  readonly volume: number;
  /** Absolute price of the stop-loss. */
  readonly sl?: number;
  /** Absolute price of the take-profit. */
  readonly tp?: number;
  /**
   * What the order is for: 1 to 32 letters, digits, spaces and `_.:/-`. Its position and fills carry it, and a report has the
   * results by tag. The broker does not receive it.
   */
  readonly tag?: string;
}

/** An order that fills at the market. */
export interface MarketEntry extends EntryTerms {
  readonly kind?: 'market';
  /** Points by which the fill may slip, where the broker observes it. */
  readonly deviation?: number;
  readonly price?: undefined;
  readonly stoplimit?: undefined;
  readonly expirationMs?: undefined;
}

/** A limit or a stop order, which waits for its price. */
export interface PendingEntry extends EntryTerms {
  readonly kind: 'limit' | 'stop';
  readonly price: number;
  /** When the order lapses, in milliseconds since the epoch. */
  readonly expirationMs?: number;
  readonly stoplimit?: undefined;
  readonly deviation?: undefined;
}

/** A stop order that places a limit order when its price is reached. */
export interface StopLimitEntry extends EntryTerms {
  readonly kind: 'stop_limit';
  /** Price at which the limit order is placed. */
  readonly price: number;
  /** Price of the limit order. */
  readonly stoplimit: number;
  /** When the order lapses, in milliseconds since the epoch. */
  readonly expirationMs?: number;
  readonly deviation?: undefined;
}

/** An entry. Without a `kind` it is a market order. An option that its kind does not have is an error. */
export type EntryOptions = MarketEntry | PendingEntry | StopLimitEntry;

/** One order of a group of which the fill of one cancels the others. */
export type OcoOrder<Alias extends string = string> = (PendingEntry | StopLimitEntry) & {
  readonly stream: StreamName<Alias>;
  readonly side: Side;
};

/** Levels to set; an omitted one stays as it is, null removes it. */
export interface Protection {
  readonly sl?: number | null;
  readonly tp?: number | null;
}

/** A stop-loss that follows the price, and never moves away from it. */
export interface Trail {
  /** Distance from the best price since the call, in price; at least the broker's `stopsDistance` applies. */
  readonly distance: number;
  /** Least change of the stop-loss, in price; a tenth of the distance when omitted. */
  readonly step?: number;
  /** Profit of the position from which on the stop-loss follows, in price; at once when omitted. */
  readonly activateAt?: number;
}

/** The trailing stop of a position. */
export interface TrailingStop {
  /** In price. */
  readonly distance: number;
  /** In price. */
  readonly step: number;
  /** In price; null when it follows at once. */
  readonly activateAt: number | null;
}

/** Changes of a pending order; what is omitted stays as it is, null removes a level or the expiration. */
export interface OrderChange {
  readonly price?: number;
  /** Of a stop-limit order only. */
  readonly stoplimit?: number;
  readonly sl?: number | null;
  readonly tp?: number | null;
  /** Milliseconds since the epoch. */
  readonly expirationMs?: number | null;
}

/** A stream of the strategy, or its alias. */
export type StreamName<Alias extends string = string> = Stream | Alias;

/** Pyramiding of one position: layer 1 enters at once, layer i waits `spacing · (i − 1)` beyond its fill price. */
export interface StackOptions<Alias extends string = string> {
  readonly stream: StreamName<Alias>;
  readonly direction: Side;
  readonly layers: number;
  /** Distance between layers, in price. */
  readonly spacing: number;
  /** Lots of each layer. */
  readonly volume: number;
  /** How long left-over layers wait, in milliseconds of market time; 24 hours when omitted. */
  readonly within?: number;
  /** Distance of each layer's stop-loss from its own entry, in price. */
  readonly slDistance?: number;
  /** Distance of each layer's take-profit from its own entry, in price. */
  readonly tpDistance?: number;
  /** What the stack is for, as that of an entry: each layer carries it. */
  readonly tag?: string;
}

/**
 * What a handler may do and see. Actions return the intent's id at once; what became of it comes as `onFill` or
 * `onReject` under that id, before the next bar. During warm-up actions do nothing. `Alias` is the names of the strategy's
 * streams: the compiler refuses another one. `State` is the type of what it keeps.
 */
export interface Trade<Alias extends string = string, State = unknown> {
  /** True while past bars are played in, to bring indicators up to date. */
  readonly warmingUp: boolean;
  /** Market time of the event being handled, in milliseconds since the epoch. */
  readonly timeMs: number;
  /**
   * The state that the strategy declares with `state`: change its members or assign another one. What a handler leaves here
   * is on disk before its actions are sent and before the next event. A change during warm-up is undone when the handler
   * returns.
   */
  state: State;

  buy(stream: StreamName<Alias>, options: EntryOptions): string;
  sell(stream: StreamName<Alias>, options: EntryOptions): string;
  /**
   * Places two or more pending orders; the first fill of one of them, also a partial one, cancels the others (OCO: one cancels
   * the other). The daemon cancels them, also after a restart, so two can fill before that: then both positions stay open.
   * @returns the ids of their intents, in their order
   */
  oco(orders: readonly OcoOrder<Alias>[]): readonly string[];
  /**
   * Closes a position in full. A bare number will do while only one of the strategy's gateways has it; else it is
   * denied, here as in the actions below.
   */
  close(position: Position | number): string;
  /** Closes `volume` lots of a position. */
  closePart(position: Position | number, volume: number): string;
  /** Sets or removes a position's levels. */
  protect(position: Position | number, protection: Protection): string;
  /**
   * Lets the daemon move a position's stop-loss behind the price, with each quote, until the position is closed; null ends
   * that, and leaves the stop-loss where it is. Another call replaces the terms. The daemon only ever moves the stop-loss
   * towards the price. A change that is refused comes as `onReject` under the returned id, each time.
   */
  trail(position: Position | number, trail: Trail | null): string;
  /** Changes a pending order. Denied while the strategy is halted. */
  modify(order: PendingOrder | number, change: OrderChange): string;
  /** Cancels a pending order. */
  cancel(order: PendingOrder | number): string;
  /** Opens a stack of layers. */
  stack(options: StackOptions<Alias>): string;
  /** Writes a line to the strategy's log. */
  log(message: string, details?: Readonly<Record<string, unknown>>): void;

  /** The oldest open position on a stream; null when it is flat. */
  position(stream: StreamName<Alias>): Position<Alias> | null;
  /** All open positions, oldest first, or those of one stream. */
  positions(stream?: StreamName<Alias>): readonly Position<Alias>[];
  /** All pending orders, or those of one stream. */
  orders(stream?: StreamName<Alias>): readonly PendingOrder<Alias>[];
  /**
   * The account that a stream trades on, as it was last read; in a backtest at present prices. Other strategies and persons may
   * trade on it: {@link equity} is the strategy's own. @throws Error while it could not be read
   */
  account(stream: StreamName<Alias>): Account;
  /** Allotted capital with realized and floating results, in the account's currency. */
  readonly equity: number;
  /** Number of intents whose outcome is not known yet, or which the account does not show yet. */
  readonly inFlight: number;
  quote(stream: StreamName<Alias>): Quote | null;
  /** The broker's specification of a stream's symbol, and its spread. @throws Error while it is not known */
  symbol(stream: StreamName<Alias>): SymbolSpec;
  /**
   * The volume in lots whose loss at the stop-loss is `risk` at most, rounded down to the symbol's grid and no more than its
   * greatest volume and `risk.maxVolume` of the configuration; 0 when even its least volume would lose more.
   * @throws Error while the value of a tick is not known
   */
  volumeFor(stream: StreamName<Alias>, risk: Risk): number;
  /** A volume rounded down to the symbol's grid, within its greatest volume; 0 below its least volume. */
  roundVolume(stream: StreamName<Alias>, lots: number): number;
  /** A price rounded to the symbol's grid, half up. */
  roundPrice(stream: StreamName<Alias>, price: number): number;
  /**
   * The last closed bars of a stream, ascending. Up to `historyBars` and `warmupBars` of the stream, a live event gets all
   * that it asks for. Up to 1000 it gets those that have come, so the length of the list tells how many there are.
   * @throws Error when more are asked for than these: declare them as `historyBars`
   */
  bars(stream: StreamName<Alias>, count: number): readonly Bar[];
}

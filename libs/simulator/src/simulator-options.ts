import type { HabitChoice } from './session/drawn-habits';
import type { Assets } from './symbols/assets';
import type { LimitFill } from './quotes/quote-source';
import type { ReplayFile, SymbolRecording } from './market/replay/replay-files';
import type { SymbolSpec } from './symbols/symbol-spec';

export type MarginModeName = 'hedging' | 'netting' | 'exchange';

/** Where prices come from. */
export type FeedOptions =
  | {
      readonly kind: 'generated';
      /** The same seed gives the same prices at the same instants. */
      readonly seed: number;
      readonly assets: Assets;
      /** How far back the history goes. */
      readonly historyDays: number;
    }
  | {
      readonly kind: 'replay';
      readonly files: readonly ReplayFile[];
      /** What the files hold, if it has been read already. */
      readonly recordings?: readonly SymbolRecording[];
      /** UTC milliseconds of the replay's first instant; absent, `warmupBars` decide. */
      readonly startMs?: number;
      /** Minutes with prices that are history already when the replay starts. */
      readonly warmupBars: number;
      /** What a limit order or a target needs inside a bar; `through` when omitted. */
      readonly limitFill?: LimitFill;
      /** Points between bid and ask, in place of the recorded asks. */
      readonly spreadPoints?: number;
    }
  | {
      readonly kind: 'scripted';
      /** What each symbol is quoted, and when: for tests that need a price to the point. */
      readonly quotes: Readonly<Record<string, readonly ScriptedQuote[]>>;
    };

/** Milliseconds after the start, bid, ask. Negative times are history already. */
export type ScriptedQuote = readonly [afterMs: number, bid: number, ask: number];

export interface AccountOptions {
  readonly login: number;
  readonly password: string;
  readonly server: string;
  readonly name: string;
  readonly company: string;
  readonly currency: string;
  readonly currencyDigits: number;
  readonly balance: number;
  readonly leverage: number;
  readonly marginMode: MarginModeName;
  readonly stopoutMode: 'percent' | 'money';
  /** Margin level in percent, or equity in money, below which the broker warns. */
  readonly marginCall: number;
  /** The level below which the broker closes positions. */
  readonly stopOut: number;
  /** Maximum number of active pending orders; 0: no limit. */
  readonly limitOrders: number;
  /** Maximum number of open positions (on hedging accounts with the pending orders); 0: no limit. */
  readonly limitPositions: number;
  /** Only the oldest position of a symbol may be closed. */
  readonly fifoClose: boolean;
  /** Opposite positions of a symbol are refused. */
  readonly hedgeProhibited: boolean;
  /** Points by which market orders, stops and stop outs fill worse than the quote; 0 when omitted. */
  readonly slippagePoints?: number;
}

/** All a simulated broker is made of. */
export interface SimulatorOptions {
  readonly feed: FeedOptions;
  /** Market seconds in a second of the clock; 0 runs a feed through as fast as it can be read. */
  readonly speed: number;
  /** `market`: sessions, weekends and holidays; `always`: every symbol trades at every hour, for demonstrations. */
  readonly hours: 'market' | 'always';
  readonly account: AccountOptions;
  /** IANA zone of the server's clock. */
  readonly serverTimeZone: string;
  readonly symbols: readonly SymbolSpec[];
  /** Keeps account, orders, positions and history over restarts. */
  readonly stateFile?: string;
  /** Rows of each history, deals and done orders, that stay in memory if the simulator has a disk for older ones. */
  readonly historyRows?: number;
  /** How often the market is moved on while there are no calls, in milliseconds; results do not depend on it. */
  readonly pumpMs: number;
  /** What the broker's lists and sends have of their own, set at the start of each session; absent: nothing. */
  readonly habits?: HabitChoice;
}

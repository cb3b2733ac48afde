import type { Fill, PendingOrder, Position, Reject } from '@libs/strategy';
import type { RoundTrip } from '../backtest/round-trip';

export type { RoundTrip } from '../backtest/round-trip';

/**
 * A one-minute bar of bid prices: open, high, low and close, or an object of them. A bar without a `time` follows the bar before
 * it by one minute.
 */
export type TestBar =
  | readonly [open: number, high: number, low: number, close: number]
  | {
      /** Its open, ISO-8601, UTC without an offset: `2024-01-08T10:00`. */
      readonly time?: string;
      readonly open: number;
      readonly high: number;
      readonly low: number;
      readonly close: number;
    };

/** What a strategy is run with. Either `bars` or `files` is needed. */
export interface TestOptions {
  /** Bars of the only symbol, or the bars of each symbol by its name. */
  readonly bars?: readonly TestBar[] | Readonly<Record<string, readonly TestBar[]>>;
  /** Price files, as `daemon backtest --data` takes them: paths from the working directory, or file URLs. */
  readonly files?: readonly (string | URL)[];
  /** Symbol of the stream `main`; EURUSD when omitted. */
  readonly symbol?: string;
  /** Timeframe of the stream `main`; M1 when omitted. */
  readonly timeframe?: string;
  /** In place of `symbol` and `timeframe`: streams by their alias, such as `{ fast: 'EURUSD@M5', slow: 'EURUSD@H1' }`. */
  readonly streams?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Allotted money, in the account's currency; 10000 when omitted. */
  readonly capital?: number;
  /** Time of the first bar that has none, ISO-8601, UTC without an offset; 2024-01-08T00:00 when omitted. */
  readonly start?: string;
  /** Points between bid and ask; when omitted, 0 for `bars` and the recorded asks for `files`. */
  readonly spread?: number;
  /** Money for each lot of each deal; that of the symbol when omitted. */
  readonly commission?: number;
  /** Points by which market orders, stops and stop outs fill worse than the quote; 0 when omitted. */
  readonly slippage?: number;
  /** Market time from a decision to the broker, in milliseconds; 0 when omitted. */
  readonly latencyMs?: number;
  /** What the strategy kept before the run, in the form of this version: as after a restart. When omitted, nothing. */
  readonly state?: { readonly version: number; readonly value: unknown };
  /** Settings of the simulated broker by their names, such as `{ SIM_LEVERAGE: '30' }`. */
  readonly broker?: Readonly<Record<string, string>>;
}

/** A line of the strategy's log. */
export interface LogLine {
  /** Market time of the event, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** What came of a run. Money is in the account's currency. */
export interface TestRun {
  /** Every execution, in order. */
  readonly fills: readonly Fill[];
  /** Every intent that came to nothing, in order. */
  readonly rejects: readonly Reject[];
  readonly logs: readonly LogLine[];
  /** Closed positions, in the order in which they were closed. */
  readonly trades: readonly RoundTrip[];
  /** Positions that are open at the end. */
  readonly positions: readonly Position[];
  /** Orders that are pending at the end. */
  readonly orders: readonly PendingOrder[];
  /** `trade.state` at the end; null if the strategy declares no state. */
  readonly state: unknown;
  /** Capital with realized and floating results at the end. */
  readonly equity: number;
  /** Result of all deals, with commission, swap and fee. */
  readonly netProfit: number;
  /** Closed bars that the strategy received after its warm-up. */
  readonly bars: number;
}

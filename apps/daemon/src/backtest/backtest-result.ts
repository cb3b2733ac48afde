import type { LimitFill } from '@libs/simulator';
import type { Fill, PendingOrder, Position, Reject, Side } from '@libs/strategy';
import type { StateText } from '../core/records';
import type { LogEntry } from '../strategies/worker/messages';
import type { BarsByStream } from '../strategies/worker/warmup';
import type { PositionCosts } from './backtest-market';
import type { Assumptions } from './broker-terms';
import type { EquityPoint } from './equity-curve';
import type { RecordedPrices } from './recorded-prices';
import type { Intent } from '../core/strategy-event';

/** A bar of the stream with the shortest timeframe. */
export type BarPoint = readonly [timeMs: number, open: number, high: number, low: number, close: number];

/** The bars of a symbol, by their opens in UTC milliseconds. */
export interface BarOpens {
  readonly symbol: string;
  readonly timeframe: string;
  readonly timesMs: ArrayLike<number>;
  /** The bars as rows of numbers; omitted for the symbol whose bars are the `prices` of the result. */
  readonly bars?: Float64Array;
}

/** What a strategy wrote to its log, and the market time of the event that it handled. */
export interface TimedLog extends LogEntry {
  /** UTC milliseconds. */
  readonly timeMs: number;
  /** The same on the broker's clock. */
  readonly serverMs: number;
}

/** What a handler threw, and when on the market's clock, in UTC milliseconds. */
export interface ThrownError {
  readonly timeMs: number;
  /** With the lines of the strategy's own file. */
  readonly error: string;
}

export interface BacktestResult {
  /** The version its file states, and its parameters with the defaults. */
  readonly version: number;
  readonly params: Readonly<Record<string, unknown>>;
  /** Bars that the history of each stream began with, and of these the newest, for which handlers were called. */
  readonly pastBars: BarsByStream;
  readonly warmupBars: BarsByStream;
  readonly assumptions: Assumptions;
  /** What was accepted of faulty prices, by symbol. */
  readonly faults: RecordedPrices['faults'];
  /** What a limit order or a target needed inside a bar; null where all prices are ticks. */
  readonly limitFill: LimitFill | null;
  /** First and last instant of the market that was traded, in UTC milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly fills: readonly Fill[];
  /** Value of half the spread at each fill, by deal. */
  readonly spreads: ReadonlyMap<number, number>;
  readonly costs: ReadonlyMap<number, PositionCosts>;
  readonly rejects: readonly TimedReject[];
  /** What is open and what is pending at the end. */
  readonly positions: readonly Position[];
  readonly orders: readonly PendingOrder[];
  readonly logs: readonly TimedLog[];
  readonly equity: readonly EquityPoint[];
  readonly prices: readonly BarPoint[];
  /** When the bars of each symbol opened, of its stream with the shortest timeframe. */
  readonly opens: readonly BarOpens[];
  /** `equity` and `prices` as rows of numbers, one after the other; omitted where they were made otherwise. */
  readonly rows?: { readonly equity: Float64Array; readonly prices: Float64Array } | undefined;
  readonly bars: number;
  readonly realized: number;
  /** Floating result of what is open at the end. */
  readonly unrealized: number;
  /** The account's balance at the end: capital and everything realized. */
  readonly balance: number;
  readonly currency: string;
  readonly leverage: number;
  /** Why it was halted at the end; null when it was not. */
  readonly haltReason: string | null;
  /** What the strategy keeps under `trade.state` at the end; null if it declares no state. */
  readonly state: StateText | null;
}

/** A reject in a backtest, with its time on the market's clock, in UTC milliseconds. */
export interface TimedReject extends Reject {
  readonly timeMs: number;
  /** The entry that had no effect, by the alias of its stream; null for a layer of a stack, and for anything but an entry. */
  readonly entry: { readonly stream: string; readonly side: Side } | null;
}

/** @param current the intent that is carried out now; null if none is */
export function timedReject(reject: Reject, timeMs: number, current: Intent | null): TimedReject {
  const { intentId, kind, reason, retcode } = reject;
  const isEntry = current !== null && current.id === intentId && current.action === 'enter';
  const entry = isEntry ? { stream: current.stream, side: current.side } : null;
  return { intentId, kind, reason, retcode, timeMs, entry };
}

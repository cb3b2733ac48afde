import type { BarRecord } from '@libs/gateway-client';
import type { Bar, Stream } from '@libs/strategy';
import type { BarEvent, Age } from '../core/strategy-event';

/** A closed bar; it no longer changes. */
export interface ClosedBar {
  /** The bar's open, in milliseconds since the epoch: UTC, or the broker's own clock while its offset is unknown. */
  readonly timeMs: number;
  /**
   * The bar's open on the broker's clock. It alone orders and identifies bars: `timeMs` jumps by hours at the
   * moment the broker's offset becomes known, or changes with the season.
   */
  readonly serverMs: number;
  /** When the next bar opened on the broker's clock: this one is known to have closed from then on. */
  readonly closedMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tickVolume: number;
  /** How late a live strategy received it, in milliseconds: of a bar that a backtest replays; omitted: not at all. */
  readonly lateMs?: number;
}

/** The closed bars of an answer, ascending: all but the last, which is still forming. */
export function closedBars(rows: readonly BarRecord[]): ClosedBar[] {
  return rows.slice(0, -1).map((row, index) => ({
    timeMs: barTimeMs(row.time),
    serverMs: row.time_server * 1_000,
    closedMs: (rows[index + 1] ?? row).time_server * 1_000,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    tickVolume: row.tick_volume,
  }));
}

/** A bar's open in milliseconds. A time without a zone is server time of an unknown offset. */
function barTimeMs(time: string): number {
  const timeMs = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
  if (Number.isNaN(timeMs)) throw new Error(`invalid bar time: ${time}`);
  return timeMs;
}

/** What is wrong when a stream has less of a past than its strategy needs. */
export function tooFewBars({ alias, broker, symbol, timeframe }: Stream, needed: number, had: number): string {
  return `${alias} needs ${needed} past bars; ${broker} has ${had} of ${symbol}@${timeframe}`;
}

/** A closed bar as an event of a strategy's stream. */
export function barEvent({ alias, symbol, timeframe }: Stream, bar: ClosedBar, warmingUp: boolean): BarEvent {
  const { timeMs, serverMs, closedMs, open, high, low, close, tickVolume, lateMs = 0 } = bar;
  const passed: Bar = { stream: alias, symbol, timeframe, timeMs, open, high, low, close, tickVolume, lateMs };
  return { type: 'bar', warmingUp, serverMs, closedMs, onArrival: null, bar: passed };
}

/** Lateness of a bar. */
export interface Lateness {
  /** Market time since the bar closed, in milliseconds; 0 while it is on time. */
  readonly lateMs: number;
  /** Whether the bar is too old to enter on: older than one bar of its timeframe. */
  readonly isStale: boolean;
}

export const onTime: Lateness = { lateMs: 0, isStale: false };

/** A bar that is handed on within this time of its close is on time. */
const promptMs = 10_000;
/**
 * Shorter bars come from a replay that is so fast that the daemon is always some bars behind. For them, only the age on arrival
 * counts: a bar in the daemon's queue waits for the daemon and not for a gateway.
 */
const shortestBarMs = 500;

/**
 * Lateness of a bar. A bar closes when the next bar opens, so a weekend makes no bar late.
 * @param age how long ago it closed
 * @param onArrival how long ago it had closed when the gateway gave it
 * @param barMs length of the bar in market time
 */
export function latenessOf(age: Age, onArrival: Age, barMs: number): Lateness {
  const isFast = barMs / age.speed < shortestBarMs;
  const { marketMs, realMs } = isFast ? onArrival : age;
  const isPrompt = realMs <= promptMs;
  const isStale = marketMs > barMs && !(isFast && isPrompt);
  return isPrompt && !isStale ? onTime : { lateMs: Math.round(marketMs), isStale };
}

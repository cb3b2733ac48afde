import type { Bar, Stream } from '@libs/strategy';
import type { ClosedBar } from '../market-data/closed-bar';
import type { BarEvent } from '../core/strategy-event';

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

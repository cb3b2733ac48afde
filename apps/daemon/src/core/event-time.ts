import type { Bar } from '@libs/strategy';
import type { StrategyEvent } from './strategy-event';

/** Market time of an event, as `trade.timeMs` shows it: the close of a bar; null for an event without a time of its own. */
export function eventTimeMs(event: StrategyEvent): number | null {
  switch (event.type) {
    case 'bar':
      return closeMs(event.bar);
    case 'tick':
      return event.tick.timeMs;
    case 'fill':
      return event.fill.timeMs;
    case 'reject':
    case 'gone':
      return null;
  }
}

/** The same time of a bar or a tick on the broker's clock, in milliseconds; null for any other event. */
export function eventServerMs(event: StrategyEvent): number | null {
  switch (event.type) {
    case 'bar':
      return event.serverMs + closeMs(event.bar) - event.bar.timeMs;
    case 'tick':
      return event.serverMs;
    case 'fill':
    case 'reject':
    case 'gone':
      return null;
  }
}

/**
 * A line that a strategy wrote, with the time of its market: `[broker 2024-01-03 00:05:00] text`.
 * @param serverMs on the broker's clock, which is known also while its zone is not; null: the line has no time
 */
export function withBrokerTime(serverMs: number | null, text: string): string {
  if (serverMs === null) return text;
  return `[broker ${new Date(serverMs).toISOString().slice(0, 19).replace('T', ' ')}] ${text}`;
}

/** A bar is known when it has closed. Months differ: no later than the shortest, so that time never runs ahead. */
function closeMs({ timeMs, timeframe }: Bar): number {
  return timeMs + (timeframeMs(timeframe) ?? 28 * 86_400_000);
}

const unitMs: Readonly<Record<string, number>> = { M: 60_000, H: 3_600_000, D: 86_400_000, W: 604_800_000 };

/** The timeframe that was read last: it is asked for with each bar, and mostly there is one. */
let known: { readonly timeframe: string; readonly lengthMs: number | null } = { timeframe: '', lengthMs: null };

/** Length of a timeframe's bars in milliseconds; null for months (MN1), which differ. */
export function timeframeMs(timeframe: string): number | null {
  if (known.timeframe !== timeframe) known = { timeframe, lengthMs: readTimeframeMs(timeframe) };
  return known.lengthMs;
}

function readTimeframeMs(timeframe: string): number | null {
  const unit = unitMs[timeframe.charAt(0)];
  const count = timeframe.slice(1);
  return unit !== undefined && /^[1-9]\d*$/.test(count) ? unit * Number(count) : null;
}

/**
 * The instant at which the bar that opens at an instant closes, whether or not there is a price then; both in
 * milliseconds on the clock by which the bars are cut.
 */
export function closeOf(openMs: number, timeframe: string): number {
  const lengthMs = timeframeMs(timeframe);
  if (lengthMs !== null) return openMs + lengthMs;
  const open = new Date(openMs);
  return Date.UTC(open.getUTCFullYear(), open.getUTCMonth() + 1, 1);
}

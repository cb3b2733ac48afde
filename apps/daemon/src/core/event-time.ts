import type { Bar } from '@libs/strategy';
import type { StrategyEvent } from './strategy-event';
import { timeframeMs } from './timeframe';

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

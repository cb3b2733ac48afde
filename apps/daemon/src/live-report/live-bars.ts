import type { GatewayReads } from '@libs/gateway-client';
import { timeframeMs } from '../core/event-time';
import { UnknownZoneError } from './live-position';
import type { Span } from './live-trade';

/** A bar of the gateway. Its prices are bids; `spread` is in price. */
export interface LiveBar {
  /** When it opened, in UTC milliseconds. */
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly spread: number;
}

const dayMs = 86_400_000;
/** Bars of one request. */
const pageBars = 5_000;
/** A gateway reads at most a month in one request. */
const longestPageMs = 30 * dayMs;

/** The bars that a period is drawn with: the shorter it is, the finer. */
export function timeframeFor({ fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>): string {
  const days = (toMs - fromMs) / dayMs;
  if (days <= 7) return 'M1';
  return days <= 62 ? 'M5' : 'H1';
}

/** How long a span one request reads the bars of, in milliseconds. */
export function pageMsOf(timeframe: string): number {
  return Math.min(pageBars * (timeframeMs(timeframe) ?? longestPageMs), longestPageMs);
}

/** Length of a bar of {@link timeframeFor}, in milliseconds. */
export function barLengthMs(timeframe: string): number {
  const lengthMs = timeframeMs(timeframe);
  if (lengthMs === null) throw new Error(`bars of ${timeframe} have no fixed length`);
  return lengthMs;
}

/**
 * The bars of a symbol that open from an instant to before another, ascending.
 * @param point of the symbol, in price
 * @throws GatewayReadError, UnknownZoneError
 */
export async function readLiveBars(
  reads: GatewayReads,
  { symbol, timeframe, point }: { readonly symbol: string; readonly timeframe: string; readonly point: number },
  { fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>,
): Promise<readonly LiveBar[]> {
  const lengthMs = barLengthMs(timeframe);
  const pageMs = pageMsOf(timeframe);
  const bars: LiveBar[] = [];
  for (let at = Math.floor(fromMs / lengthMs) * lengthMs; at < toMs; at += pageMs) {
    // Both ends of a gateway's span are inside.
    const until = new Date(Math.min(at + pageMs, toMs) - 1);
    for (const { time, open, high, low, close, spread } of await reads.fetchDataRange(
      symbol,
      timeframe,
      new Date(at),
      until,
    )) {
      if (!time.endsWith('Z')) {
        throw new UnknownZoneError(
          `the gateway does not know the zone of the broker's clock, so the times of the bars of ${symbol} are not known: set TERMINAL_SERVER_TIME_ZONE for it`,
        );
      }
      bars.push({ openMs: Date.parse(time), open, high, low, close, spread: spread * point });
    }
  }
  return bars;
}

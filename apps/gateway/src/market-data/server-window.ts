import type { ServerTime } from '../server-time/server-time';
import { longestClockChangeMs } from '../server-time/server-zone';
import type { UtcSpan } from './utc-span';

/** The part of the server's clock that contains a UTC span, both ends inclusive, in server milliseconds. */
export interface ServerWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** Time basis of the rows in the answer. */
  readonly basis: 'utc' | 'server';
}

/**
 * Maps a span to the server's clock. If that clock is set back near an end of the span, the window is wider than the
 * span, and rows must be selected by their own instants. A span of the server's clock is taken as it is, and so is any while no
 * offset is known, as the answer states.
 */
export function serverWindow(serverTime: Pick<ServerTime, 'toServerMs'>, span: UtcSpan): ServerWindow {
  if (span.clock === 'server') return { fromMs: span.fromMs, toMs: span.toMs, basis: 'server' };
  const from = serverTime.toServerMs(span.fromMs);
  const to = serverTime.toServerMs(span.toMs);
  if (from === null || to === null) return { fromMs: span.fromMs, toMs: span.toMs, basis: 'server' };
  const offsetMs = (utcMs: number): number => (serverTime.toServerMs(utcMs) ?? utcMs) - utcMs;
  const changesAfterStart = offsetMs(span.fromMs) !== offsetMs(span.fromMs + longestClockChangeMs);
  const changesBeforeEnd = offsetMs(span.toMs) !== offsetMs(span.toMs - longestClockChangeMs);
  return {
    fromMs: changesAfterStart ? from - longestClockChangeMs : from,
    toMs: changesBeforeEnd ? to + longestClockChangeMs : to,
    basis: 'utc',
  };
}

/** Converts a time of the terminal to the window's basis, in milliseconds. */
export function instantOf(serverTime: ServerTime, basis: 'utc' | 'server', serverMs: number): number {
  return basis === 'utc' ? (serverTime.toUtcMs(serverMs) ?? serverMs) : serverMs;
}

import type { ServerTime } from '../server-time/server-time';
import type { UtcSpan } from './utc-span';

/** Longer than any change of a server's clock. */
const longestChangeMs = 3 * 3_600_000;

/** The part of the server's clock that holds a span of UTC, both ends inside, in server milliseconds. */
export interface ServerWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** What the rows of the window are stamped with when they are answered. */
  readonly basis: 'utc' | 'server';
}

/**
 * Where to look for a span on the server's clock. When that clock is set back near an end of the span, the window is
 * wider than the span, and rows have to be told apart by their own instants. While no offset is known, the span is read
 * on the server's clock itself, as the answer will say.
 */
export function serverWindow(serverTime: Pick<ServerTime, 'toServerMs'>, span: UtcSpan): ServerWindow {
  const from = serverTime.toServerMs(span.fromMs);
  const to = serverTime.toServerMs(span.toMs);
  if (from === null || to === null) return { ...span, basis: 'server' };
  const offsetMs = (utcMs: number): number => (serverTime.toServerMs(utcMs) ?? utcMs) - utcMs;
  const changesAfterStart = offsetMs(span.fromMs) !== offsetMs(span.fromMs + longestChangeMs);
  const changesBeforeEnd = offsetMs(span.toMs) !== offsetMs(span.toMs - longestChangeMs);
  return {
    fromMs: changesAfterStart ? from - longestChangeMs : from,
    toMs: changesBeforeEnd ? to + longestChangeMs : to,
    basis: 'utc',
  };
}

/** One of the terminal's times as an instant of a window's basis, in milliseconds. */
export function instantOf(serverTime: ServerTime, basis: 'utc' | 'server', serverMs: number): number {
  return basis === 'utc' ? (serverTime.toUtcMs(serverMs) ?? serverMs) : serverMs;
}

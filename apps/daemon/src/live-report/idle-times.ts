import type { HaltRecord } from '../core/records';

/** A time in which a strategy made no entries. */
export interface IdleTime {
  /** UTC milliseconds. */
  readonly fromMs: number;
  /** Exclusive; Infinity while it lasts. */
  readonly toMs: number;
  readonly reason: string;
}

const dayMs = 86_400_000;

/** The time of a halt that no operator ends: a daily one ends with the day, in UTC. */
export function haltedTime({ kind, reason, atMs: fromMs }: Pick<HaltRecord, 'kind' | 'reason' | 'atMs'>): IdleTime {
  const toMs = kind === 'daily' ? (Math.floor(fromMs / dayMs) + 1) * dayMs : Infinity;
  return { fromMs, toMs, reason };
}

/** The time that an instant lies in; undefined if it lies in none. */
export function idleAt(times: readonly IdleTime[], timeMs: number): IdleTime | undefined {
  return times.find(({ fromMs, toMs }) => timeMs >= fromMs && timeMs < toMs);
}

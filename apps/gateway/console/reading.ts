/** What was last read from one route, and what became of the newest attempt. */
export interface Reading<T> {
  /** Null until the first success. */
  readonly value: T | null;
  /** Monotonic milliseconds at which the read that gave `value` was sent; the value is at most this old. */
  readonly readAtMs: number | null;
  /** Why the newest attempt failed; null if it succeeded. */
  readonly error: string | null;
}

/** Whether a value may be shown as current: `stale` after a failed read, or when it is too old. */
export type Standing = 'none' | 'current' | 'stale';

export const nothingRead = { value: null, readAtMs: null, error: null } as const;

/** @param maxAgeMs the age from which a value is not current any more, in milliseconds */
export function standingOf({ value, readAtMs, error }: Reading<unknown>, nowMs: number, maxAgeMs: number): Standing {
  if (value === null || readAtMs === null) return 'none';
  return error === null && nowMs - readAtMs <= maxAgeMs ? 'current' : 'stale';
}

const longestFailedPauseMs = 5_000;

/** The pause before the next read, in milliseconds. It is short after a failed one: an outage that has ended is not shown for long. */
export function pauseAfter({ error }: Reading<unknown>, everyMs: number): number {
  return error === null ? everyMs : Math.min(everyMs, longestFailedPauseMs);
}

/** The age of a reading in words; null until something was read. */
export function ageOf({ readAtMs }: Reading<unknown>, nowMs: number): string | null {
  return readAtMs === null ? null : `${durationText(nowMs - readAtMs)} ago`;
}

/** A duration in its largest unit, rounded down. @param ms milliseconds; a negative one counts as 0 */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

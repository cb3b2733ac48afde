/** What is remembered of one watched state. Times are UTC milliseconds. */
export interface WatchMemory {
  /** The state as last reported. */
  readonly reported: boolean;
  /** The state as last seen, and since when. */
  readonly holds: boolean;
  readonly sinceMs: number;
  /** Changes since the last message. */
  readonly changes: number;
  /** Times of the messages of the last hour. */
  readonly sentAtMs: readonly number[];
  /** A message was due while the limit was reached. */
  readonly isOwed: boolean;
}

export interface WatchLimits {
  readonly forMs: number;
  readonly maxPerHour: number;
}

/** A change to report. */
export interface WatchNotice {
  readonly state: 'raised' | 'resolved';
  /** Since when the state holds, or does not hold. */
  readonly sinceMs: number;
  /** Changes since the last message; 1 if there was only this one. */
  readonly changes: number;
}

const hourMs = 3_600_000;

/** The memory of a state that was never seen. */
export function unwatched(nowMs: number): WatchMemory {
  return { reported: false, holds: false, sinceMs: nowMs, changes: 0, sentAtMs: [], isOwed: false };
}

/**
 * Takes one look at a state. A change is reported once it has lasted; at the limit of messages, changes are counted, and
 * reported together when the limit allows.
 */
export function watchStep(
  before: WatchMemory,
  holds: boolean,
  nowMs: number,
  { forMs, maxPerHour }: WatchLimits,
): { readonly memory: WatchMemory; readonly notice: WatchNotice | null } {
  const isChange = holds !== before.holds;
  // A wall clock that was set back must not delay a message.
  const sinceMs = isChange ? nowMs : Math.min(before.sinceMs, nowMs);
  const changes = before.changes + (isChange ? 1 : 0);
  const sentAtMs = before.sentAtMs.filter((atMs) => atMs > nowMs - hourMs && atMs <= nowMs);
  const memory = { reported: before.reported, holds, sinceMs, changes, sentAtMs, isOwed: before.isOwed };
  const isSettled = nowMs - sinceMs >= forMs;
  if (!isSettled || (holds === before.reported && !before.isOwed)) return { memory, notice: null };
  if (sentAtMs.length >= maxPerHour) return { memory: { ...memory, isOwed: true }, notice: null };
  return {
    memory: { ...memory, reported: holds, changes: 0, sentAtMs: [...sentAtMs, nowMs], isOwed: false },
    notice: { state: holds ? 'raised' : 'resolved', sinceMs, changes },
  };
}

/** Whether nothing has to be remembered any more. */
export function isForgettable({ reported, holds, isOwed }: WatchMemory): boolean {
  return !reported && !holds && !isOwed;
}

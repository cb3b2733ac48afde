import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import type { Clock } from '@libs/clock';

/** Now, by two clocks. */
export interface Moment {
  /** The wall clock, in milliseconds since the epoch. It jumps when someone sets it. */
  readonly nowMs: number;
  /** Identifies the start of the machine that {@link upMs} counts from. */
  readonly boot: string;
  /** Milliseconds since that start. Nobody can set this clock, and a restart of the server does not stop it. */
  readonly upMs: number;
}

/** A moment that a later process measures from. */
export interface Mark {
  readonly boot: string;
  readonly upMs: number;
  /** Milliseconds that had passed already, as measured in earlier boots. */
  readonly beforeMs: number;
}

/** Asks the clocks of this machine. */
export function momentsOf(clock: Pick<Clock, 'nowMs'>): () => Moment {
  const boot = bootOf();
  return () => ({ nowMs: clock.nowMs(), boot, upMs: uptime() * 1_000 });
}

function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux: a restart of the machine shows as a clock that is less than before.
    return hostname();
  }
}

export function markOf({ boot, upMs }: Moment, beforeMs = 0): Mark {
  return { boot, upMs, beforeMs };
}

/** Milliseconds since a mark, or less: how long a machine was off, only a clock that can be set knows. */
export function sinceMs(mark: Mark, now: Moment): number {
  return mark.beforeMs + (isSameBoot(mark, now) ? now.upMs - mark.upMs : 0);
}

export function isSameBoot(mark: Mark, now: Moment): boolean {
  return mark.boot === now.boot && now.upMs >= mark.upMs;
}

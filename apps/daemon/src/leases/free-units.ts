import type { Clock } from '@libs/clock';
import type { OpenLease } from '@libs/postgres';

/** How long a host that does not reach a gateway may hold a unit of it before it gives it back. */
const longestAttemptMs = 15_000;

/** Since when units are free. One that a host takes and gives back, because it cannot run there, counts as free all the time. */
export class FreeUnits {
  private units: ReadonlyMap<string, { readonly sinceMs: number; readonly seenMs: number }> = new Map();

  constructor(private readonly clock: Clock) {}

  /** @param open the leases that are free now, or reserved */
  note(open: readonly OpenLease[]): void {
    const nowMs = this.clock.monotonicMs();
    const before = [...this.units].filter(([, { seenMs }]) => nowMs - seenMs < longestAttemptMs);
    const now = open
      .filter(({ isFree }) => isFree)
      .map(({ name }) => [name, { sinceMs: this.units.get(name)?.sinceMs ?? nowMs, seenMs: nowMs }] as const);
    this.units = new Map([...before, ...now]);
  }

  /** For how long a unit has been free, in milliseconds; 0 for one that was not free lately. */
  freeMs(unit: string): number {
    const nowMs = this.clock.monotonicMs();
    return nowMs - (this.units.get(unit)?.sinceMs ?? nowMs);
  }
}

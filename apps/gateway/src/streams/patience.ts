import type { Clock } from '@libs/clock';

/**
 * How long something that does not add up is given to come right: a terminal's lists disagree for a moment whenever a
 * trade passes through them.
 */
export class Patience {
  private readonly since = new Map<string, number>();
  private readonly asked = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
  ) {}

  /** Whether this matter has been open, look after look, for longer than the limit. */
  isOver(matter: string): boolean {
    this.asked.add(matter);
    const nowMs = this.clock.monotonicMs();
    const sinceMs = this.since.get(matter);
    if (sinceMs === undefined) this.since.set(matter, nowMs);
    return sinceMs !== undefined && nowMs - sinceMs >= this.limitMs;
  }

  /** Ends a look: what was not asked about has come right. */
  endLook(): void {
    for (const matter of this.since.keys()) if (!this.asked.has(matter)) this.since.delete(matter);
    this.asked.clear();
  }

  get isWaiting(): boolean {
    return this.since.size > 0;
  }
}

import type { Clock } from '@libs/clock';

/** Grace period for lists that disagree: a terminal's lists are inconsistent for a moment after each trade. */
export class GracePeriod {
  private readonly since = new Map<string, number>();
  private readonly asked = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
  ) {}

  /** Whether this matter has been open in every snapshot for longer than the limit. */
  isOver(matter: string): boolean {
    this.asked.add(matter);
    const nowMs = this.clock.monotonicMs();
    const sinceMs = this.since.get(matter);
    if (sinceMs === undefined) this.since.set(matter, nowMs);
    return sinceMs !== undefined && nowMs - sinceMs >= this.limitMs;
  }

  /**
   * Ends a snapshot: matters that were not reported again are resolved.
   * @param isWhole whether it covered the whole account; another one resolves nothing
   */
  endLook(isWhole: boolean): void {
    if (isWhole) for (const matter of this.since.keys()) if (!this.asked.has(matter)) this.since.delete(matter);
    this.asked.clear();
  }

  get isWaiting(): boolean {
    return this.since.size > 0;
  }
}

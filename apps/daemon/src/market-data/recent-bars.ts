import type { ClosedBar } from './closed-bar';

/** Far more than come while the past is read once, however fast they come. */
const most = 2_000;

/** The last delivered bars, without gaps: a history that was read slowly is joined to them. */
export class RecentBars {
  private readonly bars: ClosedBar[] = [];

  /** @param sinceMs `serverMs` of the last bar before the first one that will be added; null when there was none */
  constructor(private sinceMs: number | null) {}

  /** Of the last bar that was handed on; null before any was. */
  get newestMs(): number | null {
    return this.bars.at(-1)?.serverMs ?? this.sinceMs;
  }

  add(fresh: readonly ClosedBar[]): void {
    this.bars.push(...fresh);
    const over = this.bars.splice(0, Math.max(0, this.bars.length - most));
    this.sinceMs = over.at(-1)?.serverMs ?? this.sinceMs;
  }

  /** The past with what came since; null when the two do not meet. */
  joinedTo(past: readonly ClosedBar[]): readonly ClosedBar[] | null {
    const newestMs = past.at(-1)?.serverMs ?? null;
    if (this.sinceMs !== null && (newestMs === null || newestMs < this.sinceMs)) return null;
    return [...past, ...this.bars.filter(({ serverMs }) => newestMs === null || serverMs > newestMs)];
  }
}

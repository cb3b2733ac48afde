import { isDeepStrictEqual } from 'node:util';
import type { ClosedBar } from './closed-bar';

/** Strategies that start within this share a read, so that many of them do not keep a slow terminal busy. */
const lastsMs = 60_000;

/** The past of a stream that was read last, for the strategies that start soon after. */
export class KeptPast {
  private bars: readonly ClosedBar[] = [];
  /** Largest number of bars that may be asked for, with the forming one. */
  private most = 0;
  private readMs = -Infinity;

  /** @param nowMs of a monotonic clock */
  keep(bars: readonly ClosedBar[], nowMs: number): void {
    this.bars = bars;
    // If fewer were read than asked for, the next one asks again: the terminal may still load its history.
    this.most = bars.length + 1;
    this.readMs = nowMs;
  }

  drop(): void {
    this.bars = [];
    this.most = 0;
  }

  /** The closed bars of a read of `asked` bars, or more; null if they have to be read. */
  read(asked: number, nowMs: number): readonly ClosedBar[] | null {
    this.expire(nowMs);
    return asked <= this.most ? this.bars : null;
  }

  /**
   * Drops the past if it is too old, or if a later read has another version of one of its bars: the broker has rewritten
   * it, or the offset of its clock has changed.
   */
  compare(bars: readonly ClosedBar[], nowMs: number): void {
    this.expire(nowMs);
    if (this.bars.length === 0) return;
    if (!isDeepStrictEqual(common(this.bars, bars), common(bars, this.bars))) this.drop();
  }

  private expire(nowMs: number): void {
    if (nowMs - this.readMs > lastsMs) this.drop();
  }
}

/** Those of `bars` in the time that `others` cover as well. */
function common(bars: readonly ClosedBar[], others: readonly ClosedBar[]): readonly ClosedBar[] {
  const fromMs = others[0]?.serverMs ?? Infinity;
  const untilMs = others.at(-1)?.serverMs ?? -Infinity;
  return bars.filter(({ serverMs }) => serverMs >= fromMs && serverMs <= untilMs);
}

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

import type { Bar } from '@libs/strategy';
import type { BarsByStream } from './warmup';

/** Bars of a stream that are kept in any case, however few it begins with. */
const leastHistory = 1_000;

/** The last closed bars of each stream, in the order they came. */
export class BarHistory {
  private readonly bars = new Map<string, Bar[]>();
  /** Those of the stream that was added to last: mostly there is only one. */
  private newest: { readonly stream: string; readonly bars: Bar[]; readonly depth: number } | null = null;

  /** @param needed how many bars of each stream are to be looked back on */
  constructor(private readonly needed: BarsByStream) {}

  add(bar: Bar): void {
    const { bars, depth } = this.streamOf(bar.stream);
    bars.push(bar);
    // Cut in lumps: shifting at every bar would move the whole array each time.
    if (bars.length > depth + Math.max(leastHistory, depth / 4)) bars.splice(0, bars.length - depth);
  }

  /** The last bars of a stream, ascending, at most `count`. @throws Error when more are asked for than are kept */
  last(stream: string, count: number): readonly Bar[] {
    if (!(count >= 0)) throw new Error(`bars: the count must be a number of bars, not ${String(count)}`);
    const depth = this.depthOf(stream);
    if (count > depth) {
      throw new Error(
        `bars: ${count} bars of ${stream} are requested, but only ${depth} are kept; declare historyBars: ${count}`,
      );
    }
    const bars = this.bars.get(stream) ?? [];
    return bars.slice(Math.max(0, bars.length - count));
  }

  private streamOf(stream: string): NonNullable<BarHistory['newest']> {
    if (this.newest?.stream === stream) return this.newest;
    const bars = this.bars.get(stream) ?? [];
    this.bars.set(stream, bars);
    return (this.newest = { stream, bars, depth: this.depthOf(stream) });
  }

  private depthOf(stream: string): number {
    return Math.max(leastHistory, this.needed[stream] ?? 0);
  }
}

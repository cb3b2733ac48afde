import type { Bar } from '@libs/strategy';

/** The last closed bars of each stream, in the order they came. */
export class BarHistory {
  private readonly bars = new Map<string, Bar[]>();

  /** @param depth how many bars of each stream can be looked back on */
  constructor(private readonly depth: number) {}

  add(bar: Bar): void {
    const bars = this.bars.get(bar.stream) ?? [];
    this.bars.set(bar.stream, bars);
    bars.push(bar);
    // Cut in lumps: shifting at every bar would move the whole array each time.
    if (bars.length > this.depth * 2) bars.splice(0, bars.length - this.depth);
  }

  /** The last bars of a stream, ascending, at most `count`. */
  last(stream: string, count: number): readonly Bar[] {
    const bars = this.bars.get(stream) ?? [];
    return bars.slice(Math.max(0, bars.length - Math.min(count, this.depth)));
  }
}

import type { Bar, Stream } from '@libs/strategy';
import { barNumbers, barOf, type BarNumbers } from '../../strategies/worker/bar-numbers';

/** Most bars that are kept, of some 200 bytes each: a year of minutes. Those after them are made anew for each run. */
const mostKept = 400_000;

const noStream: Stream = { alias: '', broker: '', symbol: '', timeframe: '' };
const membersOfBar = Object.keys(barOf(new Float64Array(barNumbers), 0, noStream)).length;

/**
 * The bars of a stream as strategies receive them, kept from one run to the next. Each run would make the same ones, and a
 * strategy keeps enough of them for V8 to take them all for long-lived: they would fill the old space in three runs.
 */
export class KeptBars {
  private readonly kept: (Bar | undefined)[];
  /** Indexes of the bars that a run has received. */
  private from = 0;
  private until = 0;

  constructor(
    private readonly stream: Stream,
    readonly numbers: BarNumbers,
  ) {
    this.kept = new Array<Bar | undefined>(Math.min(mostKept, numbers.length / barNumbers));
  }

  areOf({ alias, symbol, timeframe }: Stream, numbers: BarNumbers): boolean {
    const { stream } = this;
    const isSame = stream.alias === alias && stream.symbol === symbol && stream.timeframe === timeframe;
    return isSame && this.numbers === numbers;
  }

  /** Begins a run: a bar that a strategy has changed in the run before is made anew. */
  begin(): void {
    const { kept, from, until, numbers, stream } = this;
    for (let index = from; index < until; index++) {
      const bar = kept[index];
      const first = index * barNumbers;
      if (bar !== undefined && !isUnchanged(bar, numbers, first, stream)) kept[index] = barOf(numbers, first, stream);
    }
    [this.from, this.until] = [0, 0];
  }

  /** A bar, in the order of their indexes. */
  at(index: number): Bar {
    const { kept, numbers, stream } = this;
    if (this.until === 0) this.from = index;
    this.until = index + 1;
    const known = kept[index];
    if (known !== undefined) return known;
    const bar = barOf(numbers, index * barNumbers, stream);
    if (index < mostKept) kept[index] = bar;
    return bar;
  }
}

/** Whether a bar is as {@link barOf} makes it. */
function isUnchanged(bar: Bar, numbers: BarNumbers, first: number, stream: Stream): boolean {
  let members = 0;
  for (const _ in bar) members++;
  return (
    members === membersOfBar &&
    bar.close === numbers[first + 6] &&
    bar.open === numbers[first + 3] &&
    bar.high === numbers[first + 4] &&
    bar.low === numbers[first + 5] &&
    bar.timeMs === numbers[first] &&
    bar.tickVolume === numbers[first + 7] &&
    bar.lateMs === 0 &&
    bar.stream === stream.alias &&
    bar.symbol === stream.symbol &&
    bar.timeframe === stream.timeframe
  );
}

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

  /** A bar, for the first time in a run: one that the strategy has changed in a run before is made anew. */
  at(index: number): Bar {
    const { kept, numbers, stream } = this;
    const known = kept[index];
    const first = index * barNumbers;
    if (known !== undefined && isUnchanged(known, numbers, first, stream)) return known;
    const bar = barOf(numbers, first, stream);
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

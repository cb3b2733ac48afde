import { money } from './markup';
import type { PageTrade } from './page-data';
import { Plot, roundValues } from './plot';

const size = [1_000, 260] as const;
/** Bars of a distribution, about. */
const bars = 24;

/** Trades by their result, in parts of equal width. Their bounds are round numbers, 0 among them. */
export interface ResultBin {
  readonly from: number;
  readonly to: number;
  readonly trades: number;
}

/** The distribution of results. Empty for none. */
export function resultBins(results: readonly number[]): readonly ResultBin[] {
  if (results.length === 0) return [];
  const [low, high] = results.reduce(
    ([least, most], result) => [Math.min(least, result), Math.max(most, result)],
    [0, 0],
  );
  const width = roundWidth((high - low) / bars || 1);
  const first = Math.floor(low / width);
  const counts = new Map<number, number>();
  for (const result of results) {
    const at = Math.floor(result / width);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return Array.from({ length: Math.floor(high / width) - first + 1 }, (_, index) => {
    const at = first + index;
    return { from: at * width, to: (at + 1) * width, trades: counts.get(at) ?? 0 };
  });
}

function roundWidth(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return (([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power * 1e9) / 1e9;
}

/** The distribution as a picture. */
export function resultPlot(trades: readonly PageTrade[], digits: number): string {
  const bins = resultBins(trades.map(({ result }) => result));
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return '';
  const most = Math.max(...bins.map((bin) => bin.trades));
  const plot = new Plot(...size, first.from, last.to, 0, most * 1.06);
  const rects = bins.map(({ from, to, trades: count }) => {
    const [left, right, top] = [plot.x(from) + 1, plot.x(to) - 1, plot.y(count)];
    const name = to <= 0 ? 'lost' : 'won';
    return (
      `<rect class="${name}" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${(right - left).toFixed(1)}" height="${(plot.height - top).toFixed(1)}">` +
      `<title>${money(from, digits)} to ${money(to, digits)}: ${count}</title></rect>`
    );
  });
  return plot.framed(
    'Number of trades by result',
    rects.join(''),
    (value) => (Number.isInteger(value) ? String(value) : ''),
    (value) => money(value).replace(/\.00$/, ''),
    roundValues(first.from, last.to),
  );
}

/** How far each trade was against and for its position, in percent of its entry. Empty where it is not known. */
export function excursionPlot(trades: readonly PageTrade[]): string {
  const known = trades.flatMap(({ entry, mae, mfe, result }) =>
    mae === null || mfe === null || entry <= 0
      ? []
      : [{ against: (mae / entry) * 100, for: (mfe / entry) * 100, result }],
  );
  if (known.length === 0) return '';
  const far = known.reduce((most, { against }) => Math.max(most, against), 0) * 1.04 || 1;
  const high = known.reduce((most, each) => Math.max(most, each.for), 0) * 1.06 || 1;
  const plot = new Plot(...size, 0, far, 0, high);
  const points = (isWon: boolean): readonly (readonly [number, number])[] =>
    known.filter(({ result }) => result >= 0 === isWon).map((each) => [each.against, each.for]);
  const equal = Math.min(far, high);
  return plot.framed(
    'Against the position and for it, in percent of the entry, of each trade',
    `${plot.line(
      [
        [0, 0],
        [equal, equal],
      ],
      'equal',
    )}${plot.dots(points(false), 'lost')}${plot.dots(points(true), 'won')}`,
    (value) => `${value} %`,
    (value) => `${value} %`,
    roundValues(0, far),
  );
}

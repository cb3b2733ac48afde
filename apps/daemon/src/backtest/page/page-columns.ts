import type { BacktestColumns, BacktestReport } from '../report';
import type { PageData } from './page-data';

/** More than any screen has pixels; beyond it bars are joined and points left out, so that a page of years still opens. */
const most = 20_000;

/** The columns of a run as its page carries them. */
export function pageColumns({ trades }: BacktestReport, { equity, prices }: BacktestColumns): PageData {
  const startMs = Math.min(prices[0]?.[0] ?? Infinity, equity[0]?.[0] ?? Infinity);
  const seconds = (timeMs: number): number => Math.round((timeMs - startMs) / 1_000);
  return {
    startMs: Number.isFinite(startMs) ? startMs : 0,
    digits: digitsOf(prices.slice(-100).flatMap((bar) => bar.slice(1))),
    bars: grouped(prices).map((group) => {
      const [first, last] = [group[0], group.at(-1)];
      const high = Math.max(...group.map((bar) => bar[2]));
      const low = Math.min(...group.map((bar) => bar[3]));
      return [seconds(first?.[0] ?? startMs), first?.[1] ?? 0, high, low, last?.[4] ?? 0];
    }),
    equity: grouped(equity).flatMap((group) =>
      extremes(group).map(([timeMs, value]) => [seconds(timeMs), value] as const),
    ),
    trades: trades.map(({ side, openedMs, closedMs, entryPrice, exitPrice, realized }) => ({
      ...{ side, entry: entryPrice, exit: exitPrice, realized },
      ...{ opened: seconds(openedMs), closed: seconds(closedMs) },
    })),
  };
}

function grouped<Point>(points: readonly Point[]): Point[][] {
  const size = Math.max(1, Math.ceil(points.length / most));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size),
  );
}

/** Lowest and highest of a group in their order: a drawdown has to be seen at any scale. */
function extremes(group: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  if (group.length < 3) return group;
  const byValue = [...group].sort((a, b) => a[1] - b[1]);
  return [byValue[0], byValue.at(-1)].flatMap((point) => (point ? [point] : [])).sort((a, b) => a[0] - b[0]);
}

/** Digits behind the point that the prices use. */
function digitsOf(prices: readonly number[]): number {
  return prices.reduce((most, price) => Math.max(most, String(price).split('.')[1]?.length ?? 0), 0);
}

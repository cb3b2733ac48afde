import type { Recording } from '@libs/simulator';
import { openGaps } from '../backtest/gaps';
import { timeframeMs } from '../core/event-time';
import { isOnWeekend } from '../backtest/market-week';

type BarRecording = Extract<Recording, { readonly kind: 'bars' }>;
type TickRecording = Extract<Recording, { readonly kind: 'ticks' }>;

/** From where on prices are doubtful. */
export interface DoubtLevels {
  /**
   * Percent by which a price leaves those before and after it; null for 1, times the root of the minutes of a bar: prices go so
   * much further in a longer time.
   */
  readonly spikePct: number | null;
  /** Minutes in a row of bars without any change. */
  readonly flatMinutes: number;
  /** Minutes without a price, weekends and daily breaks left out. */
  readonly gapMinutes: number;
}

export const usualLevels: DoubtLevels = { spikePct: null, flatMinutes: 60, gapMinutes: 60 };

/** How often something is in a file, and where first, in UTC milliseconds. */
export interface Doubt {
  readonly count: number;
  readonly firstMs: number | null;
}

/** What a backtest takes, and what no market may have traded at. */
export interface PriceDoubts {
  /** Prices that leave those before and after them, or jump from one minute to the next. */
  readonly spikes: Doubt;
  /** Bars in runs without any change; null for ticks. */
  readonly flat: Doubt | null;
  /** Rows that are wholly on a weekend; null for markets that are open then. */
  readonly weekend: Doubt | null;
  /** Rows whose ask is the bid; null for bids alone. */
  readonly noSpread: Doubt | null;
  /** Null for bars that are longer than an hour. */
  readonly gaps: Doubt | null;
}

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** Of months. */
const longestMs = 31 * 24 * hourMs;
const usualSpikePct = 1;
/** Rows further apart have a break between them, over which prices may jump: at least this, and this many bars. */
const [apartMs, apartBars] = [10 * minuteMs, 1.5];

/**
 * Doubts about the sound rows of a file.
 * @param timeframe of bars; null for ticks, and where it is unknown
 * @param bids of the same symbol, for a file of asks
 */
export function doubtsOf(
  recording: Recording,
  timeframe: string | null,
  bids: BarRecording | null,
  levels: DoubtLevels,
  isOpenOnWeekends: boolean,
): PriceDoubts {
  const { times, kind } = recording;
  const barMs = timeframeMs(timeframe ?? 'M1') ?? longestMs;
  const minutes = barMs / minuteMs;
  const gaps = openGaps(times, kind === 'bars' ? barMs : 0, levels.gapMinutes * minuteMs);
  const spikePct = levels.spikePct ?? usualSpikePct * (kind === 'bars' ? Math.sqrt(minutes) : 1);
  return {
    spikes: counted(times, kind === 'bars' ? barSpike(recording, spikePct, barMs) : tickSpike(recording, spikePct)),
    flat: kind === 'bars' ? flatRuns(recording, Math.ceil(levels.flatMinutes / minutes)) : null,
    weekend: isOpenOnWeekends ? null : counted(times, (row) => isOnWeekend(times[row] ?? 0, barMs)),
    noSpread:
      kind === 'bars'
        ? equalBars(recording, bids)
        : counted(times, (row) => recording.bids[row] === recording.asks[row]),
    gaps: kind === 'bars' && barMs > hourMs ? null : { count: gaps.length, firstMs: gaps[0]?.afterMs ?? null },
  };
}

function counted(times: Float64Array, isDoubtful: (row: number) => boolean): Doubt {
  let [count, first] = [0, -1];
  for (let row = 0; row < times.length; row++) {
    if (!isDoubtful(row)) continue;
    count += 1;
    if (first === -1) first = row;
  }
  return { count, firstMs: times[first] ?? null };
}

function barSpike(
  { times, open, high, low, close }: BarRecording,
  spikePct: number,
  barMs: number,
): (row: number) => boolean {
  const breakMs = Math.max(apartMs, apartBars * barMs);
  return (row) => {
    const [before, after, ownOpen = 0] = [close[row - 1], open[row + 1], open[row]];
    const apart = isApart(times, row - 1, breakMs) ? ownOpen : (before ?? ownOpen);
    const next = isApart(times, row, breakMs) ? (close[row] ?? apart) : (after ?? close[row] ?? apart);
    const above = (high[row] ?? 0) - Math.max(apart, next);
    const below = Math.min(apart, next) - (low[row] ?? 0);
    return Math.max(above, below, Math.abs(ownOpen - apart)) > (apart * spikePct) / 100;
  };
}

function tickSpike({ times, bids, asks }: TickRecording, spikePct: number): (row: number) => boolean {
  const leaves = (prices: Float64Array, row: number): boolean => {
    const [before, price = 0, after] = [prices[row - 1], prices[row], prices[row + 1]];
    if (before === undefined || after === undefined) return false;
    return Math.max(price - Math.max(before, after), Math.min(before, after) - price) > (before * spikePct) / 100;
  };
  return (row) =>
    !isApart(times, row - 1, apartMs) && !isApart(times, row, apartMs) && (leaves(bids, row) || leaves(asks, row));
}

/** Whether a break follows a row. */
function isApart(times: Float64Array, row: number, breakMs: number): boolean {
  return (times[row + 1] ?? 0) - (times[row] ?? 0) > breakMs;
}

function flatRuns({ times, open, high, low, close }: BarRecording, leastRows: number): Doubt {
  let [count, firstMs, begin]: [number, number | null, number] = [0, null, 0];
  for (let row = 0; row <= times.length; row++) {
    const isFlat = row < times.length && high[row] === low[row] && open[row] === close[row];
    if (isFlat && (begin === row || open[row] === close[row - 1])) continue;
    if (row - begin >= leastRows) {
      count += row - begin;
      firstMs ??= times[begin] ?? null;
    }
    begin = isFlat ? row : row + 1;
  }
  return { count, firstMs };
}

function equalBars(asks: BarRecording, bids: BarRecording | null): Doubt | null {
  if (bids === null) return null;
  let at = 0;
  return counted(asks.times, (row) => {
    while ((bids.times[at] ?? Infinity) < (asks.times[row] ?? 0)) at += 1;
    return bids.times[at] === asks.times[row] && bids.close[at] === asks.close[row] && bids.open[at] === asks.open[row];
  });
}

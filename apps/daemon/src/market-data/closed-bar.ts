import type { BarRecord } from '@libs/gateway-client';

/** A bar that will not change any more. */
export interface ClosedBar {
  /** The bar's open, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tickVolume: number;
}

/** The closed bars of an answer, ascending: all but the last, which is still forming. */
export function closedBars(rows: readonly BarRecord[]): ClosedBar[] {
  return rows.slice(0, -1).map((row) => ({
    timeMs: barTimeMs(row.time),
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    tickVolume: row.tick_volume,
  }));
}

/** A bar's open in milliseconds. A time without a zone is server time of an unknown offset; it still tells one bar from the next. */
export function barTimeMs(time: string): number {
  const timeMs = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
  if (Number.isNaN(timeMs)) throw new Error(`a bar's time is no time: ${time}`);
  return timeMs;
}

/** Length of a timeframe's bars in milliseconds; null for months, which differ. */
export function timeframeMs(timeframe: string): number | null {
  const [, unit = '', count = ''] = /^(MN|M|H|D|W)(\d+)$/.exec(timeframe) ?? [];
  const minutes: Readonly<Record<string, number>> = { M: 1, H: 60, D: 1_440, W: 10_080 };
  const length = minutes[unit];
  return length === undefined ? null : length * Number(count) * 60_000;
}

import type { BarRecord } from '@libs/gateway-client';

/** A closed bar; it does not change any more. */
export interface ClosedBar {
  /** The bar's open, in milliseconds since the epoch: UTC, or the broker's own clock while its offset is unknown. */
  readonly timeMs: number;
  /**
   * The bar's open on the broker's clock. It alone orders and identifies bars: `timeMs` jumps by hours at the
   * moment the broker's offset becomes known, or changes with the season.
   */
  readonly serverMs: number;
  /** When the next bar opened on the broker's clock: this one is known to have closed from then on. */
  readonly closedMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tickVolume: number;
}

/** The closed bars of an answer, ascending: all but the last, which is still forming. */
export function closedBars(rows: readonly BarRecord[]): ClosedBar[] {
  return rows.slice(0, -1).map((row, index) => ({
    timeMs: barTimeMs(row.time),
    serverMs: row.time_server * 1_000,
    closedMs: (rows[index + 1] ?? row).time_server * 1_000,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    tickVolume: row.tick_volume,
  }));
}

/** A bar's open in milliseconds. A time without a zone is server time of an unknown offset. */
function barTimeMs(time: string): number {
  const timeMs = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
  if (Number.isNaN(timeMs)) throw new Error(`invalid bar time: ${time}`);
  return timeMs;
}

/** Lengths by timeframe, as far as they have been asked for: it is a question of every bar. */
const lengths = new Map<string, number | null>();

/** Length of a timeframe's bars in milliseconds; null for months, which differ. */
export function timeframeMs(timeframe: string): number | null {
  const known = lengths.get(timeframe);
  if (known !== undefined) return known;
  const lengthMs = lengthOf(timeframe);
  lengths.set(timeframe, lengthMs);
  return lengthMs;
}

function lengthOf(timeframe: string): number | null {
  const [, unit = '', count = ''] = /^(MN|M|H|D|W)(\d+)$/.exec(timeframe) ?? [];
  const minutes: Readonly<Record<string, number>> = { M: 1, H: 60, D: 1_440, W: 10_080 };
  const length = minutes[unit];
  return length === undefined ? null : length * Number(count) * 60_000;
}

/**
 * The instant at which the bar that opens at an instant closes, whether or not there is a price then; both in
 * milliseconds on the clock by which the bars are cut.
 */
export function closeOf(openMs: number, timeframe: string): number {
  const lengthMs = timeframeMs(timeframe);
  if (lengthMs !== null) return openMs + lengthMs;
  const open = new Date(openMs);
  return Date.UTC(open.getUTCFullYear(), open.getUTCMonth() + 1, 1);
}

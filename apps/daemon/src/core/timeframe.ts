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

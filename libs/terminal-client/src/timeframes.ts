/**
 * The 21 timeframes with the terminal's own numbers: plain minutes, hours 0x4000|h, weeks 0x8000|w,
 * months 0xC000|m (docs: ENUM_TIMEFRAMES).
 */
export const Timeframe = {
  M1: 1,
  M2: 2,
  M3: 3,
  M4: 4,
  M5: 5,
  M6: 6,
  M10: 10,
  M12: 12,
  M15: 15,
  M20: 20,
  M30: 30,
  H1: 16385,
  H2: 16386,
  H3: 16387,
  H4: 16388,
  H6: 16390,
  H8: 16392,
  H12: 16396,
  D1: 16408,
  W1: 32769,
  MN1: 49153,
} as const;
export type TimeframeName = keyof typeof Timeframe;
export type Timeframe = (typeof Timeframe)[TimeframeName];

export const timeframeNames = Object.keys(Timeframe) as readonly TimeframeName[];

/** Length in seconds, of a timeframe whose bars are all equally long; null for MN1. */
export function timeframeSeconds(timeframe: Timeframe): number | null {
  if (timeframe === Timeframe.MN1) return null;
  if (timeframe === Timeframe.W1) return 7 * 86_400;
  return timeframe & 0x4000 ? (timeframe & 0x3fff) * 3_600 : timeframe * 60;
}

/** The timeframe of a name in any case, or null. */
export function timeframeOf(name: string): Timeframe | null {
  const upper = name.toUpperCase();
  return Object.hasOwn(Timeframe, upper) ? Timeframe[upper as TimeframeName] : null;
}

/** Lengths of the two parts of a window. */
export interface WalkForward {
  readonly train: Length;
  readonly test: Length;
}

/** A number of days, weeks or calendar months. */
export interface Length {
  readonly count: number;
  readonly unit: 'd' | 'w' | 'm';
}

/** Two neighbouring parts of the prices, in UTC milliseconds; each ends before the next begins. */
export interface Window {
  readonly trainFromMs: number;
  readonly testFromMs: number;
  readonly testToMs: number;
}

const dayMs = 86_400_000;

/** Reads `6m/1m`: trained on six months, tested on the month after them. Null for anything else. */
export function parseWalkForward(text: string): WalkForward | null {
  const parts = /^(\d{1,4})([dwm])\/(\d{1,4})([dwm])$/.exec(text);
  if (!parts) return null;
  const [train, test] = [lengthOf(parts[1], parts[2]), lengthOf(parts[3], parts[4])];
  return train === null || test === null ? null : { train, test };
}

/** As on the command line: `6m/1m`. */
export function walkForwardText({ train, test }: WalkForward): string {
  return `${train.count}${train.unit}/${test.count}${test.unit}`;
}

/**
 * The windows of a span, each one test part after the one before. The last test part may be cut by the end of the
 * span; one of which less than half is left is omitted.
 * @param span first and last instant with prices, in UTC milliseconds
 */
export function windowsOf({ train, test }: WalkForward, fromMs: number, lastMs: number): readonly Window[] {
  const windows: Window[] = [];
  for (let index = 0; ; index++) {
    const trainFromMs = shifted(fromMs, test, index);
    const testFromMs = shifted(trainFromMs, train, 1);
    const testToMs = shifted(testFromMs, test, 1);
    if (lastMs - testFromMs < (testToMs - testFromMs) / 2) return windows;
    windows.push({ trainFromMs, testFromMs, testToMs });
  }
}

function lengthOf(count: string | undefined, unit: string | undefined): Length | null {
  const number = Number(count);
  return number > 0 && (unit === 'd' || unit === 'w' || unit === 'm') ? { count: number, unit } : null;
}

/** An instant so many lengths later. The 31st of a month becomes the last day of a shorter one. */
function shifted(timeMs: number, { count, unit }: Length, times: number): number {
  if (unit !== 'm') return timeMs + count * times * (unit === 'w' ? 7 : 1) * dayMs;
  const date = new Date(timeMs);
  const month = date.getUTCMonth() + count * times;
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return Date.UTC(date.getUTCFullYear(), month, day) + (timeMs - Date.UTC(...dayOf(date)));
}

function dayOf(date: Date): [number, number, number] {
  return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
}

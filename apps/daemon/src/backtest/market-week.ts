import { ServerClock, timeframeName, type SymbolRecording, type SymbolSpec } from '@libs/simulator';
import { timeframeMs } from '../core/event-time';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
/** 1 January 1970 was a Thursday, day 4 of a week that begins on Sunday. */
const [epochDay, friday, saturday, sunday] = [4, 5, 6, 0];
/** Markets close on Friday at 17:00 in New York and open on Sunday at 17:00, some an hour earlier or later. */
const [closedFromHour, openFromHour] = [18, 16];
const newYork = new ServerClock('America/New_York');

/** Whether spot markets are closed for the weekend at an instant, whatever the broker; false within an hour of close and open. */
export function isWeekend(utcMs: number): boolean {
  const day = weekday(utcMs);
  // Most rows are of other days.
  if (day !== friday && day !== saturday && day !== sunday) return false;
  const localMs = newYork.serverMs(utcMs);
  const hour = Math.floor((localMs % dayMs) / hourMs);
  const localDay = weekday(localMs);
  if (localDay === friday) return hour >= closedFromHour;
  return localDay === saturday || (localDay === sunday && hour < openFromHour);
}

/** Whether a bar lies on a weekend from its open to its end. @param barMs its length; that of a minute also for ticks */
export function isOnWeekend(openMs: number, barMs: number): boolean {
  return barMs <= dayMs && isWeekend(openMs) && (barMs <= minuteMs || isWeekend(openMs + barMs - 1));
}

/** Whether the sessions of a symbol include a Saturday, as those of crypto do. */
export function tradesOnWeekends({ market }: Pick<SymbolSpec, 'market'>): boolean {
  return market.schedule.sessions.some(({ day }) => day === saturday);
}

/** How many rows of each symbol are on a weekend at which its market is closed; symbols without any are left out. */
export function weekendRows(
  recordings: readonly SymbolRecording[],
  specs: readonly SymbolSpec[],
  fromMs: number,
  toMs: number,
): readonly (readonly [symbol: string, rows: number])[] {
  const closed = new Set(specs.filter((spec) => !tradesOnWeekends(spec)).map(({ name }) => name));
  return recordings.flatMap((recording) => {
    if (!closed.has(recording.symbol)) return [];
    const { times } = recording.kind === 'bars' ? recording.bid : recording.ticks;
    const barMs = recording.kind === 'bars' ? (timeframeMs(timeframeName(recording.timeframe)) ?? Infinity) : 0;
    let rows = 0;
    for (const timeMs of times) if (timeMs >= fromMs && timeMs <= toMs && isOnWeekend(timeMs, barMs)) rows += 1;
    return rows === 0 ? [] : [[recording.symbol, rows] as const];
  });
}

function weekday(ms: number): number {
  return (Math.floor(ms / dayMs) + epochDay) % 7;
}

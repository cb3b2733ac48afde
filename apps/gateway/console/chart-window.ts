/** Which bars of a chart are shown. */
export interface ChartWindow {
  /** Number of bars. */
  readonly count: number;
  /** Time of the last one as in its bar; null: the newest, also when it becomes another one. */
  readonly endTime: number | null;
}

interface Timed {
  readonly time_server: number;
}

export const fewestBars = 30;
export const newestBars: ChartWindow = { count: 150, endTime: null };

/** The bars of a window. There are as many as it has wherever enough of them were read. */
export function shownBars<Bar extends Timed>(bars: readonly Bar[], window: ChartWindow): readonly Bar[] {
  const end = endOf(bars, window);
  return bars.slice(Math.max(0, end - window.count), end);
}

/** A window with more or fewer bars that ends at the same one. @param factor above 1 shows more */
export function zoomed(bars: readonly Timed[], window: ChartWindow, factor: number): ChartWindow {
  const count = Math.round(window.count * factor);
  return moved(bars, { ...window, count: Math.min(Math.max(count, fewestBars), Math.max(bars.length, fewestBars)) }, 0);
}

/** A window so many bars later; earlier, if it is negative. It never leaves the bars. */
export function moved(bars: readonly Timed[], window: ChartWindow, by: number): ChartWindow {
  const end = Math.min(Math.max(endOf(bars, window) + by, window.count), bars.length);
  const last = bars[end - 1];
  return { ...window, endTime: end === bars.length || last === undefined ? null : last.time_server };
}

/** Index after the last bar of a window. */
function endOf(bars: readonly Timed[], { endTime }: ChartWindow): number {
  const end = endTime === null ? -1 : bars.findLastIndex(({ time_server: time }) => time <= endTime);
  return end < 0 ? bars.length : end + 1;
}

import type { PageBar, PageTrade } from './page-data';
import type { Plot } from './plot';

type Bars = readonly PageBar[];

/** Candles while there is room for them, otherwise the range of each column of pixels. */
export function candles(plot: Plot, bars: Bars): string {
  const columns = Math.floor(plot.width / 3);
  const step = Math.max(1, Math.ceil(bars.length / columns));
  const wide = Math.max(1, Math.min(12, (plot.width / Math.max(1, bars.length / step)) * 0.6));
  const parts: string[] = [];
  for (let at = 0; at < bars.length; at += step) {
    const group = bars.slice(at, at + step);
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    const [open, close] = [first[1], last[4]];
    const high = Math.max(...group.map((bar) => bar[2]));
    const low = Math.min(...group.map((bar) => bar[3]));
    const x = plot.x(first[0] + (last[0] - first[0]) / 2);
    const [top, bottom] = [plot.y(Math.max(open, close)), plot.y(Math.min(open, close))];
    parts.push(
      `<g class="${close < open ? 'down' : 'up'}"><line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${plot.y(high).toFixed(1)}" y2="${plot.y(low).toFixed(1)}"/>` +
        `<rect x="${(x - wide / 2).toFixed(1)}" y="${top.toFixed(1)}" width="${wide.toFixed(1)}" height="${Math.max(0.8, bottom - top).toFixed(1)}"/></g>`,
    );
  }
  return parts.join('');
}

/** From entry to exit, coloured by result; the arrow at the entry points where the trade wants the price to go. */
export function tradeMarks(plot: Plot, trades: readonly PageTrade[]): string {
  const small = trades.length > 150 ? 3 : 5;
  return trades
    .map(({ side, opened, closed, entry, exit, result }) => {
      const [x1, y1, x2, y2] = [plot.x(opened), plot.y(entry), plot.x(closed), plot.y(exit)];
      const up = side === 'buy' ? -1 : 1;
      const arrow = `${x1},${y1 + up * small} ${x1 - small},${y1 - up * small} ${x1 + small},${y1 - up * small}`;
      return (
        `<g class="trade ${result < 0 ? 'loss' : 'gain'}"><line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}"/>` +
        `<polygon points="${arrow}"/><circle cx="${x2.toFixed(1)}" cy="${y2.toFixed(1)}" r="${small * 0.6}"/><title>${side} ${result.toFixed(2)}</title></g>`
      );
    })
    .join('');
}

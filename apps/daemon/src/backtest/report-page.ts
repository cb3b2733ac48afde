import type { EquityPoint, PricePoint } from './run-backtest';
import type { RoundTrip, Summary } from './report';

const width = 1_000;
/** Points a line is thinned to: more than the page has pixels to show. */
const mostPoints = 2_000;

interface Page {
  readonly title: string;
  readonly summary: Summary;
  readonly trips: readonly RoundTrip[];
  readonly equity: readonly EquityPoint[];
  readonly prices: readonly PricePoint[];
}

/** One self-contained HTML page: figures, equity, drawdown, trades on the price, and the list of trades. */
export function reportPage({ title, summary, trips, equity, prices }: Page): string {
  const figures = (Object.entries(summary) as [string, number | null][]).map(
    ([name, value]) => `<div><b>${shown(value)}</b>${name}</div>`,
  );
  const rows = trips.map(
    (trip) =>
      `<tr><td>${time(trip.openedMs)}</td><td>${time(trip.closedMs)}</td><td>${trip.side}</td><td>${escaped(trip.symbol)}</td>` +
      `<td>${trip.volume}</td><td>${trip.entryPrice}</td><td>${trip.exitPrice}</td><td>${trip.exitReason}</td>` +
      `<td class="${trip.realized < 0 ? 'loss' : 'gain'}">${trip.realized.toFixed(2)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>
body{font:14px system-ui,sans-serif;margin:2rem auto;max-width:${width}px;color:#222}
h2{font-size:1rem;margin:2rem 0 .5rem}svg{width:100%;background:#fafafa}
.figures{display:grid;grid-template-columns:repeat(5,1fr);gap:1rem}.figures b{display:block;font-size:1.2rem}
table{border-collapse:collapse;width:100%}td,th{text-align:right;padding:.2rem .5rem;border-bottom:1px solid #eee}
.gain{color:#0a7d32}.loss{color:#b3261e}
</style></head><body>
<h1>${escaped(title)}</h1>
<div class="figures">${figures.join('')}</div>
<h2>Equity</h2>${chart(equity, 240, '#1565c0')}
<h2>Drawdown</h2>${chart(drawdown(equity), 120, '#b3261e')}
<h2>Trades on the price</h2>${chart(prices, 320, '#777', trips)}
<h2>Trades</h2>
<table><tr><th>opened</th><th>closed</th><th>side</th><th>symbol</th><th>lots</th><th>entry</th><th>exit</th><th>by</th><th>result</th></tr>
${rows.join('\n')}</table>
</body></html>
`;
}

function chart(
  points: readonly EquityPoint[],
  height: number,
  colour: string,
  trips: readonly RoundTrip[] = [],
): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return '<p>nothing to show</p>';
  const values = points.map(([, value]) => value);
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const x = (timeMs: number): string => (((timeMs - first[0]) / Math.max(1, last[0] - first[0])) * width).toFixed(1);
  const y = (value: number): string => (height - 10 - ((value - low) / (high - low || 1)) * (height - 20)).toFixed(1);
  const step = Math.ceil(points.length / mostPoints);
  const line = points.filter((_, index) => index % step === 0).map(([timeMs, value]) => `${x(timeMs)},${y(value)}`);
  const marks = trips.map(
    ({ openedMs, closedMs, entryPrice, exitPrice, side, realized }) =>
      `<line x1="${x(openedMs)}" y1="${y(entryPrice)}" x2="${x(closedMs)}" y2="${y(exitPrice)}" ` +
      `stroke="${realized < 0 ? '#b3261e' : '#0a7d32'}" stroke-width="1.5"><title>${side} ${realized.toFixed(2)}</title></line>`,
  );
  return (
    `<svg viewBox="0 0 ${width} ${height}"><polyline points="${line.join(' ')}" fill="none" stroke="${colour}"/>` +
    `${marks.join('')}<text x="4" y="14" font-size="11">${shown(high)}</text>` +
    `<text x="4" y="${height - 2}" font-size="11">${shown(low)}</text></svg>`
  );
}

function drawdown(equity: readonly EquityPoint[]): readonly EquityPoint[] {
  let peak = Number.NEGATIVE_INFINITY;
  return equity.map(([timeMs, value]) => {
    peak = Math.max(peak, value);
    return [timeMs, value - peak] as const;
  });
}

function shown(value: number | null): string {
  if (value === null) return '–';
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 5 : 2);
}

function time(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

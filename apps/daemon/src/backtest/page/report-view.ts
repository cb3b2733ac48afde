import type { Page, PageElement, PointerAt } from './dom';
import { barsOf, equityOf, tradesOf, type PageData, type PageTrade } from './page-data';
import { paintCandles, paintTrades, type ChartColours } from './price-chart';
import { TimeChart } from './time-chart';
import { showTrades } from './trade-table';

declare const document: Page & { readonly documentElement: PageElement };
declare const addEventListener: (type: 'resize', listener: () => void) => void;
declare const matchMedia: (query: string) => { addEventListener(type: 'change', listener: () => void): void };
declare const getComputedStyle: (of: PageElement) => { getPropertyValue(name: string): string };

const packed = JSON.parse(element('#data').textContent ?? '{}') as PageData;
const data = {
  ...{ startMs: packed.startMs, digits: packed.digits, bars: barsOf(packed), equity: equityOf(packed) },
  trades: tradesOf(packed),
};
/** Colours of the strategies of a portfolio in the style of its page. */
const colours = 6;
const firstOpen = data.bars[0]?.[1] ?? 1;
/** The capital as it would be, held in the symbol. */
const held = data.bars.map(([time, , , , close]): readonly [number, number] => [
  time,
  (packed.capital * close) / firstOpen,
]);
const end = Math.max(data.bars.at(-1)?.[0] ?? 1, data.equity.at(-1)?.[0] ?? 1);
let [from, to, cursor] = [0, end, end];
let dragFrom: number | null = null;

/** Results of the strategies of a portfolio; empty for a single strategy. */
const results = (packed.results ?? []).map((equity) => equityOf({ equity }));

let peak = Number.NEGATIVE_INFINITY;
const drawdown = data.equity.map(([time, equity]): readonly [number, number] => {
  peak = Math.max(peak, equity);
  return [time, equity - peak];
});

const colourOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name);
const common = { startMs: data.startMs, colourOf };
const charts = [
  new TimeChart(
    element('#prices'),
    [
      [data.bars.map(([time, , high]) => [time, high]), null],
      [data.bars.map(([time, , , low]) => [time, low]), null],
    ],
    {
      ...{ ...common, height: 320, digits: data.digits },
      paint: (area) => {
        const colours: ChartColours = { dim: colourOf('--dim'), gain: colourOf('--gain'), loss: colourOf('--loss') };
        const trades = data.trades.filter(isCharted);
        element('#prices').setAttribute('data-trades', String(trades.length));
        paintCandles(area, inView(data.bars), colours);
        paintTrades(area, trades, colours);
      },
    },
  ),
  new TimeChart(
    element('#equity'),
    [
      [data.equity, { colour: '--line' }],
      [held, { colour: '--dim', isDashed: true }],
      ...results.map((points, index) => [points, { colour: `--strategy-${index % colours}` }] as const),
    ],
    { ...common, height: 220, digits: 2 },
  ),
  new TimeChart(element('#drawdown'), [[drawdown, { colour: '--loss' }]], { ...common, height: 130, digits: 2 }),
];
function isCharted({ symbol, opened, closed }: PageTrade): boolean {
  return symbol === packed.charted && closed >= from && opened <= to;
}

const boxes = ['#prices', '#equity', '#drawdown'].map((selector) => element(selector));

function inView<Point extends readonly [number, ...number[]]>(points: readonly Point[]): readonly Point[] {
  const first = Math.max(0, indexAt(points, from) - 1);
  return points.slice(first, indexAt(points, to) + 2);
}

/** Index of the last point that is not after a time. */
function indexAt(points: readonly (readonly [number, ...number[]])[], time: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((points[middle]?.[0] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

function draw(): void {
  for (const chart of charts) chart.show(from, to, cursor);
  readOut();
}

function readOut(): void {
  const bar = data.bars[indexAt(data.bars, cursor)];
  const at = indexAt(data.equity, cursor);
  const prices = bar
    ? ['O', 'H', 'L', 'C'].map((name, index) => `${name} ${bar[index + 1]?.toFixed(data.digits)}`)
    : [];
  const parts = [
    ...[timeText(cursor, true), ...prices, `equity ${data.equity[at]?.[1].toFixed(2) ?? '–'}`],
    `drawdown ${drawdown[at]?.[1].toFixed(2) ?? '–'}`,
    ...data.trades
      .filter(({ opened, closed }) => opened <= cursor && cursor <= closed)
      .slice(0, 4)
      .map(tradeText),
  ];
  element('#readout').textContent = parts.join('  ·  ');
}

function tradeText({ side, entry, exit, result, strategy }: PageTrade): string {
  return `${strategy === undefined ? '' : `${strategy} `}${side} ${entry.toFixed(data.digits)} → ${exit.toFixed(data.digits)}: ${result.toFixed(2)}`;
}

function timeText(time: number, isFull = to - from < 5 * 86_400): string {
  const text = new Date(data.startMs + time * 1_000).toISOString();
  return isFull ? text.slice(0, 16).replace('T', ' ') : text.slice(0, 10);
}

function look(first: number, last: number): void {
  const least = 600;
  const length = Math.min(end, Math.max(least, last - first));
  from = Math.max(0, Math.min(first, end - length));
  to = from + length;
  cursor = Math.min(to, Math.max(from, cursor));
  draw();
}

function zoom(factor: number): void {
  const half = ((to - from) * factor) / 2;
  look(cursor - half, cursor + half);
}

function pan(share: number): void {
  const by = (to - from) * share;
  look(from + by, to + by);
}

/** Moves the cursor by bars, or by points of the equity where no bars are shown; the view follows it. */
function step(bars: number): void {
  const points = data.bars.length === 0 ? data.equity : data.bars;
  const at = Math.min(points.length - 1, Math.max(0, indexAt(points, cursor) + bars));
  cursor = points[at]?.[0] ?? cursor;
  if (cursor < from || cursor > to) look(cursor - (to - from) / 2, cursor + (to - from) / 2);
  else draw();
}

const keys: Readonly<Record<string, () => void>> = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  PageUp: () => pan(-0.5),
  PageDown: () => pan(0.5),
  '+': () => zoom(0.5),
  '=': () => zoom(0.5),
  '-': () => zoom(2),
  Home: () => look(0, end),
};

boxes.forEach((box, index) => {
  const timeAt = ({ clientX }: PointerAt): number => charts[index]?.timeAt(clientX) ?? 0;
  box.addEventListener('pointermove', (event) => {
    cursor = Math.min(to, Math.max(from, timeAt(event)));
    draw();
  });
  box.addEventListener('pointerdown', (event) => {
    dragFrom = timeAt(event);
  });
  box.addEventListener('pointerup', (event) => {
    const [first, last] = [Math.min(dragFrom ?? 0, timeAt(event)), Math.max(dragFrom ?? 0, timeAt(event))];
    // A click does not select a period.
    if (dragFrom !== null && last - first > (to - from) / 50) look(first, last);
    dragFrom = null;
  });
  box.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
});

for (const button of document.querySelectorAll('button[data-key]')) {
  button.addEventListener('click', () => keys[button.dataset['key'] ?? '']?.());
}
showTrades(document, data, (trade) => {
  const around = Math.max(1_800, trade.closed - trade.opened);
  cursor = trade.opened;
  look(trade.opened - around, trade.closed + around);
  element('#prices').scrollIntoView({ block: 'center' });
});
draw();
// A window that was enlarged, a phone that was turned, and the colours of the evening.
addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach((each) => each.repaint()));

function element(selector: string, within: Pick<Page, 'querySelector'> = document): PageElement {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

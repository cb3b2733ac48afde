import type { Page, PageElement, PointerAt } from './dom';
import { barsOf, equityOf, tradesOf, type PageData, type PageTrade } from './page-data';
import { axisText, money as moneyText } from './markup';
import { paintCandles, paintLevel, paintTrades, type ChartColours } from './price-chart';
import { TimeChart } from './time-chart';
import { TradingTime } from './trading-time';
import { excursionPlot, resultPlot } from './trade-plots';
import { priceDigits } from './trade-list';
import { showTrades } from './trade-table';

declare const document: Page & { readonly documentElement: PageElement };
declare const addEventListener: (type: 'resize', listener: () => void) => void;
declare const matchMedia: (query: string) => { addEventListener(type: 'change', listener: () => void): void };
declare const getComputedStyle: (of: PageElement) => { getPropertyValue(name: string): string };

const packed = JSON.parse(element('#data').textContent ?? '{}') as PageData;
const data = {
  startMs: packed.startMs,
  digits: packed.digits,
  bars: barsOf(packed),
  equity: equityOf(packed),
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
const results = (packed.results ?? []).map((equity) => equityOf({ ...packed, equity }));

const money = (amount: number | null): string => moneyText(amount, packed.moneyDigits);

let peak = packed.capital;
/** Time, and how far the equity is below its peak in percent, and in money. */
const drawdown = data.equity.map(([time, equity]): readonly [number, number, number] => {
  peak = Math.max(peak, equity);
  return [time, peak > 0 ? (equity / peak - 1) * 100 : 0, equity - peak];
});

const points = data.bars.length === 0 ? data.equity : data.bars;
const trading = TradingTime.of(
  points.map(([time]) => time),
  data.startMs / 1_000,
);
const colourOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name);
const common = { startMs: data.startMs, colourOf, trading, valueText: axisText };
const charts = [
  new TimeChart(
    element('#prices'),
    [
      [data.bars.map(([time, , high]) => [time, high]), null],
      [data.bars.map(([time, , , low]) => [time, low]), null],
    ],
    {
      ...common,
      height: 340,
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
      [held, { colour: '--dim', isDashed: true }],
      ...results.map((points, index) => [points, { colour: `--strategy-${index % colours}` }] as const),
      [data.equity, { colour: '--line', filledTo: 'lowest' }],
    ],
    {
      ...common,
      height: 250,
      includes: packed.capital,
      paint: (area) => paintLevel(area, packed.capital, colourOf('--cursor')),
    },
  ),
  new TimeChart(element('#drawdown'), [[drawdown, { colour: '--loss', filledTo: 0 }]], {
    ...common,
    height: 110,
    includes: 0,
  }),
  ...rollingCharts(),
];

/** None for a run that is too short for one. */
function rollingCharts(): readonly TimeChart[] {
  const { rolling } = packed;
  if (rolling === undefined) return [];
  const points = rolling.points.map(
    ([endMs, sharpe]) => [Math.min(end, (endMs - packed.startMs) / 1_000), sharpe] as const,
  );
  const chart = new TimeChart(element('#rolling'), [[points, { colour: '--line', filledTo: 0, hasGaps: true }]], {
    ...common,
    height: 160,
    includes: 0,
  });
  return [chart];
}

function isCharted({ symbol, opened, closed }: PageTrade): boolean {
  return symbol === packed.charted && closed >= from && opened <= to;
}

const digits = new Map([...priceDigits(data.trades), [packed.charted, packed.digits] as const]);
const boxes = ['#prices', '#equity', '#drawdown', '#rolling'].flatMap((id) => document.querySelector(id) ?? []);

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
  const [, percent, below] = drawdown[at] ?? [];
  const parts = [
    ...[timeText(cursor), ...prices, `equity ${money(data.equity[at]?.[1] ?? null)}`],
    `drawdown ${moneyText(percent ?? null)} % (${money(below ?? null)})`,
    ...data.trades
      .filter(({ opened, closed }) => opened <= cursor && cursor <= closed)
      .slice(0, 4)
      .map(tradeText),
  ];
  element('#readout').textContent = parts.join('  ·  ');
}

function tradeText({ side, symbol, entry, exit, result, strategy }: PageTrade): string {
  return `${strategy === undefined ? '' : `${strategy} `}${side} ${entry.toFixed(digits.get(symbol))} → ${exit.toFixed(digits.get(symbol))}: ${money(result)}`;
}

function timeText(time: number): string {
  return new Date(data.startMs + time * 1_000).toISOString().slice(0, 16).replace('T', ' ');
}

function look(first: number, last: number): void {
  const least = 600;
  const [start, until, whole] = [trading.placeOf(first), trading.placeOf(last), trading.placeOf(end)];
  const length = Math.min(whole, Math.max(least, until - start));
  const left = Math.max(0, Math.min(start, whole - length));
  [from, to] = [trading.timeAt(left), Math.min(end, trading.timeAt(left + length))];
  cursor = Math.min(to, Math.max(from, cursor));
  draw();
}

/** Shows so much of the time of trading around a time. */
function lookAround(time: number, length: number): void {
  const middle = trading.placeOf(time);
  look(trading.timeAt(Math.max(0, middle - length / 2)), trading.timeAt(middle + length / 2));
}

function lengthInView(): number {
  return trading.placeOf(to) - trading.placeOf(from);
}

function zoom(factor: number): void {
  lookAround(cursor, lengthInView() * factor);
}

function pan(share: number): void {
  const length = lengthInView();
  lookAround(trading.timeAt(trading.placeOf(from) + length * (0.5 + share)), length);
}

/** Moves the cursor by bars, or by points of the equity where no bars are shown; the view follows it. */
function step(bars: number): void {
  const at = Math.min(points.length - 1, Math.max(0, indexAt(points, cursor) + bars));
  cursor = points[at]?.[0] ?? cursor;
  if (cursor < from || cursor > to) lookAround(cursor, lengthInView());
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
showTrades(document, { ...data, digits, money }, (trade) => {
  const around = Math.max(1_800, trade.closed - trade.opened);
  cursor = trade.opened;
  look(trade.opened - around, trade.closed + around);
  element('#prices').scrollIntoView({ block: 'center' });
});
element('#distribution').innerHTML = resultPlot(data.trades, packed.moneyDigits);
element('#excursions').innerHTML = excursionPlot(data.trades);
draw();
// A window that was enlarged, a phone that was turned, and the colours of the evening.
addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach((each) => each.repaint()));

function element(selector: string, within: Pick<Page, 'querySelector'> = document): PageElement {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

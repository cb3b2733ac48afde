import { countText } from '@libs/gateway-client/figure-text';
import { amountsIn } from '../backtest/figure-rows';
import { keyFigureParts } from '../backtest/page/key-figures';
import { axisText, escaped, grouped, scrolledTable, type Cell } from '../backtest/page/markup';
import { pageStyle } from '../backtest/page/page-style';
import { Plot } from '../backtest/page/plot';
import { goodness, metricLabel, metricNumbers, type MetricName } from './metric';
import type { OptimizeReport, ReportedRow } from './optimize-report';
import { errorLine, headOf, outOfSampleRows, figureCells, figureHeadings } from './optimize-table';
import { overfittingRows } from './overfitting';
import type { SearchRow } from './search';
import { heatMaps, setValues, stability, type AxisPoint, type HeatMap } from './surface';

const mostRows = 200;
const mostCells = 40_000;
/** Wider maps have their numbers in the cells' titles alone. */
const mostColumnsWithNumbers = 20;
const mostLabels = 20;
const mostDots = 50;
const plotSize = [1_000, 260] as const;

/** How values of the metric are written. */
type Numbers = (value: number | null) => string;

const style = `
h2{font-size:1.1rem;margin:2rem 0 .6rem}h3{font-size:.95rem;margin:1.2rem 0 .4rem}.figures+.plot,.plot+.scroll{margin-top:1rem}
.luck{grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr))}.luck div{border:0;align-content:start}
.pair{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr);gap:1rem;align-items:start}.pair .plot+.scroll{margin-top:0}
.plot{background:var(--panel);border:1px solid var(--rule);border-radius:.5rem}
.equity,.mean{stroke:var(--line)}.best{stroke:var(--dim)}polyline.best{stroke-dasharray:4 3}
details{margin:.6rem 0}.heat td{min-width:3rem}
@media(max-width:600px){.pair{grid-template-columns:minmax(0,1fr)}.plot svg{height:12rem}}
`;

/**
 * One self-contained HTML page without scripts: the sets, a heat map for each pair of parameters, each parameter's
 * stability, and the equity out of sample.
 * @param rows the rows of the report, from which maps and curves are made
 */
export function optimizePage(report: OptimizeReport, rows: readonly SearchRow[]): string {
  const { search, strategy } = report;
  const metric = metricLabel(search.metric);
  const values = setValues(rows, search.metric, search.minTrades);
  const title = escaped(`Search over ${strategy.file} on ${Object.values(strategy.streams).join(', ')}`);
  const numbers = numbersOf(report);
  const maps = heatMaps(search.axes, values).map((map) => heatTable(map, search.metric, numbers));
  const curves = stability(search.axes, values, search.metric).flatMap(({ axis, points }) =>
    points.length < 2
      ? []
      : [
          `<h3>${escaped(axis.name)}</h3><div class="pair">${stabilityPlot(points)}${stabilityTable(axis.name, points, numbers)}</div>`,
        ],
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${pageStyle}${style}</style></head><body><main>
<h1>${title}</h1>
${bestPart(report)}
${overfittingPart(report)}
<details><summary>How it was searched</summary>${headOf(report)
    .slice(1)
    .map((line) => `<p>${escaped(line)}</p>`)
    .join('\n')}</details>
${outOfSamplePart(report)}
${maps.length === 0 ? '' : `<h2>Heat maps</h2><p>Each cell is the mean ${metric} of the sets with both values; – is no set that traded and has a finite value.</p>${maps.join('\n')}`}
${curves.length === 0 ? '' : `<h2>Stability of the parameters</h2><p>By value: the mean ${metric} over all sets that have it (line) and the best (dashed). A good value has good neighbours.</p>${curves.join('\n')}`}
<h2>Sets</h2>${setTable(report)}
${failureTable(report)}
</main></body></html>
`;
}

/** The best set with its figures; none for a walk-forward, which has those out of sample, and where no set has a value. */
function bestPart(whole: OptimizeReport): string {
  const { rows, search, windows, capital, currency, isComplete, failed } = whole;
  const [best] = rows;
  const part = `<p>${search.sets} of ${countText(search.gridSets, 'set')}, ranked by ${metricLabel(search.metric)}${failed === 0 ? '' : `; ${failed} failed`}</p>`;
  const stopped = isComplete
    ? ''
    : `<p class="warn">Stopped after ${rows.length} of ${countText(search.runs, 'run')}.</p>`;
  const hasValue = best?.metric !== null || best.metricText === 'unbounded';
  if (windows !== null || !best?.run || !hasValue) return `${part}${stopped}`;
  const params = search.axes.map(({ name }) => `${name} ${String(best.params[name])}`).join(', ');
  const { figures } = best.run;
  const report = { figures, account: { currency, leverage: 1, capital }, benchmark: null };
  const near = `the sets one step away have ${numbersOf(whole)(best.neighbours)} on average`;
  return (
    `${part}${stopped}<h2>Best set: ${escaped(params)}</h2>` +
    `<p>${metricValue(search.metric, grouped(best.metricText ?? '–'))}; ${near}</p>${keyFigureParts(report)}`
  );
}

/** With commas, as the other figures of the page. */
function numbersOf({ search, currency }: OptimizeReport): Numbers {
  const text = metricNumbers(search.metric, currency);
  return (value) => grouped(text(value));
}

/** A metric with its value, as people write it: `return 2.17 %`, `Sharpe 1.30`. */
function metricValue(name: MetricName, text: string): string {
  const label = metricLabel(name);
  return label.endsWith(' %') ? `${label.slice(0, -2)} ${text} %` : `${label} ${text}`;
}

function overfittingPart({ overfitting, windows }: OptimizeReport): string {
  if (windows !== null) return '';
  const rows = overfittingRows(overfitting).map(
    ([figure, value, meaning]) => `<div><b>${escaped(value)}</b>${escaped(figure)}<p>${escaped(meaning)}.</p></div>`,
  );
  return `<h2>Is the best set luck?</h2><div class="figures luck">${rows.join('')}</div>`;
}

function outOfSamplePart(report: OptimizeReport): string {
  const { outOfSample, windows, search } = report;
  if (windows === null) return '';
  const money = amountsIn(report.currency);
  const rows = windows.map(({ window, train, test, params, trainMetricText, testMetricText, run, error }) => [
    ...[String(window), train.from.slice(0, 10), test.from.slice(0, 10), test.to.slice(0, 10)],
    ...[params === null ? '–' : paramsText(params), trainMetricText ?? '–'],
    error === null ? (testMetricText ?? '–') : 'failed',
    ...[money(run?.figures.netProfit ?? null), money(run?.figures.openProfit ?? null)],
  ]);
  const head = [
    'window',
    'trained from',
    'tested from',
    'to',
    'params',
    `train ${metricLabel(search.metric)}`,
    `test ${metricLabel(search.metric)}`,
    ...['test net profit', 'test floating'],
  ];
  const table = scrolledTable('windows', head, rows);
  if (outOfSample === null) return `<h2>Walk-forward</h2>${table}`;
  const figures = outOfSampleRows(report).map(
    ([label, value]) => `<div><b>${escaped(grouped(value))}</b>${escaped(label)}</div>`,
  );
  const points = outOfSample.curve;
  const [from, to] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  const plot = Plot.over(
    points.map(([, equity]) => equity),
    ...plotSize,
    from,
    to,
  );
  const picture = plot.framed('Equity out of sample', plot.line(points, 'equity'), axisText, (timeMs) =>
    new Date(timeMs).toISOString().slice(0, 10),
  );
  return `<h2>Out of sample</h2><div class="figures">${figures.join('')}</div>${picture}${table}`;
}

function heatTable({ x, y, cells: rows }: HeatMap, metric: MetricName, numbers: Numbers): string {
  const heading = `<h3>${escaped(y.name)} by ${escaped(x.name)}</h3>`;
  if (x.values.length * y.values.length > mostCells) {
    return `${heading}<p>${x.values.length * y.values.length} cells are more than a page can show.</p>`;
  }
  const known = rows.flat().filter((value) => value !== null);
  const [low, high] = known.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
  const hasNumbers = x.values.length <= mostColumnsWithNumbers;
  const body = rows.map((row, index) => {
    const own = row.map((value, column): Cell => {
      if (value === null) return '–';
      const title = `${y.name} ${y.values[index]}, ${x.name} ${x.values[column]}: ${value}`;
      const share = goodness(metric, value, low, high);
      const text = hasNumbers ? numbers(value) : '';
      return { title, text, share: Math.abs(share), mark: share < 0 ? 'b' : 'g' };
    });
    return [{ text: String(y.values[index]) }, ...own];
  });
  return heading + scrolledTable(`${y.name} by ${x.name}`, [y.name, ...x.values.map(String)], body, 'heat');
}

/** Each point in the middle of its part of the axis, with its value below it. */
export function stabilityPlot(points: readonly AxisPoint[]): string {
  const plot = Plot.over(
    points.flatMap(({ mean, best }) => [mean, best]),
    ...plotSize,
    -0.5,
    points.length - 0.5,
  );
  const own = (of: 'mean' | 'best') => points.map((point, index) => [index, point[of]] as const);
  const line = (of: 'mean' | 'best'): string => plot.line(own(of), of);
  const dots = (of: 'mean' | 'best'): string => plot.dots(own(of), of);
  const step = Math.ceil(points.length / mostLabels);
  const places = points.map((_, index) => index).filter((index) => index % step === 0);
  const label = (place: number): string => escaped(String(points[place]?.value ?? ''));
  const pictures =
    points.length > mostDots ? [line('best'), line('mean')] : [line('best'), dots('best'), line('mean'), dots('mean')];
  return plot.framed('Mean and best by value', pictures.join(''), axisText, label, places);
}

function stabilityTable(name: string, points: readonly AxisPoint[], numbers: Numbers): string {
  const rows = points.map(({ value, sets, mean, best }) => [
    ...[String(value), String(sets), numbers(mean), numbers(best)],
  ]);
  return scrolledTable(`by ${name}`, [name, 'sets', 'mean', 'best'], rows);
}

function setTable({ rows, search, currency }: OptimizeReport): string {
  const names = search.axes.map(({ name }) => name);
  const done = rows.filter(({ error }) => error === null);
  const note = done.length > mostRows ? `<p>The best ${mostRows} of ${done.length}; the CSV has all of them.</p>` : '';
  const lines = done.slice(0, mostRows).map((row) => setCells(row, names, search.metric, currency));
  const head = [
    'set',
    ...(search.walkForward === null ? [] : ['window']),
    ...names,
    metricLabel(search.metric),
    'neighbours',
    ...figureHeadings(search.metric),
    'proof',
  ];
  return note + scrolledTable('sets', head, lines);
}

function setCells(
  row: ReportedRow,
  names: readonly string[],
  metricName: MetricName,
  currency: string,
): readonly string[] {
  const { set, window, params, metricText, neighbours, run, proof } = row;
  return [
    ...[String(set), ...(window === null ? [] : [String(window)]), ...names.map((name) => String(params[name]))],
    ...[metricText ?? '–', metricNumbers(metricName, currency)(neighbours)],
    ...figureCells(metricName, run?.figures ?? null, currency),
    proof ?? '–',
  ];
}

function failureTable({ rows, failed }: OptimizeReport): string {
  if (failed === 0) return '';
  const lines = rows
    .filter(({ error }) => error !== null)
    .slice(0, mostRows)
    .map(({ set, params, error }) => [String(set), paramsText(params), errorLine(error) ?? '']);
  return `<h2>Failed</h2>${scrolledTable('failed', ['set', 'params', 'error'], lines)}`;
}

/** Parameters as the page names them elsewhere: `fast 15, slow 55`. */
function paramsText(params: Readonly<Record<string, unknown>>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

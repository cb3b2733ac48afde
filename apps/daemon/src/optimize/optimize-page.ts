import { shortNumber } from '../backtest/figure-rows';
import { cells, escaped, heads } from '../backtest/page/markup';
import { pageStyle } from '../backtest/page/page-style';
import { Plot } from '../backtest/page/plot';
import { metrics, type MetricName } from './metric';
import type { OptimizeReport, ReportedRow } from './optimize-report';
import { errorLine, headOf, outOfSampleRows } from './optimize-table';
import { overfittingRows } from './overfitting';
import type { SearchRow } from './search';
import { figureCells, figureHeadings } from './set-columns';
import { heatMaps, setValues, stability, type AxisPoint, type HeatMap } from './surface';

const mostRows = 200;
const mostCells = 40_000;
/** Wider maps have their numbers in the cells' titles alone. */
const mostColumnsWithNumbers = 20;
const mostLabels = 20;
const plotSize = [1_000, 260] as const;

const style = `
.plot{background:var(--panel);border-radius:.4rem}.mean{stroke:var(--line)}.best{stroke:var(--dim);stroke-dasharray:4 3}
`;

/**
 * One self-contained HTML page without scripts: the sets, a heat map for each pair of parameters, each parameter's
 * stability, and the equity out of sample.
 * @param rows the rows of the report, from which maps and curves are made
 */
export function optimizePage(report: OptimizeReport, rows: readonly SearchRow[]): string {
  const { search, strategy } = report;
  const values = setValues(rows, search.metric, search.minTrades);
  const title = escaped(`Search over ${strategy.file} on ${Object.values(strategy.streams).join(', ')}`);
  const maps = heatMaps(search.axes, values).map((map) => heatTable(map, search.metric));
  const curves = stability(search.axes, values, search.metric).flatMap(({ axis, points }) =>
    points.length < 2
      ? []
      : [`<h2>${escaped(axis.name)}</h2>${stabilityPlot(points)}${stabilityTable(axis.name, points)}`],
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${pageStyle}${style}</style></head><body>
<h1>${title}</h1>
${headOf(report)
  .slice(1)
  .map((line) => `<p>${escaped(line)}</p>`)
  .join('\n')}
${overfittingPart(report)}
${outOfSamplePart(report)}
${maps.length === 0 ? '' : `<h1>Heat maps</h1><p>Each cell is the mean ${search.metric} of the sets with both values; – is no set with a finite value.</p>${maps.join('\n')}`}
${curves.length === 0 ? '' : `<h1>Stability of the parameters</h1><p>By value: the mean ${search.metric} over all sets that have it (line) and the best (dashed). A good value has good neighbours.</p>${curves.join('\n')}`}
<h1>Sets</h1>${setTable(report)}
${failureTable(report)}
</body></html>
`;
}

function overfittingPart({ overfitting, windows }: OptimizeReport): string {
  if (windows !== null) return '';
  const rows = overfittingRows(overfitting).map(
    ([figure, value, meaning]) => `<p><b>${escaped(`${figure}: ${value}`)}</b> ${escaped(meaning)}.</p>`,
  );
  return `<h1>Is the best set luck?</h1>${rows.join('')}`;
}

function outOfSamplePart(report: OptimizeReport): string {
  const { outOfSample, windows, search } = report;
  if (windows === null) return '';
  const rows = windows.map(({ window, train, test, params, trainMetricText, testMetricText, run, error }) =>
    cells([
      ...[String(window), train.from.slice(0, 10), test.from.slice(0, 10), test.to.slice(0, 10)],
      ...[params === null ? '–' : JSON.stringify(params), trainMetricText ?? '–'],
      error === null ? (testMetricText ?? '–') : 'failed',
      ...[shortNumber(run?.figures.netProfit ?? null), shortNumber(run?.figures.openProfit ?? null)],
    ]),
  );
  const head = [
    'window',
    'trained from',
    'tested from',
    'to',
    'params',
    `train ${search.metric}`,
    `test ${search.metric}`,
    ...['test net profit', 'test floating'],
  ];
  const table = `<div class="scroll"><table>${heads(head)}${rows.map((row) => `<tr>${row}</tr>`).join('\n')}</table></div>`;
  if (outOfSample === null) return `<h1>Walk-forward</h1>${table}`;
  const figures = outOfSampleRows(report).map(
    ([label, value]) => `<div><b>${escaped(value)}</b>${escaped(label)}</div>`,
  );
  const points = outOfSample.curve;
  const [from, to] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  const plot = Plot.over(
    points.map(([, equity]) => equity),
    ...plotSize,
    from,
    to,
  );
  const picture = plot.framed(
    plot.line(points, 'equity'),
    (value) => value.toFixed(2),
    (timeMs) => new Date(timeMs).toISOString().slice(0, 10),
  );
  return `<h1>Out of sample</h1><div class="figures">${figures.join('')}</div>${svg('Equity out of sample', picture)}${table}`;
}

function heatTable({ x, y, cells: rows }: HeatMap, metric: MetricName): string {
  const title = `<h2>${escaped(y.name)} by ${escaped(x.name)}</h2>`;
  if (x.values.length * y.values.length > mostCells) {
    return `${title}<p>${x.values.length * y.values.length} cells are more than a page can show.</p>`;
  }
  const known = rows.flat().filter((value) => value !== null);
  const [low, high] = known.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
  const hasNumbers = x.values.length <= mostColumnsWithNumbers;
  const body = rows.map((row, index) => {
    const own = row.map((value, column) => {
      if (value === null) return '<td>–</td>';
      const where = `${y.name} ${y.values[index]}, ${x.name} ${x.values[column]}: ${value}`;
      const share = high > low ? (value - low) / (high - low) : 1;
      const goodness = metrics[metric].better === 'higher' ? share : 1 - share;
      const [side, strength] = goodness >= 0.5 ? ['g', goodness * 2 - 1] : ['b', 1 - goodness * 2];
      return `<td class="${side}" style="--s:${strength.toFixed(2)}" title="${escaped(where)}">${hasNumbers ? shortNumber(value) : ''}</td>`;
    });
    return `<tr><td>${escaped(String(y.values[index]))}</td>${own.join('')}</tr>`;
  });
  return `${title}<div class="scroll"><table class="heat">${heads(['', ...x.values.map(String)])}${body.join('\n')}</table></div>`;
}

/** Each point in the middle of its part of the axis, with its value below it. */
export function stabilityPlot(points: readonly AxisPoint[]): string {
  const plot = Plot.over(
    points.flatMap(({ mean, best }) => [mean, best]),
    ...plotSize,
    -0.5,
    points.length - 0.5,
  );
  const line = (of: 'mean' | 'best'): string =>
    plot.line(
      points.map((point, index) => [index, point[of]] as const),
      of,
    );
  const step = Math.ceil(points.length / mostLabels);
  const places = points.map((_, index) => index).filter((index) => index % step === 0);
  const label = (place: number): string => escaped(String(points[place]?.value ?? ''));
  return svg('Mean and best by value', plot.framed(line('best') + line('mean'), shortNumber, label, places));
}

function stabilityTable(name: string, points: readonly AxisPoint[]): string {
  const rows = points.map(({ value, sets, mean, best }) =>
    cells([String(value), String(sets), shortNumber(mean), shortNumber(best)]),
  );
  return `<div class="scroll"><table>${heads([name, 'sets', 'mean', 'best'])}${rows.map((row) => `<tr>${row}</tr>`).join('\n')}</table></div>`;
}

function setTable({ rows, search }: OptimizeReport): string {
  const names = search.axes.map(({ name }) => name);
  const done = rows.filter(({ error }) => error === null);
  const note = done.length > mostRows ? `<p>The best ${mostRows} of ${done.length}; the CSV has all of them.</p>` : '';
  const lines = done.slice(0, mostRows).map((row) => `<tr>${setCells(row, names, search.metric)}</tr>`);
  const head = ['set', 'window', ...names, search.metric, 'neighbours', ...figureHeadings(search.metric)];
  return `${note}<div class="scroll"><table>${heads(head)}${lines.join('\n')}</table></div>`;
}

function setCells(row: ReportedRow, names: readonly string[], metricName: MetricName): string {
  const { set, window, params, metricText, neighbours, run } = row;
  return cells([
    ...[String(set), window === null ? '–' : String(window), ...names.map((name) => String(params[name]))],
    ...[metricText ?? '–', shortNumber(neighbours), ...figureCells(metricName, run?.figures ?? null)],
  ]);
}

function failureTable({ rows, failed }: OptimizeReport): string {
  if (failed === 0) return '';
  const lines = rows
    .filter(({ error }) => error !== null)
    .slice(0, mostRows)
    .map(
      ({ set, params, error }) => `<tr>${cells([String(set), JSON.stringify(params), errorLine(error) ?? ''])}</tr>`,
    );
  return `<h1>Failed</h1><div class="scroll"><table>${heads(['set', 'params', 'error'])}${lines.join('\n')}</table></div>`;
}

function svg(title: string, picture: string): string {
  const [width, height] = plotSize;
  return `<div class="plot"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${picture}</svg></div>`;
}

import { table } from '@libs/command-line';
import { countText } from '@libs/gateway-client/figure-text';
import { amountsIn, shortNumber } from '../backtest/figure-rows';
import type { OptimizeReport, ReportedRow, Screening } from './optimize-report';
import { overfittingRows } from './overfitting';
import type { Figures } from '../backtest/figures';
import { metricLabel, metricNumbers, type MetricName } from './metric';

/** The report of a search as text for a terminal. @param top rows of sets, at most */
export function optimizeTable(report: OptimizeReport, top: number): string {
  const { windows, outOfSample } = report;
  const parts = [
    headOf(report).join('\n'),
    rowTable(report, report.rows.filter(({ error }) => error === null).slice(0, top)),
    ...(windows === null ? [overfittingLines(report)] : []),
    ...(windows === null || windows.length === 0 ? [] : [windowTable(report)]),
    ...(outOfSample === null ? [] : [outOfSampleLines(report).join('\n')]),
    ...failureParts(report, top),
  ];
  return parts.join('\n\n');
}

/** What was searched, in lines. */
export function headOf({
  strategy,
  prices,
  capital,
  currency,
  search,
  isComplete,
  failed,
  rows,
  screening,
}: OptimizeReport): readonly string[] {
  const streams = Object.entries(strategy.streams).map(([alias, stream]) => `${alias} ${stream}`);
  const axes = search.axes.map(({ name, values }) => `${name} (${values.length})`).join(' × ');
  const drawn = search.random === null ? '' : ` drawn by seed ${search.random.seed}`;
  const where = search.where.length === 0 ? '' : ` where ${search.where.join(', ')}`;
  return [
    `${strategy.file} version ${strategy.version} on ${streams.join(', ')}`,
    `params    ${JSON.stringify(strategy.params)}`,
    `prices    ${prices.join(', ')}`,
    `capital   ${capital} ${currency}`,
    `sets      ${search.sets} of ${search.gridSets}${drawn}: ${axes}${where}`,
    `ranked by ${metricLabel(search.metric)}${rows.some(({ metric, metricText }) => metric !== null || metricText === 'unbounded') ? '' : ', of which no set has a value'}`,
    ...(search.minTrades === 0 ? [] : [`not ranked: sets with fewer than ${countText(search.minTrades, 'trade')}`]),
    ...(search.walkForward === null
      ? []
      : [`windows   ${search.walkForward}: trained on the first part, tested on the second`]),
    ...screeningLines(screening),
    ...(failed === 0 ? [] : [`failed    ${failed}`]),
    ...(isComplete ? [] : [`stopped   after ${rows.length} of ${countText(search.runs, 'run')}`]),
  ];
}

/** Where the figures come from; nothing where every set ran in the full engine because the kernel was not asked. */
function screeningLines({ screened, confirmed, engine, reasons, disagreements }: Screening): readonly string[] {
  const why = Object.entries(reasons).map(([reason, sets]) => `${reason} (${sets})`);
  if (screened + confirmed + disagreements + why.length === 0) return [];
  return [
    `figures   ${screened} screened by the kernel alone, ${confirmed} confirmed by the full engine, ${engine} of the full engine`,
    ...(why.length === 0 ? [] : [`engine    because ${why.join(', ')}`]),
    ...(disagreements === 0
      ? []
      : [
          `WRONG     kernel and engine disagree in ${countText(disagreements, 'run')}: report it with the ledgers that --json has`,
        ]),
  ];
}

function rowTable({ search, currency }: OptimizeReport, rows: readonly ReportedRow[]): string {
  const hasWindows = search.walkForward !== null;
  const names = search.axes.map(({ name }) => name);
  const headings = ['SET', ...(hasWindows ? ['WINDOW'] : []), ...names.map((name) => name.toUpperCase())];
  const { metric: metricName } = search;
  const figures = figureHeadings(metricName).map((name) => name.toUpperCase());
  return table(
    [...headings, metricLabel(metricName).toUpperCase(), 'NEIGHBOURS', ...figures, 'PROOF'],
    rows.map(({ set, window, params, metricText, neighbours, run, proof }) => [
      ...[set, ...(hasWindows ? [window] : []), ...names.map((name) => String(params[name]))],
      ...[metricText ?? '–', metricNumbers(metricName, currency)(neighbours)],
      ...figureCells(metricName, run?.figures ?? null, currency),
      proof ?? '–',
    ]),
  );
}

function windowTable({ windows, search, currency }: OptimizeReport): string {
  const money = amountsIn(currency);
  return table(
    [
      'WINDOW',
      'TRAINED FROM',
      'TESTED FROM',
      'TO',
      'SET',
      'PARAMS',
      `TRAIN ${metricLabel(search.metric).toUpperCase()}`,
      `TEST ${metricLabel(search.metric).toUpperCase()}`,
      ...['TEST NET PROFIT', 'TEST FLOATING', 'TRADES'],
    ],
    (windows ?? []).map(({ window, train, test, set, params, trainMetricText, testMetricText, run, error }) => [
      ...[window, day(train.from), day(test.from), day(test.to), set, params && JSON.stringify(params)],
      ...[trainMetricText ?? '–', error === null ? (testMetricText ?? '–') : 'failed'],
      ...[money(run?.figures.netProfit ?? null), money(run?.figures.openProfit ?? null)],
      run?.figures.trades,
    ]),
  );
}

/** The figures out of sample, by name. */
export function outOfSampleRows({ outOfSample, currency }: OptimizeReport): readonly (readonly [string, string])[] {
  if (outOfSample === null) return [];
  const { netProfit, openProfit, trades, maxDrawdown, maxDrawdownPct, sharpe } = outOfSample;
  const { windows, profitableWindows, efficiencyPct } = outOfSample;
  const money = amountsIn(currency);
  return [
    ['out-of-sample net profit', money(netProfit)],
    ['floating at the end of the parts', money(openProfit)],
    ['trades', String(trades)],
    ['max drawdown', `${money(maxDrawdown)} (${shortNumber(maxDrawdownPct)} %)`],
    ['Sharpe, annualised', shortNumber(sharpe)],
    ['profitable windows', `${profitableWindows} of ${windows}`],
    ['efficiency', efficiencyPct === null ? '–' : `${shortNumber(efficiencyPct)} %`],
  ];
}

/** A sentence is too long for a column. */
function overfittingLines({ overfitting }: OptimizeReport): string {
  return overfittingRows(overfitting)
    .map(([figure, value, meaning]) => `${figure}: ${value}\n  ${meaning}`)
    .join('\n');
}

function outOfSampleLines(report: OptimizeReport): readonly string[] {
  return [table(['OUT OF SAMPLE', 'VALUE'], outOfSampleRows(report))];
}

function failureParts({ rows, windows }: OptimizeReport, top: number): readonly string[] {
  const failed = [
    ...rows.map(({ set, params, error }) => [set, JSON.stringify(params), errorLine(error)]),
    ...(windows ?? []).map(({ window, params, error }) => [
      `test ${window}`,
      params && JSON.stringify(params),
      errorLine(error),
    ]),
  ].filter(([, , error]) => error !== null);
  return failed.length === 0 ? [] : [table(['FAILED', 'PARAMS', 'ERROR'], failed.slice(0, top))];
}

/** The error in one line, with the place in the strategy's file that it came from. */
export function errorLine(error: string | null): string | null {
  if (error === null) return null;
  const [first = '', thrown = ''] = error.split('\n');
  const place = /([^/\\()\s]+:\d+):\d+\)?$/.exec(thrown)?.[1];
  return place === undefined ? first : `${first} (${place})`;
}

function day(iso: string): string {
  return iso.slice(0, 10);
}

/** How values of a column are written, by the currency of the account. */
type TextIn = (currency: string) => (value: number | null) => string;

const columns = [
  ['net profit', 'netProfit', amountsIn],
  ['floating', 'openProfit', amountsIn],
  ['return %', 'returnPct', () => shortNumber],
  ['trades', 'trades', () => (trades) => (trades === null ? '–' : String(trades))],
  ['max drawdown %', 'maxDrawdownPct', () => shortNumber],
  ['Sharpe', 'sharpe', () => shortNumber],
] as const satisfies readonly (readonly [heading: string, figure: keyof Figures, textIn: TextIn])[];

/** The figures that table and page show of a set beside the metric, which has a column of its own. */
export function figureHeadings(metric: MetricName): readonly string[] {
  return columnsBeside(metric).map(([heading]) => heading);
}

/** Their values as text; `–` for a set without a result. */
export function figureCells(metric: MetricName, figures: Figures | null, currency: string): readonly string[] {
  return columnsBeside(metric).map(([, figure, textIn]) => textIn(currency)(figures?.[figure] ?? null));
}

function columnsBeside(metric: MetricName): readonly (typeof columns)[number][] {
  return columns.filter(([, figure]) => figure !== metric);
}

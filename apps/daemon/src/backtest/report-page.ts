import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { countText, currencyDigits } from '@libs/gateway-client/figure-text';
import { build } from 'esbuild';
import { pastText } from '../strategies/worker/warmup';
import { faultsText } from './accepted-faults';
import type { BasketBenchmark, Benchmark } from './benchmark';
import { assumptionsText, fillRuleText } from './broker-terms';
import { figureRows } from './figure-rows';
import { keyFigureParts } from './page/key-figures';
import { escaped, grouped, money } from './page/markup';
import { pageColumns } from './page/page-columns';
import type { PageData } from './page/page-data';
import { pageStyle, strategyMark, strategyStyle } from './page/page-style';
import {
  benchmarkPart,
  breakdownParts,
  drawdownPart,
  monthsPart,
  openPart,
  rejectPart,
  tradeOrderPart,
} from './page/report-parts';
import { shown } from './period';
import type { BacktestColumns, BacktestReport } from './report';
import type { WithTradeOrders } from './trade-order-rows';

/** What a page of a single account shows, whatever it is a report of. */
export type PagedReport = Pick<
  BacktestReport,
  'account' | 'figures' | 'months' | 'benchmark' | 'drawdowns' | 'breakdowns' | 'rejects' | 'trades'
> &
  WithTradeOrders;

/** The same, where what was held to compare with may be several symbols. */
export type AccountReport = Omit<PagedReport, 'benchmark' | 'rejects' | 'trades'> & {
  readonly benchmark: Benchmark | BasketBenchmark | null;
};

/** What a page has around the figures, charts and tables that every page of an account has. Texts are HTML. */
export interface PageFrame {
  readonly heading: string;
  /** The line below the heading. */
  readonly lead: string;
  /** What has to be known before any figure is believed. */
  readonly warnings?: readonly string[];
  /** Folded: title, and text. */
  readonly folds: readonly (readonly [title: string, html: string])[];
  /** What is of this kind of report only: after the charts, and before the list of trades. */
  readonly own?: string;
  readonly last: string;
  /** What buy and hold is compared with. */
  readonly subject?: string;
}

/** One self-contained HTML page: figures, charts, months, drawdowns, groups of trades and the list of trades. */
export async function reportPage(report: BacktestReport & WithTradeOrders, columns: BacktestColumns): Promise<string> {
  const { strategy, range } = report;
  const streams = Object.values(strategy.streams).join(', ');
  const missing = Object.entries(range.gaps).flatMap(([symbol, { missingBars }]) =>
    missingBars
      ? [
          `<p class="warn">${grouped(countText(missingBars, 'bar'))} of ${escaped(symbol)} ${missingBars === 1 ? 'is' : 'are'} missing.</p>`,
        ]
      : [],
  );
  const frame: PageFrame = {
    heading: `${strategy.file} on ${streams}`,
    lead: `Backtest · ${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC · ${grouped(String(range.bars))} bars after ${pastText(range)} · leverage 1:${report.account.leverage} · version ${strategy.version}`,
    warnings: [...haltWarnings('Halted before the end', report.haltReason), ...missing, ...faultWarnings(range.faults)],
    folds: [conditions([`Parameters: <code>${escaped(JSON.stringify(strategy.params))}</code>`], report)],
    last: `${rejectPart(report)}${openPart(report.openPositions, report.assumptions.symbols, report.account.currency)}`,
  };
  return accountPage(frame, report, pageColumns(report, columns));
}

/** How a run was made. @param lines of its own, as HTML */
export function conditions(
  lines: readonly string[],
  { assumptions, fillRule }: Pick<BacktestReport, 'assumptions' | 'fillRule'>,
): readonly [title: string, html: string] {
  const fills = fillRuleText(fillRule);
  const all = [
    ...lines,
    `Broker: ${escaped(assumptionsText(assumptions))}.`,
    ...(fills === null ? [] : [`Fills ${escaped(fills)}.`]),
  ];
  return ['How it was run', all.map((line) => `<p>${line}</p>`).join('')];
}

/** Why it was halted, if it was. */
export function haltWarnings(what: string, reason: string | null): readonly string[] {
  return reason === null ? [] : [`<p class="warn"><b>${what}:</b> ${escaped(reason)}</p>`];
}

/** The faulty prices that a run accepted. */
export function faultWarnings(faults: BacktestReport['range']['faults']): readonly string[] {
  return Object.entries(faults).map(
    ([symbol, found]) => `<p class="warn">Faulty prices of ${escaped(faultsText(symbol, found))}.</p>`,
  );
}

/** The page of a report. */
export async function accountPage(frame: PageFrame, report: AccountReport, data: PageData): Promise<string> {
  const title = escaped(frame.heading);
  const figures = figureRows(report, (amount) => money(amount, currencyDigits(report.account.currency))).map(
    ([label, value]) => `<div><b>${escaped(grouped(value))}</b>${escaped(label)}</div>`,
  );
  const folds = [['All figures', `<div class="figures">${figures.join('')}</div>`] as const, ...frame.folds];
  const hasPrices = data.bars.length > 0;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${pageStyle}${data.strategies ? strategyStyle : ''}${readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')}</style></head><body><main>
<h1>${title}</h1>
<p>${frame.lead}</p>
${(frame.warnings ?? []).join('\n')}
${keyFigureParts(report)}
<div class="folds">${folds.map(([name, html]) => `<details><summary>${name}</summary>${html}</details>`).join('')}</div>
<section>
<div class="tools" role="group" aria-label="charts"><button data-key="+" aria-label="zoom in">+</button><button data-key="-" aria-label="zoom out">−</button>
<button data-key="PageUp" aria-label="earlier">◀</button><button data-key="PageDown" aria-label="later">▶</button>
<button data-key="Home">All</button><output id="readout" aria-live="polite"></output></div>
${chart('equity', 'Equity', equityLegend(data), 250)}${chart('drawdown', 'Drawdown', 'below the highest equity before, %', 110)}
<div${hasPrices ? '' : ' hidden'}>${chart('prices', 'Trades on the price', '▲ bought ▼ sold ● closed, coloured by result', 340)}</div>
<noscript><p>The charts need JavaScript; it is in this file, and nothing is fetched.</p></noscript>
<p>Times are UTC; a time without prices, such as a weekend, is left out. Drag to zoom in; with a chart focused, arrows step through the ${hasPrices ? 'bars' : 'minutes'}, + and − zoom.</p>
</section>
${frame.own ?? ''}
${monthsPart(report)}
${rollingPart(data)}
${tradePlots(data)}
${benchmarkPart(report.benchmark, report.figures, frame.subject)}
${drawdownPart(report)}
${tradeOrderPart(report)}
${breakdownParts(report)}
${frame.last}
<h2>Trades</h2>${data.trades.length === 0 ? '<p>No closed trades.</p>' : ''}<div${data.trades.length === 0 ? ' hidden' : ''}>
<div class="tools still"><button id="csv">Save as CSV</button><button id="more">Show all</button></div>
<div class="scroll" tabindex="0" role="group" aria-label="trades"><table id="trades" class="cards" role="table"></table></div></div>
</main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script>${(await viewScript()).replaceAll('</', '<\\/')}</script>
</body></html>
`;
}

/** What the lines of the equity are. */
function equityLegend({ charted, strategies = [] }: PageData): string {
  const named = (mark: string, name: string): string => `<span class="legend-name">${mark} ${name}</span>`;
  const own = strategies.map((name, index) => named(strategyMark(index), escaped(name)));
  const held = charted === '' ? [] : [`<span class="mark dash"></span>${escaped(charted)}, bought and held`];
  if (own.length === 0) return held.join('');
  const account = named('<span style="color:var(--line)">■</span>', 'account');
  return [...held, account, ...own, 'each with the capital of the account'].join(' · ');
}

function rollingPart({ rolling }: PageData): string {
  return rolling === undefined ? '' : chart('rolling', 'Rolling Sharpe', `of ${rolling.days} trading days`, 160);
}

/** The places of the pictures of the trades; none without a trade. */
function tradePlots({ trades }: PageData): string {
  const known = trades.filter((trade) => trade.at(-1) !== null && trade.at(-2) !== null).length;
  const part = (id: string, title: string, legend: string): string =>
    `<div class="card"><h2>${title} <small>${legend}</small></h2><div id="${id}"></div></div>`;
  const moves = `against the position (across) and for it (up), % of the entry${known === trades.length ? '' : `; known of ${known} of ${trades.length} trades`}`;
  return (
    `<div class="groups"${trades.length === 0 ? ' hidden' : ''}>${part('distribution', 'Trades by result', 'number of trades')}` +
    `<div${known === 0 ? ' hidden' : ''}>${part('excursions', 'How far trades went', moves)}</div></div>`
  );
}

/** The place of a chart. @param legend what it shows, as HTML */
function chart(id: string, title: string, legend: string, height: number): string {
  return (
    `<div class="card"><h2>${title} <small>${legend}</small></h2><div class="chart" id="${id}" tabindex="0" role="application" ` +
    `aria-label="${title}" aria-describedby="readout" style="min-height:${height}px"></div></div>`
  );
}

/** The charts' script as one text; from the sources under test, from their translation otherwise. */
async function viewScript(): Promise<string> {
  const entry = ['ts', 'js'].map((end) => join(__dirname, `page/report-view.${end}`)).find(existsSync);
  if (entry === undefined) throw new Error('the view of the report is missing from this build');
  const options = { bundle: true, format: 'iife', platform: 'browser', target: 'es2020', minify: true } as const;
  // The license of uPlot requires that every copy contains it.
  const license = readFileSync(join(dirname(require.resolve('uplot/dist/uPlot.min.css')), '../LICENSE'), 'utf8');
  const banner = { js: `/*\n${license}*/` };
  const { outputFiles } = await build({ ...options, banner, entryPoints: [entry], write: false, logLevel: 'silent' });
  return outputFiles[0]?.text ?? '';
}

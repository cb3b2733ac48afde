import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { pastText } from '../strategies/worker/warmup';
import { assumptionsText } from './broker-terms';
import { fillRuleText } from './fill-rule';
import { figureRows } from './figure-rows';
import { escaped } from './page/markup';
import { pageColumns } from './page/page-columns';
import type { PageData } from './page/page-data';
import { pageStyle, strategyStyle } from './page/page-style';
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
import { faultsText } from './accepted-faults';
import type { BacktestColumns, BacktestReport } from './report';
import type { WithTradeOrders } from './trade-order-rows';

/** What a page of a single account shows, whatever it is a report of. */
export type PagedReport = Pick<
  BacktestReport,
  'account' | 'figures' | 'months' | 'benchmark' | 'drawdowns' | 'breakdowns' | 'rejects' | 'trades'
> &
  Partial<Pick<BacktestReport, 'openPositions' | 'assumptions'>> &
  WithTradeOrders;

/** One self-contained HTML page: figures, charts, months, drawdowns, groups of trades and the list of trades. */
export async function reportPage(report: BacktestReport & WithTradeOrders, columns: BacktestColumns): Promise<string> {
  const { strategy, range } = report;
  const streams = Object.values(strategy.streams).join(', ');
  const missing = Object.entries(range.gaps)
    .flatMap(([symbol, { missingBars }]) => (missingBars ? [` · ${missingBars} bars of ${symbol} missing`] : []))
    .join('');
  const fillRule = fillRuleText(report.fillRule);
  const intro = [
    `<p>${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC · ${range.bars} bars after ${pastText(range)}${missing} · version ${strategy.version} · <code>${escaped(JSON.stringify(strategy.params))}</code></p>`,
    `<p>Broker: ${escaped(assumptionsText(report.assumptions))}.</p>`,
    ...(fillRule === null ? [] : [`<p>Fills ${escaped(fillRule)}.</p>`]),
    ...Object.entries(range.faults).map(
      ([symbol, faults]) => `<p>Faulty prices of ${escaped(faultsText(symbol, faults))}.</p>`,
    ),
    ...(report.haltReason === null ? [] : [`<p><b>Halted before the end:</b> ${escaped(report.haltReason)}</p>`]),
  ];
  return accountPage(`${strategy.file} on ${streams}`, intro, report, pageColumns(report, columns));
}

/**
 * The page of a report.
 * @param intro its first paragraphs, as HTML
 */
export async function accountPage(
  heading: string,
  intro: readonly string[],
  report: PagedReport,
  data: PageData,
): Promise<string> {
  const title = escaped(heading);
  const figures = figureRows(report).map(([label, value]) => `<div><b>${escaped(value)}</b>${escaped(label)}</div>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${pageStyle}${data.strategies ? strategyStyle : ''}${readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')}</style></head><body>
<h1>${title}</h1>
${intro.join('\n')}
<div class="figures">${figures.join('')}</div>
<h2>Charts</h2>
<div class="tools"><button data-key="+" aria-label="zoom in">+</button><button data-key="-" aria-label="zoom out">−</button>
<button data-key="PageUp" aria-label="earlier">◀</button><button data-key="PageDown" aria-label="later">▶</button>
<button data-key="Home">all</button><output id="readout" aria-live="polite"></output></div>
<p>Drag to zoom in; with a chart focused, arrows step through the bars, + and − zoom. ▲ bought, ▼ sold, ● closed.</p>
${chart('prices', 'Trades on the price', 320)}${chart('equity', 'Equity, and buy and hold (dashed)', 220)}${chart('drawdown', 'Drawdown', 130)}
<noscript><p>The charts need JavaScript; it is in this file, and nothing is fetched.</p></noscript>
${benchmarkPart(report.benchmark, report.figures)}
${monthsPart(report)}
${drawdownPart(report)}
${tradeOrderPart(report)}
${breakdownParts(report)}
${rejectPart(report)}
${openPart(report.openPositions ?? [], report.assumptions?.symbols ?? {})}
<h2>Trades</h2><div class="tools still"><button id="csv">save as CSV</button><button id="more">show all</button></div>
<div class="scroll"><table id="trades"></table></div>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script>${(await viewScript()).replaceAll('</', '<\\/')}</script>
</body></html>
`;
}

/** The place of a chart. */
export function chart(id: string, title: string, height: number): string {
  return (
    `<h2>${title}</h2><div class="chart" id="${id}" tabindex="0" role="application" aria-label="${title}" ` +
    `aria-describedby="readout" style="min-height:${height}px"></div>`
  );
}

/** The charts' script as one text; from the sources under test, from their translation otherwise. */
export async function viewScript(): Promise<string> {
  const entry = ['ts', 'js'].map((end) => join(__dirname, `page/report-view.${end}`)).find(existsSync);
  if (entry === undefined) throw new Error('the view of the report is missing from this build');
  const options = { bundle: true, format: 'iife', platform: 'browser', target: 'es2020', minify: true } as const;
  // The license of uPlot requires that every copy contains it.
  const license = readFileSync(join(dirname(require.resolve('uplot/dist/uPlot.min.css')), '../LICENSE'), 'utf8');
  const banner = { js: `/*\n${license}*/` };
  const { outputFiles } = await build({ ...options, banner, entryPoints: [entry], write: false, logLevel: 'silent' });
  return outputFiles[0]?.text ?? '';
}

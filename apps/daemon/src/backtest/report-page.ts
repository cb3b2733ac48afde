import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { warmupText } from '../strategies/worker/warmup';
import { assumptionsText } from './broker-terms';
import { fillRuleText } from './fill-rule';
import { figureRows, shortNumber } from './figure-rows';
import { cells, escaped, heads } from './page/markup';
import { pageColumns } from './page/page-columns';
import { pageStyle } from './page/page-style';
import { shown } from './period';
import { faultsText } from './recorded-prices';
import type { BacktestColumns, BacktestReport } from './report';
import type { RoundTrip } from './round-trip';

/** One self-contained HTML page: figures, months, price with trades, equity, drawdown and the list of trades. */
export async function reportPage(report: BacktestReport, columns: BacktestColumns): Promise<string> {
  const { strategy, range, months } = report;
  const streams = Object.values(strategy.streams).join(', ');
  const missing = Object.entries(range.gaps)
    .flatMap(([symbol, { missingBars }]) => (missingBars ? [` · ${missingBars} bars of ${symbol} missing`] : []))
    .join('');
  const fillRule = fillRuleText(report.fillRule);
  const title = escaped(`${strategy.file} on ${streams}`);
  const figures = figureRows(report).map(([label, value]) => `<div><b>${escaped(value)}</b>${escaped(label)}</div>`);
  const monthRows = months.map((month) =>
    cells([
      ...[month.month, shortNumber(month.profit), shortNumber(month.returnPct), shortNumber(month.maxDrawdownPct)],
      ...[String(month.trades), String(month.wins), shortNumber(month.endEquity)],
    ]),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${pageStyle}</style></head><body>
<h1>${title}</h1>
<p>${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC · ${range.bars} bars after ${warmupText(range.warmupBars)} to warm up${missing} · version ${strategy.version} · <code>${escaped(JSON.stringify(strategy.params))}</code></p>
<p>Broker: ${escaped(assumptionsText(report.assumptions))}.</p>
${fillRule === null ? '' : `<p>Fills ${escaped(fillRule)}.</p>`}
${Object.entries(range.faults)
  .map(([symbol, faults]) => `<p>Faulty prices of ${escaped(faultsText(symbol, faults))}.</p>`)
  .join('')}
${report.haltReason === null ? '' : `<p><b>Halted before the end:</b> ${escaped(report.haltReason)}</p>`}
<div class="figures">${figures.join('')}</div>
<h2>Charts</h2>
<div class="tools"><button data-key="+" aria-label="zoom in">+</button><button data-key="-" aria-label="zoom out">−</button>
<button data-key="PageUp" aria-label="earlier">◀</button><button data-key="PageDown" aria-label="later">▶</button>
<button data-key="Home">all</button><output id="readout" aria-live="polite"></output></div>
<p>Drag to look closer; with a chart focused, arrows step through the bars, + and − zoom. ▲ bought, ▼ sold, ● closed.</p>
${chart('prices', 'Trades on the price', 320)}${chart('equity', 'Equity', 220)}${chart('drawdown', 'Drawdown', 130)}
<noscript><p>The charts need JavaScript; it is in this file, and nothing is fetched.</p></noscript>
<h2>Months</h2><div class="scroll"><table>${heads(['month', 'profit', 'return %', 'max drawdown %', 'trades', 'wins', 'end equity'])}
${monthRows.map((row) => `<tr>${row}</tr>`).join('\n')}</table></div>
${rejectTable(report)}
<h2>Trades</h2><div class="scroll"><table>${heads(['opened', 'closed', 'side', 'symbol', 'lots', 'entry', 'exit', 'by', 'costs', 'result'])}
${report.trades.map(tradeRow).join('\n')}</table></div>
<script type="application/json" id="data">${JSON.stringify(pageColumns(report, columns)).replaceAll('<', '\\u003c')}</script>
<script>${(await viewScript()).replaceAll('</', '<\\/')}</script>
</body></html>
`;
}

function chart(id: string, title: string, height: number): string {
  return (
    `<h2>${title}</h2><div class="chart" id="${id}" data-height="${height}" tabindex="0" role="application" aria-label="${title}" ` +
    `aria-describedby="readout"><svg height="${height}" role="img"></svg></div>`
  );
}

function tradeRow(trip: RoundTrip, index: number): string {
  const { openedMs, closedMs, side, symbol, volume, entryPrice, exitPrice, exitReason, commission, swap } = trip;
  const costs = shortNumber(commission + swap);
  const texts = [time(openedMs), time(closedMs), side, symbol, String(volume), String(entryPrice), String(exitPrice)];
  const result = `<td class="${trip.realized < 0 ? 'loss' : 'gain'}">${shortNumber(trip.realized)}</td>`;
  return `<tr tabindex="0" data-trade="${index}">${cells([...texts, exitReason, costs])}${result}</tr>`;
}

function rejectTable({ rejects }: BacktestReport): string {
  if (rejects.length === 0) return '';
  const rows = rejects.map(({ count, kind, reason }) => `<tr>${cells([reason, kind, String(count)])}</tr>`);
  return `<h2>Rejects</h2><div class="scroll"><table>${heads(['reason', 'kind', 'times'])}${rows.join('')}</table></div>`;
}

/** The charts' script as one text; from the sources under test, from their translation otherwise. */
async function viewScript(): Promise<string> {
  const entry = ['ts', 'js'].map((end) => join(__dirname, `page/report-view.${end}`)).find(existsSync);
  if (entry === undefined) throw new Error('the view of the report is missing from this build');
  const options = { bundle: true, format: 'iife', platform: 'browser', target: 'es2020', minify: true } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [entry], write: false, logLevel: 'silent' });
  return outputFiles[0]?.text ?? '';
}

function time(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
}

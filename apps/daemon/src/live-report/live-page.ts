import { priceText, shownDigits, volumeText } from '@libs/gateway-client';
import { amountsIn } from '../backtest/figure-rows';
import { sum } from '../backtest/exact-sum';
import { escaped } from '../backtest/page/markup';
import { pageColumns } from '../backtest/page/page-columns';
import { strategyMark } from '../backtest/page/page-style';
import { rejectPart, tableOf } from '../backtest/page/report-parts';
import { shown } from '../backtest/period';
import { accountPage, haltWarnings, type PageFrame } from '../backtest/report-page';
import type { LiveColumns, LiveReport } from './live-report';
import { headLines } from './live-table';

/** One self-contained HTML page of a live strategy or portfolio, as that of a backtest. */
export async function livePage(report: LiveReport, columns: LiveColumns): Promise<string> {
  const { live, haltReason, strategies } = report;
  const [made = '', period = ''] = headLines(report);
  const running = strategies.map(({ name, file, magic, params, streams }, index) => {
    const text = `${name}: ${file} on ${Object.values(streams).join(', ')}, magic ${magic}`;
    const mark = columns.strategies.length === 0 ? '' : `${strategyMark(index)} `;
    return `<p>${mark}${escaped(text)} · <code>${escaped(JSON.stringify(params))}</code></p>`;
  });
  const frame: PageFrame = {
    heading: `Live: ${report.name}`,
    lead: `${escaped(period)}<br>${escaped(made)}`,
    warnings: haltWarnings('Halted now', haltReason),
    folds: [
      ['What it runs', running.join('')],
      ['What this page cannot know', `<ul>${live.unknown.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`],
    ],
    own: openPart(report),
    last: rejectPart(report),
  };
  return accountPage(frame, report, pageColumns(report, columns, columns.strategies));
}

function openPart({ open, trades, account }: LiveReport): string {
  const amount = amountsIn(account.currency);
  if (open.length === 0) return '';
  const digitsOf = (symbol: string): number =>
    shownDigits([...open, ...trades].filter((one) => one.symbol === symbol).map(({ entryPrice }) => entryPrice));
  const rows = open.map(({ strategy, side, symbol, volume, openedMs, entryPrice, realized, floating }) => [
    ...[strategy, side, symbol, volumeText(volume), shown(openedMs), priceText(entryPrice, digitsOf(symbol))],
    amount(floating === null ? null : sum([realized, floating])),
  ]);
  const names = ['strategy', 'side', 'symbol', 'lots', 'opened', 'entry', 'result so far'];
  return tableOf('Open at the end', names, rows);
}

import { shown } from '../backtest/period';
import { resultTables } from '../backtest/report-table';
import type { LiveReport } from './live-report';

/** What a report is made from, in lines: server and account, whether the money is real, period and age. */
export function headLines({ live, range }: LiveReport): readonly string[] {
  const accounts = live.accounts.map(({ gateway, login, server, currency, tradeMode }) => {
    return `account ${login} on ${server} (${tradeMode}, ${currency}) by gateway ${gateway}`;
  });
  const records = live.records === 'none' ? 'no records of the daemon' : `records of the ${live.records}`;
  return [
    `Made from the broker's deals of ${accounts.join(' and ')}, and ${records}.`,
    `${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC, ${range.bars} ${range.timeframe} bars; read at ${shown(Date.parse(live.readAt))} UTC.`,
  ];
}

/** A live report as text for a terminal. */
export function liveTable(report: LiveReport): string {
  const { name, live, haltReason, account } = report;
  const parts = [
    [
      name,
      ...headLines(report),
      `capital   ${account.capital} ${account.currency}`,
      ...(haltReason === null ? [] : [`halted    ${haltReason}`]),
    ].join('\n'),
    ['This report cannot know:', ...live.unknown.map((text) => `- ${text}`)].join('\n'),
    ...resultTables(report),
  ];
  return parts.join('\n\n');
}

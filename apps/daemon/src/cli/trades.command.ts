import { table } from '@libs/command-line';
import { currencyDigits, moneyText as moneyOf, priceText, volumeText } from '@libs/gateway-client';
import { sum } from '../backtest/exact-sum';
import { shown } from '../backtest/period';
import type { LiveHistory } from '../live-report/live-history';
import { sourceLines, spanText, tradeModeOf } from '../live-report/live-source';
import { liveTrades, type LiveTrade } from '../live-report/live-trade';
import { readDigits, type DigitsOf } from '../live-report/live-symbols';
import { liveTradesCsv } from '../live-report/live-trades-csv';
import { historyOf, liveArguments } from './live-arguments';
import { argumentsOf, commands } from './commands';
import { checkReportFiles, writeReport } from './report-files';

/** `daemon trades NAME`: the closed and open trades of a live strategy or portfolio, from the broker's history. */
export async function trades(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.trades, args);
  checkReportFiles(flags);
  const given = liveArguments('trades', flags, words);
  const history = await historyOf(given, flags);
  const found = liveTrades(history.positions);
  if (flags.csv !== undefined) writeReport('csv', flags.csv, liveTradesCsv(found));
  const text = flags.json
    ? JSON.stringify(bodyOf(history, found), null, 2)
    : tradesTable(history, found, await readDigits(history));
  process.stdout.write(`${text}\n`);
}

function bodyOf(history: LiveHistory, found: readonly LiveTrade[]): object {
  const { subject, span, accounts, stored, lostGateways, lacking } = history;
  return {
    name: subject.name,
    from: new Date(span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
    accounts: accounts.map(({ session, account: { login, server, currency, trade_mode } }) => {
      return { gateway: session.name, login, server, currency, tradeMode: tradeModeOf(trade_mode) };
    }),
    records: stored.from,
    lostGateways,
    lacking: lacking.map(({ broker, ticket }) => ({ gateway: broker, position: ticket })),
    trades: found,
  };
}

/** Amounts in the currency of the accounts, which all have one. */
function moneyIn({ accounts }: LiveHistory): (amount: number) => string {
  const digits = currencyDigits(accounts[0]?.account.currency ?? '');
  return (amount) => moneyOf(amount, digits);
}

function tradesTable(history: LiveHistory, found: readonly LiveTrade[], digitsOf: DigitsOf): string {
  const { subject, span } = history;
  const shows = { strategy: subject.isPortfolio, tag: found.some(({ tag }) => tag !== null) };
  return [
    [`${subject.name}, ${spanText(span)}`, ...sourceLines(history, found)].join('\n'),
    ...(found.length === 0 ? [] : [table(headings(shows), found.map(rowOf(shows, digitsOf, moneyIn(history))))]),
    totalText(found, moneyIn(history)),
  ].join('\n\n');
}

/** Columns that not every table has. */
interface Shows {
  readonly strategy: boolean;
  readonly tag: boolean;
}

function headings({ strategy, tag }: Shows): readonly string[] {
  return [
    ...(strategy ? ['STRATEGY'] : []),
    ...['OPENED', 'SIDE', 'SYMBOL', 'LOTS', 'ENTRY', 'CLOSED', 'EXIT', 'BY', 'COSTS', 'RESULT', 'POSITION'],
    ...(tag ? ['TAG'] : []),
    'KNOWN BY',
  ];
}

function rowOf(
  shows: Shows,
  digitsOf: DigitsOf,
  moneyText: (amount: number) => string,
): (trade: LiveTrade) => readonly unknown[] {
  const price = (trade: LiveTrade, value: number): string => priceText(value, digitsOf(trade));
  return (trade) => [
    ...(shows.strategy ? [trade.strategy] : []),
    ...[shown(trade.openedMs), trade.side, trade.symbol, volumeText(trade.volume)],
    price(trade, trade.entryPrice),
    ...(trade.closedMs === null ? ['open', '-'] : [shown(trade.closedMs), price(trade, trade.exitPrice ?? 0)]),
    ...[trade.exitReason, moneyText(trade.commission + trade.swap), moneyText(trade.realized + (trade.floating ?? 0))],
    `${trade.gateway}:${trade.position}`,
    ...(shows.tag ? [trade.tag ?? '-'] : []),
    trade.knownBy,
  ];
}

/** The closed and the open ones, each with their sum. */
function totalText(found: readonly LiveTrade[], moneyText: (amount: number) => string): string {
  const closed = found.filter(({ closedMs }) => closedMs !== null);
  const open = found.filter(({ closedMs }) => closedMs === null);
  const floating = open.map((trade) => trade.floating).filter((value) => value !== null);
  const text = `${closed.length} closed, result ${moneyText(sum(closed.map(({ realized }) => realized)))}`;
  if (open.length === 0) return text;
  const isKnown = floating.length === open.length;
  const result = isKnown ? moneyText(sum([...floating, ...open.map(({ realized }) => realized)])) : 'not known';
  return `${text}; ${open.length} open at the end, floating result with costs so far ${result}`;
}

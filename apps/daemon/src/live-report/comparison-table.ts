import { table } from '@libs/command-line';
import { countText, currencyDigits, lotsText, moneyText as moneyOf, priceText } from '@libs/gateway-client';
import { shown } from '../backtest/period';
import type { ComparedDays, ComparedStrategy } from './compared-days';
import type { LiveComparison, LoneTrade } from './live-comparison';
import type { LiveHistory } from './live-history';
import { sourceLines, spanText } from './live-source';
import { liveTrades } from './live-trade';

/** Trades that the table lists of each kind; JSON has all. */
const mostListed = 10;

type MoneyText = (amount: number) => string;

/** A comparison as tables on the terminal. */
export function comparisonTable(
  history: LiveHistory,
  notes: readonly string[],
  { whole, strategies }: ComparedDays,
  digitsOf: (symbol: string) => number | undefined,
): string {
  const { live, backtest, difference, pairs, onlyLive, onlyBacktest } = whole;
  const { name, isPortfolio } = history.subject;
  const digits = currencyDigits(history.accounts[0]?.account.currency ?? '');
  const moneyText = (amount: number): string => moneyOf(amount, digits);
  const sources = sourceLines(history, liveTrades(history.positions));
  return [
    [`${name}, ${spanText(history.span)}`, ...sources].join('\n'),
    notes.join('\n'),
    table(
      ['', 'TRADES', 'NET RESULT'],
      [
        ['live', live.trades, moneyText(live.net)],
        ['backtest', backtest.trades, moneyText(backtest.net)],
        ['difference', '', moneyText(difference)],
      ],
    ),
    ...(isPortfolio ? [strategyTable(strategies, moneyText)] : []),
    isPortfolio ? causesByStrategy(strategies, difference, moneyText) : causeTable(whole, moneyText),
    `${countText(pairs.length, 'trade is', 'trades are')} in both, ${onlyLive.length} only live, ${onlyBacktest.length} only in the backtest`,
    ...listed('only live', onlyLive, isPortfolio, digitsOf, moneyText),
    ...listed('only in the backtest', onlyBacktest, isPortfolio, digitsOf, moneyText),
  ].join('\n\n');
}

function strategyTable(strategies: readonly ComparedStrategy[], moneyText: MoneyText): string {
  return table(
    ['STRATEGY', 'LIVE TRADES', 'LIVE', 'BACKTEST TRADES', 'BACKTEST', 'DIFFERENCE'],
    strategies.map(({ name, live, backtest, difference }) => {
      return [name, live.trades, moneyText(live.net), backtest.trades, moneyText(backtest.net), moneyText(difference)];
    }),
  );
}

function causeTable({ causes, difference }: LiveComparison, moneyText: MoneyText): string {
  const rows = causes.map(({ cause, trades, amount }) => [cause, trades, moneyText(amount)]);
  return table(['CAUSE OF THE DIFFERENCE', 'TRADES', 'AMOUNT'], [...rows, ['sum', '', moneyText(difference)]]);
}

function causesByStrategy(strategies: readonly ComparedStrategy[], difference: number, moneyText: MoneyText): string {
  const rows = strategies.flatMap(({ name, causes }) =>
    causes.map(({ cause, trades, amount }) => [name, cause, trades, moneyText(amount)]),
  );
  const total = ['sum', '', '', moneyText(difference)];
  return table(['STRATEGY', 'CAUSE OF THE DIFFERENCE', 'TRADES', 'AMOUNT'], [...rows, total]);
}

function listed(
  title: string,
  trades: readonly LoneTrade[],
  isPortfolio: boolean,
  digitsOf: (symbol: string) => number | undefined,
  moneyText: MoneyText,
): readonly string[] {
  if (trades.length === 0) return [];
  const lines = trades.slice(0, mostListed).map(({ trade, cause, detail }) => {
    const { strategy, openedMs, side, symbol, volume, entryPrice, net } = trade;
    const why = detail === null ? cause : `${cause}: ${detail}`;
    const whose = isPortfolio ? `${strategy} ` : '';
    return `  ${shown(openedMs)} ${whose}${side} ${symbol}, ${lotsText(volume)} at ${priceText(entryPrice, digitsOf(symbol))}, ${moneyText(net)} (${why})`;
  });
  const more = trades.length > mostListed ? [`  and ${trades.length - mostListed} more`] : [];
  return [[`${title}:`, ...lines, ...more].join('\n')];
}

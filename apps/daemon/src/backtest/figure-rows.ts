import { currencyDigits } from '@libs/gateway-client/figure-text';
import { heldText, type BasketBenchmark, type Benchmark } from './benchmark';
import type { Figures } from './figures';
import type { BacktestReport } from './report';
import { annualNote, isAnnual } from './short-run';
import { shortNumber, spanText } from './short-number';

export { shortNumber };

/** How amounts of a currency are written: with its digits, or as {@link shortNumber} where it is not known. */
export function amountsIn(currency: string): (amount: number | null) => string {
  const digits = currencyDigits(currency);
  return (amount) => shortNumber(amount, digits);
}

type Row = readonly [label: string, value: string];

/** What {@link figureRows} needs of a report. */
export type FiguredReport = Pick<BacktestReport, 'account'> & {
  /** Reports of earlier versions do not have the days. */
  readonly figures: Omit<Figures, 'tradingDays'> & Partial<Pick<Figures, 'tradingDays'>>;
  readonly benchmark: Benchmark | BasketBenchmark | null;
};

/**
 * The figures of a report by their common names, in the usual order.
 * @param money the text of an amount
 */
export function figureRows(
  { figures, account, benchmark }: FiguredReport,
  money: (amount: number | null) => string = amountsIn(account.currency),
): readonly Row[] {
  const percent = (value: number | null): string => (value === null ? '–' : `${shortNumber(value)} %`);
  const annual = (text: string): string => (isAnnual(figures) ? text : '– (less than a year)');
  const noted = (value: number | null, text: string): string =>
    value === null ? text : `${text}${annualNote(figures)}`;
  return [
    ['net profit', `${money(figures.netProfit)} ${account.currency}`],
    ['return', percent(figures.returnPct)],
    ['start equity', money(figures.startEquity)],
    ['end equity', money(figures.endEquity)],
    ['still floating', `${money(figures.openProfit)} in ${figures.open} open`],
    ['max drawdown', `${money(figures.maxDrawdown)} (${percent(figures.maxDrawdownPct)})`],
    ['longest drawdown', spanText(figures.longestDrawdownDays * 1_440)],
    ['annual growth (CAGR)', annual(percent(figures.cagrPct))],
    ['volatility, annualised', noted(figures.volatilityPct, percent(figures.volatilityPct))],
    ['Sharpe, annualised', noted(figures.sharpe, shortNumber(figures.sharpe))],
    ['Sortino, annualised', noted(figures.sortino, shortNumber(figures.sortino))],
    ['Calmar', annual(shortNumber(figures.calmar))],
    ['daily value at risk, 95 %', percent(figures.valueAtRiskPct)],
    ['system quality (SQN)', shortNumber(figures.sqn)],
    ...(benchmark === null ? [] : [[`buy and hold ${heldText(benchmark)}`, percent(benchmark.returnPct)] as const]),
    ['profit factor', shortNumber(figures.profitFactor)],
    ['expectancy per trade', money(figures.expectancy)],
    ['trades', `${figures.trades} (${figures.longTrades} long, ${figures.shortTrades} short)`],
    ['win rate', percent(figures.winRatePct)],
    ['win rate long, short', `${percent(figures.longWinRatePct)}, ${percent(figures.shortWinRatePct)}`],
    ['average win, loss', `${money(figures.averageWin)}, ${money(figures.averageLoss)}`],
    ['largest win, loss', `${money(figures.largestWin)}, ${money(figures.largestLoss)}`],
    ['gross profit, loss', `${money(figures.grossProfit)}, ${money(figures.grossLoss)}`],
    ['longest winning run', String(figures.longestWinningRun)],
    ['longest losing run', String(figures.longestLosingRun)],
    ['average hold', figures.averageHoldMinutes === null ? '–' : spanText(figures.averageHoldMinutes)],
    ['exposure', percent(figures.exposurePct)],
    ['commission', money(figures.commission)],
    ['swap', money(figures.swap)],
    ['spread, in the prices', money(figures.spreadPaid)],
    ['rejects', String(figures.rejects)],
  ];
}

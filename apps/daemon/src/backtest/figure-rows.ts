import { heldText, type BasketBenchmark, type Benchmark } from './benchmark';
import type { BacktestReport } from './report';
import { shortNumber, spanText } from './short-number';

export { shortNumber };

type Row = readonly [label: string, value: string];

/** What {@link figureRows} needs of a report. */
export type FiguredReport = Pick<BacktestReport, 'figures' | 'account'> & {
  readonly benchmark: Benchmark | BasketBenchmark | null;
};

/**
 * The figures of a report by their common names, in the usual order.
 * @param money the text of an amount
 */
export function figureRows(
  { figures, account, benchmark }: FiguredReport,
  money: (amount: number | null) => string = shortNumber,
): readonly Row[] {
  const percent = (value: number | null): string => (value === null ? '–' : `${shortNumber(value)} %`);
  return [
    ['net profit', `${money(figures.netProfit)} ${account.currency}`],
    ['return', percent(figures.returnPct)],
    ['start equity', money(figures.startEquity)],
    ['end equity', money(figures.endEquity)],
    ['still floating', `${money(figures.openProfit)} in ${figures.open} open`],
    ['max drawdown', `${money(figures.maxDrawdown)} (${percent(figures.maxDrawdownPct)})`],
    ['longest drawdown', spanText(figures.longestDrawdownDays * 1_440)],
    ['annual growth (CAGR)', percent(figures.cagrPct)],
    ['volatility, annualised', percent(figures.volatilityPct)],
    ['Sharpe, annualised', shortNumber(figures.sharpe)],
    ['Sortino, annualised', shortNumber(figures.sortino)],
    ['Calmar', shortNumber(figures.calmar)],
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

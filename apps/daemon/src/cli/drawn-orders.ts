import { type Flags, UsageError } from '@libs/command-line';
import { type DrawnOrders, tradeOrders } from '../backtest/trade-order';
import type { WithTradeOrders } from '../backtest/trade-order-rows';
import { mostDrawn, type drawnFlags, type Kinds } from './commands';

const usualDrawdowns = [10, 20, 30, 50];

/** How many orders to draw, as the flags say; null for none. @throws UsageError with every problem on a line of its own */
export function drawnOrders(flags: Flags<Kinds<typeof drawnFlags>>): DrawnOrders | null {
  const { 'monte-carlo': runs, seed, drawdown } = flags;
  const limits = drawdown?.split(',').map((text) => text.trim());
  const problems = [
    ...(runs === 0 ? [`--monte-carlo must be an integer, 1 to ${mostDrawn}, not 0`] : []),
    ...(runs === undefined && seed !== undefined ? ['--seed needs --monte-carlo N'] : []),
    ...(runs === undefined && drawdown !== undefined ? ['--drawdown needs --monte-carlo N'] : []),
    ...(limits ?? [])
      .filter((text) => !/^\d+(\.\d+)?$/.test(text))
      .map((text) => `--drawdown must be percentages such as 10,20, not ${text || 'nothing'}`),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  if (runs === undefined) return null;
  return { runs, seed: seed ?? 1, drawdownsPct: limits?.map(Number) ?? usualDrawdowns };
}

/** A report with the orders that were drawn of its trades, if any were to be. */
export function withTradeOrders<
  Report extends {
    readonly trades: readonly { readonly realized: number }[];
    readonly account: { readonly capital: number; readonly currency: string };
  },
>(report: Report, drawn: DrawnOrders | null): Report & WithTradeOrders {
  if (drawn === null) return report;
  const results = report.trades.map(({ realized }) => realized);
  return { ...report, monteCarlo: tradeOrders(results, report.account.capital, drawn) };
}

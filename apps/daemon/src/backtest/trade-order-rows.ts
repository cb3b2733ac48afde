import { amountsIn, shortNumber } from './figure-rows';
import type { TradeOrders } from './trade-order';

/** Orders of the trades in a report: omitted when none were asked for, null for fewer than two closed trades. */
export interface WithTradeOrders {
  readonly account: { readonly currency: string };
  readonly monteCarlo?: TradeOrders | null;
}

export const tradeOrderHeadings = ['other orders of the trades', 'as traded', '5 %', 'median', '95 %', '99 %'];

/** A row for each measure: as traded, and what a share of the orders did not exceed. */
export function tradeOrderRows(orders: TradeOrders, currency: string): readonly (readonly string[])[] {
  const { asTraded } = orders;
  const [money, percent] = [amountsIn(currency), (value: number) => shortNumber(value)];
  const names = { maxDrawdown: 'max drawdown', maxDrawdownPct: 'max drawdown %', lowest: 'lowest balance' } as const;
  return (Object.keys(names) as (keyof typeof names)[]).map((name) => {
    const { p5, p50, p95, p99 } = orders[name];
    return [names[name], ...[asTraded[name], p5, p50, p95, p99].map(name === 'maxDrawdownPct' ? percent : money)];
  });
}

/** What was drawn, and the chance of each drawdown, in sentences. */
export function tradeOrderTexts({ runs, seed, trades, above }: TradeOrders): readonly string[] {
  return [
    ...above.map(
      ({ drawdownPct, chancePct }) =>
        `${shortNumber(chancePct)} % of the orders have a drawdown above ${drawdownPct} %.`,
    ),
    `${runs} orders of the ${trades} closed trades, drawn by seed ${seed}. The money of each trade is as it was; what was floating in between is not part of it.`,
  ];
}

export const noTradeOrders = 'Other orders of the trades: none, for fewer than two trades were closed.';

import { OrderType, PositionType } from '@libs/terminal-client';
import { difference, exact, type Money, rounded, zero } from '../money/decimals';
import { floatingProfit, roundedDouble } from '../money/floating-profit';
import { type Leg, LegSum } from '../money/leg-sum';
import { formulaMargin, marginMultiplier, positionMargin } from '../money/margin';
import type { ActiveOrder, OpenPosition } from './book';
import { type Desk, isHedging, symbolOf } from './desk';

/** The account's sums at an instant, rounded to the deposit currency's digits. */
export interface AccountSums {
  readonly balance: number;
  readonly profit: number;
  readonly equity: number;
  readonly margin: number;
  readonly marginFree: number;
  /** Percent; 0 without margin. */
  readonly marginLevel: number;
}

/** Values open positions at current prices, and the margin that they and the pending orders take. */
export class Valuation {
  private marginVersion = -1;
  private marginCache: Money = zero;

  constructor(private readonly desk: Desk) {}

  /** Price at which a position would be closed now. */
  closePrice(position: OpenPosition): number {
    const quote = this.desk.market.quote(symbolOf(this.desk, position.symbol));
    if (!quote) return position.price_open;
    return position.type === PositionType.BUY ? quote.bid : quote.ask;
  }

  /** Floating result without swap, in the deposit currency; 0 while no price converts it. */
  floating(position: OpenPosition): number {
    const { spec } = symbolOf(this.desk, position.symbol);
    const { type, volume, price_open: open } = position;
    const trade = { spec, type, volume, open, close: this.closePrice(position) };
    return floatingProfit(trade, this.desk.conversion, this.desk.account.currencyDigits);
  }

  sums(): AccountSums {
    const digits = this.desk.account.currencyDigits;
    const balance = this.desk.book.balance.toNumber();
    let floating = 0;
    for (const position of this.desk.book.positions.values()) floating += this.floating(position) + position.swap;
    const profit = roundedDouble(floating, digits);
    return accountSums(balance, profit, this.margin().toNumber(), digits);
  }

  /** The equity in doubles, for looking at it with every quote. */
  equityEstimate(): number {
    let equity = this.desk.book.balanceNumber;
    for (const position of this.desk.book.positions.values()) equity += this.floating(position) + position.swap;
    return equity;
  }

  /** Margin of all positions and pending orders, rounded to the deposit currency's digits. */
  margin(): Money {
    const { version } = this.desk.book;
    if (version !== this.marginVersion) {
      this.marginCache = this.marginWith(null);
      this.marginVersion = version;
    }
    return this.marginCache;
  }

  /** Margin as it would be with one more leg on a symbol. */
  marginWith(extra: { readonly symbol: string; readonly type: number; readonly leg: Leg } | null): Money {
    const sides = new Map<string, { readonly buys: LegSum; readonly sells: LegSum }>();
    const add = (symbol: string, type: number, leg: Leg): void => {
      const both = sides.get(symbol) ?? { buys: new LegSum(), sells: new LegSum() };
      (type === PositionType.BUY ? both.buys : both.sells).add(leg);
      sides.set(symbol, both);
    };
    for (const { symbol, type, volume, price_open: price, margin_rate: rate } of this.desk.book.positions.values()) {
      add(symbol, type, { volume, price, rate });
    }
    if (extra) add(extra.symbol, extra.type, extra.leg);
    let total: Money = this.pendingMargin();
    for (const [symbol, { buys, sells }] of sides) {
      const legs = isHedging(this.desk) ? { buys: buys.leg(), sells: sells.leg() } : netted(buys.leg(), sells.leg());
      const { spec } = symbolOf(this.desk, symbol);
      total = total.add(positionMargin(spec, legs.buys, legs.sells, this.desk.account.leverage));
    }
    return rounded(total, this.desk.account.currencyDigits);
  }

  /** Margin that an active order reserves, unrounded. */
  reservedBy(order: ActiveOrder): Money {
    const { spec } = symbolOf(this.desk, order.symbol);
    const multiplier = marginMultiplier(spec, order.type);
    if (multiplier === 0 || order.type <= OrderType.SELL) return zero;
    const margin = formulaMargin(spec, order.volume_current, order.price_open, this.desk.account.leverage);
    return margin.mul(multiplier).mul(order.margin_rate);
  }

  private pendingMargin(): Money {
    let total: Money = zero;
    for (const order of this.desk.book.orders.values()) total = total.add(this.reservedBy(order));
    return total;
  }
}

/** Opposite sides of a netting account eat each other up. */
function netted(buys: Leg, sells: Leg): { readonly buys: Leg; readonly sells: Leg } {
  const covered = Math.min(buys.volume, sells.volume);
  const rest = (leg: Leg): Leg => ({ ...leg, volume: difference(leg.volume, covered) });
  return { buys: rest(buys), sells: rest(sells) };
}

export function accountSums(balance: number, profit: number, margin: number, digits: number): AccountSums {
  const equity = rounded(exact(balance).add(profit), digits).toNumber();
  return {
    balance,
    profit,
    equity,
    margin,
    marginFree: rounded(exact(equity).sub(margin), digits).toNumber(),
    marginLevel: margin === 0 ? 0 : (equity / margin) * 100,
  };
}

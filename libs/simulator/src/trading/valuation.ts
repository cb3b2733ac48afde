import { OrderType, PositionType } from '@libs/terminal-client';
import { difference, type Money, rounded, sumRounded, zero } from '../money/decimals';
import { floatingProfit, roundedDouble } from '../money/floating-profit';
import { type Leg, weigh } from '../money/leg-sum';
import { formulaMargin, marginMultiplier, positionMargin } from '../money/margin';
import type { ActiveOrder, OpenPosition } from './book';
import { type Desk, isHedging, symbolOf } from './desk';
import { FloatingTotal } from './floating-total';
import { noSides, sidesWith } from './positions-on-symbol';

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
  private marginDouble = 0;
  private readonly floatingTotal: FloatingTotal;

  constructor(private readonly desk: Desk) {
    this.floatingTotal = new FloatingTotal(desk, (position) => this.floating(position));
  }

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
    const balance = this.desk.book.balanceNumber;
    const profit = roundedDouble(this.floatingTotal.now(), digits);
    return accountSums(balance, profit, this.margin().toNumber(), digits);
  }

  /** The equity in doubles, for looking at it with every quote. */
  equityEstimate(): number {
    return this.desk.book.balanceNumber + this.floatingTotal.now();
  }

  /** Margin of all positions and pending orders, rounded to the deposit currency's digits. */
  margin(): Money {
    const { version } = this.desk.book;
    if (version !== this.marginVersion) {
      this.marginCache = this.marginWith(null);
      this.marginDouble = this.marginCache.toNumber();
      this.marginVersion = version;
    }
    return this.marginCache;
  }

  /** {@link margin} as a double, for looking at it with every quote. */
  marginNumber(): number {
    this.margin();
    return this.marginDouble;
  }

  /** Margin as it would be with one more leg on a symbol. */
  marginWith(extra: { readonly symbol: string; readonly type: number; readonly leg: Leg } | null): Money {
    const sides = new Map([...this.desk.book.positionsOn].map(([symbol, positions]) => [symbol, positions.sides]));
    if (extra) sides.set(extra.symbol, sidesWith(sides.get(extra.symbol) ?? noSides, extra.type, weigh(extra.leg)));
    let total: Money = this.pendingMargin();
    for (const [symbol, { buys, sells }] of sides) {
      if (buys.isNone && sells.isNone) continue;
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
  const equity = sumRounded(balance, profit, digits);
  return {
    balance,
    profit,
    equity,
    margin,
    marginFree: sumRounded(equity, -margin, digits),
    marginLevel: margin === 0 ? 0 : (equity / margin) * 100,
  };
}

import { OrderType, PositionType } from '@libs/terminal-client';
import { difference, type Money, rounded, sumRounded, zero } from '../money/decimals';
import { floatingProfit, roundedDouble } from '../money/floating-profit';
import { type Leg, weigh } from '../money/leg-sum';
import { formulaMargin, marginEstimate, marginMultiplier, positionMargin } from '../money/margin';
import type { ActiveOrder, OpenPosition } from './book';
import { type Desk, isHedging, symbolOf } from './desk';
import { FloatingTotal } from './floating-total';
import { noSides, sidesWith, type Sides } from './positions-on-symbol';

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
  private estimateVersion = -1;
  private estimate = 0;
  private readonly floatingTotal: FloatingTotal;

  constructor(private readonly desk: Desk) {
    this.floatingTotal = new FloatingTotal(desk, (position, symbol) => this.floating(position, symbol));
  }

  /** Price at which a position would be closed now. */
  closePrice(position: OpenPosition, symbol = symbolOf(this.desk, position.symbol)): number {
    const quote = this.desk.market.quote(symbol);
    if (!quote) return position.price_open;
    return position.type === PositionType.BUY ? quote.bid : quote.ask;
  }

  /** Floating result without swap, in the deposit currency; 0 while no price converts it. */
  floating(position: OpenPosition, symbol = symbolOf(this.desk, position.symbol)): number {
    const { type, volume, price_open: open } = position;
    const trade = { spec: symbol.spec, type, volume, open, close: this.closePrice(position, symbol) };
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
      this.marginVersion = version;
    }
    return this.marginCache;
  }

  /** {@link margin} as a double that is not below it, for looking at it with every quote. */
  marginCeiling(): number {
    const { version } = this.desk.book;
    if (version !== this.estimateVersion) {
      const estimate = this.estimatedMargin();
      // The margin itself is rounded to the currency's digits, of which it may have none.
      this.estimate = Number.isNaN(estimate) ? this.margin().toNumber() : estimate * (1 + 1e-9) + 1;
      this.estimateVersion = version;
    }
    return this.estimate;
  }

  /** Margin in doubles of an account without orders, with one position on each symbol at most; NaN for another. */
  private estimatedMargin(): number {
    const { book, account } = this.desk;
    if (book.orders.size > 0) return Number.NaN;
    let total = 0;
    for (const [symbol, positions] of book.positionsOn) {
      if (positions.size > 1) return Number.NaN;
      for (const { type, volume, price_open: price, margin_rate: rate } of positions.all()) {
        const { spec } = symbolOf(this.desk, symbol);
        total += marginEstimate(spec, volume, price, account.leverage) * rate * marginMultiplier(spec, type);
      }
    }
    return total;
  }

  /** Margin as it would be with one more leg on a symbol. */
  marginWith(extra: { readonly symbol: string; readonly type: number; readonly leg: Leg } | null): Money {
    if (extra === null) return this.marginWhere(null, noSides);
    const sides = this.desk.book.positionsOn.get(extra.symbol)?.sides ?? noSides;
    return this.marginWhere(extra.symbol, sidesWith(sides, extra.type, weigh(extra.leg)));
  }

  /**
   * Margin as it would be with parts of the positions of a symbol closed.
   * @param closed lots by ticket
   */
  marginWithout(symbol: string, closed: ReadonlyMap<number, number>): Money {
    let sides = noSides;
    for (const position of this.desk.book.positionsOn.get(symbol)?.all() ?? []) {
      const { ticket, type, price_open: price, margin_rate: rate } = position;
      const volume = difference(position.volume, closed.get(ticket) ?? 0);
      if (volume > 0) sides = sidesWith(sides, type, weigh({ volume, price, rate }));
    }
    return this.marginWhere(symbol, sides);
  }

  /** @param sides of this symbol, instead of what is open on it */
  private marginWhere(changed: string | null, sides: Sides): Money {
    let total: Money = this.pendingMargin();
    for (const [symbol, on] of this.desk.book.positionsOn) {
      if (symbol !== changed) total = total.add(this.marginOf(symbol, on.sides));
    }
    if (changed !== null) total = total.add(this.marginOf(changed, sides));
    return rounded(total, this.desk.account.currencyDigits);
  }

  /** Margin of the positions of one symbol, unrounded. */
  private marginOf(symbol: string, { buys, sells }: Sides): Money {
    if (buys.isNone && sells.isNone) return zero;
    const legs = isHedging(this.desk) ? { buys: buys.leg(), sells: sells.leg() } : netted(buys.leg(), sells.leg());
    const { spec } = symbolOf(this.desk, symbol);
    return positionMargin(spec, legs.buys, legs.sells, this.desk.account.leverage);
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

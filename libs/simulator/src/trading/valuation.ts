import { OrderType, PositionType } from '@libs/terminal-client';
import { difference, type Money, rounded, sumRounded, zero } from '../money/decimals';
import { floatingProfit, roundedDouble } from '../money/floating-profit';
import { type Leg, LegSum, type LegWeight, weigh } from '../money/leg-sum';
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

/** The long and the short side of a symbol. */
interface Sides {
  readonly buys: LegSum;
  readonly sells: LegSum;
}

/** A position's weight, with the numbers it was made from. */
interface WeighedPosition extends Leg {
  readonly weight: LegWeight;
}

const noSides: Sides = { buys: LegSum.none, sells: LegSum.none };

/** Values open positions at current prices, and the margin that they and the pending orders take. */
export class Valuation {
  private marginVersion = -1;
  private marginCache: Money = zero;
  private marginDouble = 0;
  private sidesVersion = -1;
  private sides = new Map<string, Sides>();
  private weights = new Map<number, WeighedPosition>();

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
    const sides = extra ? withLeg(this.openSides(), extra.symbol, extra.type, weigh(extra.leg)) : this.openSides();
    let total: Money = this.pendingMargin();
    for (const [symbol, { buys, sells }] of sides) {
      const legs = isHedging(this.desk) ? { buys: buys.leg(), sells: sells.leg() } : netted(buys.leg(), sells.leg());
      const { spec } = symbolOf(this.desk, symbol);
      total = total.add(positionMargin(spec, legs.buys, legs.sells, this.desk.account.leverage));
    }
    return rounded(total, this.desk.account.currencyDigits);
  }

  /** The sides of every symbol with a position; made anew after each change of the book. */
  private openSides(): ReadonlyMap<string, Sides> {
    const { version, positions } = this.desk.book;
    if (version === this.sidesVersion) return this.sides;
    const weights = new Map<number, WeighedPosition>();
    const sides = new Map<string, Sides>();
    for (const position of positions.values()) {
      const weighed = this.weighed(position);
      weights.set(position.ticket, weighed);
      sides.set(position.symbol, sidesWith(sides.get(position.symbol), position.type, weighed.weight));
    }
    this.weights = weights;
    this.sides = sides;
    this.sidesVersion = version;
    return sides;
  }

  /** Most positions are as they were at the last change of the book, and need no arithmetic again. */
  private weighed({ ticket, volume, price_open: price, margin_rate: rate }: OpenPosition): WeighedPosition {
    const known = this.weights.get(ticket);
    if (known && known.volume === volume && known.price === price && known.rate === rate) return known;
    return { volume, price, rate, weight: weigh({ volume, price, rate }) };
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

function sidesWith(sides: Sides = noSides, type: number, weight: LegWeight): Sides {
  return type === PositionType.BUY
    ? { ...sides, buys: sides.buys.plus(weight) }
    : { ...sides, sells: sides.sells.plus(weight) };
}

function withLeg(
  sides: ReadonlyMap<string, Sides>,
  symbol: string,
  type: number,
  weight: LegWeight,
): ReadonlyMap<string, Sides> {
  return new Map(sides).set(symbol, sidesWith(sides.get(symbol), type, weight));
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

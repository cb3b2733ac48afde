import { isBuyOrder, PositionType, Retcode } from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import { exact, type Money, sum, zero } from '../money/decimals';
import { formulaMargin, marginEstimate, marginMultiplier } from '../money/margin';
import { type Desk, isHedging } from './desk';
import { type Refusal, refusal } from './refusal';
import type { Valuation } from './valuation';

/** An order that would open or enlarge something. */
export interface Opening {
  readonly symbol: MarketSymbol;
  readonly type: number;
  readonly volume: number;
  readonly price: number;
}

/** The account's sums as they would be after an opening. */
export interface MarginAfter {
  readonly margin: Money;
  readonly free: Money;
}

/** The account's limits, and its money. */
export class AccountRules {
  constructor(
    private readonly desk: Desk,
    private readonly valuation: Valuation,
  ) {}

  /** Positions (on hedging accounts with the pending orders) up to the account's limit. */
  positionLimit(): Refusal | null {
    const { account, book } = this.desk;
    const held = book.positions.size + (isHedging(this.desk) ? book.orders.size : 0);
    return account.limitPositions === 0 || held < account.limitPositions ? null : refusal(Retcode.LIMIT_POSITIONS);
  }

  orderLimit(): Refusal | null {
    const { account, book } = this.desk;
    return account.limitOrders === 0 || book.orders.size < account.limitOrders ? null : refusal(Retcode.LIMIT_ORDERS);
  }

  /** Volume of positions and pending orders of one direction, up to the symbol's limit. */
  volumeLimit({ symbol: { spec }, type, volume }: Opening): Refusal | null {
    if (spec.volume_limit === 0) return null;
    let total = volume;
    for (const position of this.desk.book.positions.values()) {
      const isBuy = position.type === PositionType.BUY;
      if (position.symbol === spec.name && isBuy === isBuyOrder(type)) total = sum(total, position.volume);
    }
    for (const order of this.desk.book.orders.values()) {
      if (order.symbol === spec.name && isBuyOrder(order.type) === isBuyOrder(type)) {
        total = sum(total, order.volume_current);
      }
    }
    return total <= spec.volume_limit ? null : refusal(Retcode.LIMIT_VOLUME);
  }

  /** Whether an opposite position forbids an opening. */
  hedge({ symbol: { spec }, type }: Opening): Refusal | null {
    if (!isHedging(this.desk) || !this.desk.account.hedgeProhibited) return null;
    const opposite = isBuyOrder(type) ? PositionType.SELL : PositionType.BUY;
    const held = [...this.desk.book.positions.values()].some((p) => p.symbol === spec.name && p.type === opposite);
    return held ? refusal(Retcode.HEDGE_PROHIBITED) : null;
  }

  /** Whether the account can carry an opening. */
  money(opening: Opening): Refusal | null {
    if (this.isAffordable(opening)) return null;
    const after = this.after(opening);
    if (!after) return refusal(Retcode.PRICE_OFF);
    const needsMore = after.margin.gt(this.valuation.margin());
    return needsMore && after.free.isNegative() ? refusal(Retcode.NO_MONEY) : null;
  }

  /** Whether an account without positions and orders has the margin for certain: doubles, with room for their error. */
  private isAffordable({ symbol: { spec }, type, volume, price }: Opening): boolean {
    const { account, book, conversion } = this.desk;
    if (book.positions.size > 0 || book.orders.size > 0) return false;
    const isBuy = isBuyOrder(type);
    // Margin is converted at the ask for a buy, as a loss is.
    const factor = conversion.amountFactor(spec.currency_margin, !isBuy) * marginMultiplier(spec, type);
    const margin = marginEstimate(spec, volume, price, account.leverage) * factor;
    return margin * (1 + 1e-9) + 1 < book.balanceNumber;
  }

  /** Margin and free margin after a market opening; null when no price converts the margin. */
  after({ symbol: { spec }, type, volume, price }: Opening): MarginAfter | null {
    const rate = this.desk.conversion.marginRate(spec.currency_margin, isBuyOrder(type));
    if (!rate) return null;
    const positionType = isBuyOrder(type) ? PositionType.BUY : PositionType.SELL;
    const leg = { volume, price, rate: rate.toNumber() };
    const margin = this.valuation.marginWith({ symbol: spec.name, type: positionType, leg });
    return { margin, free: exact(this.valuation.sums().equity).sub(margin) };
  }

  /** Margin that a pending order reserves; null when no price converts it. */
  reserved({ symbol: { spec }, type, volume, price }: Opening): Money | null {
    const rate = this.desk.conversion.marginRate(spec.currency_margin, isBuyOrder(type));
    const margin = formulaMargin(spec, volume, price, this.desk.account.leverage);
    return rate && margin.mul(marginMultiplier(spec, type)).mul(rate);
  }

  /** Whether the account can carry a pending order's reserve. */
  reserve(opening: Opening): Refusal | null {
    const reserved = this.reserved(opening);
    if (!reserved) return refusal(Retcode.PRICE_OFF);
    const free = exact(this.valuation.sums().marginFree).sub(reserved);
    return reserved.gt(zero) && free.isNegative() ? refusal(Retcode.NO_MONEY) : null;
  }
}

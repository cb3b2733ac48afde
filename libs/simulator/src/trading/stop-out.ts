import { OrderState, PositionType, TradeReason } from '@libs/terminal-client';
import { type Desk, symbolOf } from './desk';
import type { MarketOrders } from './market-orders';
import { finish } from './orders';
import type { Valuation } from './valuation';

/** Closes positions, the most unprofitable first, while the account is at or below its stop-out level. */
export class StopOut {
  private called = false;

  constructor(
    private readonly desk: Desk,
    private readonly valuation: Valuation,
    private readonly marketOrders: MarketOrders,
  ) {}

  /** The account is at or below its margin-call level. */
  get marginCalled(): boolean {
    return this.called;
  }

  /** Checks the account after a quote moved it. Returns true if a position was closed. */
  check(): boolean {
    if (this.isFarFromLevels()) return false;
    let closed = false;
    const { positions, orders } = this.desk.book;
    for (let left = positions.size + orders.size; left > 0; left--) {
      const margin = this.valuation.margin().toNumber();
      if (margin === 0) break;
      const { equity } = this.valuation.sums();
      this.called = this.isAtLevel(equity, margin, this.desk.account.marginCall);
      if (!this.isAtLevel(equity, margin, this.desk.account.stopOut)) break;
      if (!this.cancelReserving() && !this.closeWorst(equity, margin)) break;
      closed = true;
    }
    if (positions.size === 0) this.called = false;
    return closed;
  }

  /** A look in doubles, with room for their error: what nearly every quote comes to. */
  private isFarFromLevels(): boolean {
    const { valuation } = this;
    const equity = valuation.equityEstimate() * (1 - 1e-9) - 0.01;
    const isFar =
      this.isAbove(equity, valuation.marginCeiling()) || this.isAbove(equity, valuation.margin().toNumber());
    if (isFar) this.called = false;
    return isFar;
  }

  /** Whether an equity with this margin is above the margin-call level. */
  private isAbove(equity: number, margin: number): boolean {
    return margin === 0 || !this.isAtLevel(equity, margin, this.desk.account.marginCall);
  }

  private isAtLevel(equity: number, margin: number, level: number): boolean {
    return this.desk.account.stopoutMode === 'percent' ? (equity / margin) * 100 <= level : equity <= level;
  }

  /** Orders that reserve margin go before any position does. */
  private cancelReserving(): boolean {
    for (const order of this.desk.book.orders.values()) {
      if (this.valuation.reservedBy(order).isZero()) continue;
      finish(this.desk, order, OrderState.CANCELED);
      return true;
    }
    return false;
  }

  private closeWorst(equity: number, margin: number): boolean {
    let worst: { readonly ticket: number; readonly result: number } | null = null;
    for (const position of this.desk.book.positions.values()) {
      // A closed market closes nothing: its positions wait for the open.
      if (!this.desk.market.isOpen(symbolOf(this.desk, position.symbol))) continue;
      const result = this.valuation.floating(position) + position.swap;
      if (!worst || result < worst.result) worst = { ticket: position.ticket, result };
    }
    const position = worst && this.desk.book.positions.get(worst.ticket);
    if (!position) return false;
    const symbol = symbolOf(this.desk, position.symbol);
    const quote = this.desk.market.quote(symbol);
    if (!quote) return false;
    const price = position.type === PositionType.BUY ? quote.bid : quote.ask;
    const level = ((equity / margin) * 100).toFixed(2);
    const comment = `[so ${level}%/${equity.toFixed(2)}/${margin.toFixed(2)}]`;
    this.marketOrders.closeByServer(position, symbol, price, TradeReason.SO, comment);
    return true;
  }
}

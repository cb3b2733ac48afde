import { OrderState, PositionType, SymbolGtcMode } from '@libs/terminal-client';
import { rounded, sum } from '../money/decimals';
import { isReopening, swapDays, swapOf } from '../money/swap';
import type { OpenPosition } from './book';
import { type Desk, symbolOf } from './desk';
import { finish } from './orders';
import type { Rollover } from './rollover';

const DAY_MS = 86_400_000;

/** What the server does at the end of its trading day: swap, and the orders and levels that live for a day. */
export class DayEnd {
  /** UTC milliseconds of the next day's end. */
  nextMs: number;

  constructor(
    private readonly desk: Desk,
    private readonly rollover: Rollover,
  ) {
    this.nextMs = desk.market.clock.nextMidnightUtcMs(desk.market.nowMs);
  }

  run(): void {
    const { market, book } = this.desk;
    const weekday = new Date(market.clock.serverMs(this.nextMs) - DAY_MS / 2).getUTCDay();
    for (const position of [...book.positions.values()]) {
      const { spec } = symbolOf(this.desk, position.symbol);
      const days = swapDays(spec, weekday);
      if (days === 0) continue;
      if (isReopening(spec)) this.rollover.reopen(position, days);
      else this.charge(position, days);
    }
    this.endDayOrders();
    this.nextMs = market.clock.nextMidnightUtcMs(market.nowMs);
  }

  private charge(position: OpenPosition, days: number): void {
    const symbol = symbolOf(this.desk, position.symbol);
    const { spec } = symbol;
    const quote = this.desk.market.quote(symbol);
    const price = position.type === PositionType.BUY ? quote?.bid : quote?.ask;
    const { type, volume, price_open: open } = position;
    const charged = swapOf({ spec, type, volume, open, price: price ?? open, days }, this.desk.conversion);
    if (!charged) return;
    position.swap = sum(position.swap, rounded(charged, this.desk.account.currencyDigits).toNumber());
    this.desk.book.putPosition(position);
  }

  private endDayOrders(): void {
    for (const order of [...this.desk.book.orders.values()]) {
      const mode = symbolOf(this.desk, order.symbol).spec.order_gtc_mode;
      if (mode !== SymbolGtcMode.GTC) finish(this.desk, order, OrderState.EXPIRED);
    }
    for (const position of this.desk.book.positions.values()) {
      const mode = symbolOf(this.desk, position.symbol).spec.order_gtc_mode;
      if (mode !== SymbolGtcMode.DAILY || (position.sl === 0 && position.tp === 0)) continue;
      position.sl = 0;
      position.tp = 0;
      this.desk.book.putPosition(position);
    }
  }
}

import { isBuyOrder, OrderFilling, OrderState, OrderType, TradeReason } from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import type { AccountRules } from './account-rules';
import type { ActiveOrder, OpenPosition } from './book';
import type { Desk } from './desk';
import type { Fill, Fills } from './fills';
import { execute } from './liquidity';
import type { MarketOrders } from './market-orders';
import { finish } from './orders';
import { slipped } from './slippage';
import type { Level } from './triggers';

/** What the server does with an order or a level whose price has come. */
export class Triggered {
  constructor(
    private readonly desk: Desk,
    private readonly rules: AccountRules,
    private readonly fills: Fills,
    private readonly marketOrders: MarketOrders,
  ) {}

  /** A touched stop-limit becomes a limit order under the same ticket. */
  convert(order: ActiveOrder): void {
    order.type = order.type === OrderType.BUY_STOP_LIMIT ? OrderType.BUY_LIMIT : OrderType.SELL_LIMIT;
    order.type_filling = OrderFilling.RETURN;
    order.price_open = order.price_stoplimit;
    this.desk.book.putOrder(order);
  }

  fill(order: ActiveOrder, symbol: MarketSymbol, reached: number): void {
    const isBuy = isBuyOrder(order.type);
    const isLimit = order.type === OrderType.BUY_LIMIT || order.type === OrderType.SELL_LIMIT;
    const price = slipped(reached, isLimit ? 0 : (this.desk.account.slippagePoints ?? 0), isBuy, symbol.spec);
    const { type, magic, comment, reason } = order;
    const volume = order.volume_current;
    const opening = { symbol, type: isBuy ? OrderType.BUY : OrderType.SELL, volume, price };
    order.price_current = price;
    // A partly filled order was paid for when it started.
    const isNew = order.state !== OrderState.PARTIAL && type > OrderType.SELL;
    if (isNew && (this.rules.money(opening) ?? this.rules.hedge(opening))) {
      finish(this.desk, order, OrderState.REJECTED);
      return;
    }
    const fill = { symbol, order, isBuy, volume, price, comment, reason, magic };
    if (order.closes === 0) execute(this.desk, this.fills, fill);
    else this.closeFurther(fill);
  }

  close(position: OpenPosition, level: Level, symbol: MarketSymbol, price: number): void {
    const reason = level === 'sl' ? TradeReason.SL : TradeReason.TP;
    const comment = `[${level} ${position[level].toFixed(symbol.spec.digits)}]`;
    this.marketOrders.closeByServer(position, symbol, price, reason, comment);
  }

  /** The rest of a closing order: void once its position is gone, and never more than that still holds. */
  private closeFurther(fill: Fill): void {
    const { order } = fill;
    const closes = this.desk.book.positions.get(order.closes);
    if (!closes || closes.volume < order.volume_current) finish(this.desk, order, OrderState.CANCELED);
    else execute(this.desk, this.fills, { ...fill, closes });
  }
}

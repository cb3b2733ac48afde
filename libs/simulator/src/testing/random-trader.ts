import {
  isBuyOrder,
  OrderFilling,
  OrderTime,
  OrderType,
  PositionType,
  TradeAction,
  type TradeOrder,
  type TradePosition,
  type TradeRequest,
  tradeRequest,
} from '@libs/terminal-client';
import { Random } from '../market/generated/random';

/** Pending orders whose price is above the market. */
const highSide: readonly number[] = [OrderType.SELL_LIMIT, OrderType.BUY_STOP, OrderType.BUY_STOP_LIMIT];

/** What a trader sees before it acts. */
export interface Scene {
  readonly symbol: string;
  readonly digits: number;
  readonly bid: number;
  readonly ask: number;
  readonly volumeStep: number;
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
}

/** Makes up requests without end: mostly sensible ones, some malformed. The same seed makes up the same. */
export class RandomTrader {
  private readonly random: Random;

  constructor(
    seed: number,
    private readonly hedging: boolean,
  ) {
    this.random = new Random(seed);
  }

  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }

  request(scene: Scene): TradeRequest {
    const kind = this.random.next();
    const position = scene.positions[this.below(scene.positions.length)];
    const order = scene.orders[this.below(scene.orders.length)];
    if (kind < 0.3) return this.open(scene);
    if (kind < 0.5) return this.pending(scene);
    if (kind < 0.68 && position) return this.close(position);
    if (kind < 0.8 && position) return this.protect(position, scene);
    if (kind < 0.86 && order) return this.modify(order, scene);
    if (kind < 0.92 && order) return tradeRequest({ action: TradeAction.REMOVE, order: order.ticket });
    if (kind < 0.96 && this.hedging) return this.closeBy(scene);
    return this.malformed(scene);
  }

  private open({ symbol, ask, bid, digits, volumeStep }: Scene): TradeRequest {
    const type = this.below(2);
    const volume = this.volume(volumeStep);
    const levels = this.levels(type === OrderType.BUY ? ask : bid, type === OrderType.BUY, digits);
    const price = round(type === OrderType.BUY ? ask : bid, digits);
    const type_filling = this.below(3);
    const action = TradeAction.DEAL;
    return tradeRequest({ action, symbol, type, volume, price, deviation: 10, type_filling, magic: 1, ...levels });
  }

  private pending(scene: Scene): TradeRequest {
    const type = OrderType.BUY_LIMIT + this.below(6);
    const { symbol, digits } = scene;
    const price = this.pendingPrice(type, scene);
    const isStopLimit = type >= OrderType.BUY_STOP_LIMIT;
    const step = price * 0.0005 * this.random.next();
    const stoplimit = isStopLimit ? round(type === OrderType.BUY_STOP_LIMIT ? price - step : price + step, digits) : 0;
    return tradeRequest({
      action: TradeAction.PENDING,
      symbol,
      type,
      volume: this.volume(scene.volumeStep),
      price,
      stoplimit,
      type_filling: OrderFilling.RETURN,
      type_time: this.random.next() < 0.3 ? OrderTime.DAY : OrderTime.GTC,
      magic: 2,
      ...this.levels(isStopLimit ? stoplimit : price, isBuyOrder(type), digits),
    });
  }

  private close(position: TradePosition): TradeRequest {
    const part = this.random.next() < 0.4 ? 0.5 : 1;
    const volume = Math.max(0.01, Math.floor(position.volume * part * 100) / 100);
    const type = position.type === PositionType.BUY ? OrderType.SELL : OrderType.BUY;
    const { symbol, ticket } = position;
    const price = position.price_current;
    return tradeRequest({ action: TradeAction.DEAL, symbol, type, volume, price, deviation: 50, position: ticket });
  }

  private protect(position: TradePosition, { digits }: Scene): TradeRequest {
    const levels = this.levels(position.price_current, position.type === PositionType.BUY, digits);
    return tradeRequest({ action: TradeAction.SLTP, position: position.ticket, symbol: position.symbol, ...levels });
  }

  private modify(order: TradeOrder, scene: Scene): TradeRequest {
    const price = this.pendingPrice(order.type, scene);
    const stoplimit = order.type >= OrderType.BUY_STOP_LIMIT ? price : 0;
    return tradeRequest({ action: TradeAction.MODIFY, order: order.ticket, price, stoplimit });
  }

  private closeBy({ positions }: Scene): TradeRequest {
    const [position, position_by] = [this.below(positions.length), this.below(positions.length)];
    return tradeRequest({
      action: TradeAction.CLOSE_BY,
      position: positions[position]?.ticket ?? 0,
      position_by: positions[position_by]?.ticket ?? 0,
    });
  }

  private malformed({ symbol }: Scene): TradeRequest {
    const volume = [0, -1, 0.001, 1e9][this.below(4)] ?? 0;
    return tradeRequest({ action: this.below(12), symbol, type: this.below(10), volume, price: this.below(3) - 1 });
  }

  private volume(step: number): number {
    return Math.round((1 + this.below(40)) * step * 100) / 100;
  }

  private pendingPrice(type: number, { bid, ask, digits }: Scene): number {
    const away = 0.0002 + 0.002 * this.random.next();
    const isAbove = highSide.includes(type);
    return round(isAbove ? ask * (1 + away) : bid * (1 - away), digits);
  }

  private levels(from: number, isBuy: boolean, digits: number): { readonly sl: number; readonly tp: number } {
    const away = (): number => (this.random.next() < 0.4 ? 0 : 0.0008 + 0.003 * this.random.next());
    const [risk, gain] = [away(), away()];
    const below = round(from * (1 - (isBuy ? risk : gain)), digits);
    const above = round(from * (1 + (isBuy ? gain : risk)), digits);
    const [sl, tp] = isBuy ? [below, above] : [above, below];
    return { sl: risk === 0 ? 0 : sl, tp: gain === 0 ? 0 : tp };
  }
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

import {
  DealEntry,
  OrderModeFlag,
  OrderState,
  OrderType,
  PositionType,
  Retcode,
  type TradeRequest,
} from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import { difference, exact, rounded, zero } from '../money/decimals';
import { profitInDeposit } from '../money/profit';
import type { ActiveOrder, OpenPosition } from './book';
import { type Desk, isHedging, symbolOf } from './desk';
import type { Fills } from './fills';
import { finish, newOrder } from './orders';
import { type Refusal, refusal } from './refusal';
import { answer, type ServerAnswer } from './server-answer';

/**
 * Closing a position by an opposite one (TRADE_ACTION_CLOSE_BY): both legs go at the open price of the second, the
 * result is booked on the deal of the first, and the rest of the larger one stays under its ticket.
 */
export class CloseBy {
  constructor(
    private readonly desk: Desk,
    private readonly fills: Fills,
  ) {}

  refuses(request: TradeRequest): Refusal | null {
    if (!isHedging(this.desk)) return refusal(Retcode.INVALID);
    const first = this.desk.book.positions.get(request.position);
    const second = this.desk.book.positions.get(request.position_by);
    if (!first || !second) return refusal(Retcode.POSITION_CLOSED);
    if (first.symbol !== second.symbol || first.type === second.type) return refusal(Retcode.INVALID);
    const symbol = symbolOf(this.desk, first.symbol);
    if ((symbol.spec.order_mode & OrderModeFlag.CLOSEBY) === 0) return refusal(Retcode.INVALID_ORDER);
    return this.desk.market.isOpen(symbol) ? null : refusal(Retcode.MARKET_CLOSED);
  }

  send(request: TradeRequest): ServerAnswer {
    const refused = this.refuses(request);
    const first = this.desk.book.positions.get(request.position);
    const second = this.desk.book.positions.get(request.position_by);
    if (refused || !first || !second) return answer(refused ?? refusal(Retcode.INVALID), null);
    const symbol = symbolOf(this.desk, first.symbol);
    const volume = Math.min(first.volume, second.volume);
    const order = newOrder(this.desk, {
      type: OrderType.CLOSE_BY,
      symbol: first.symbol,
      volume_initial: volume,
      price_open: second.price_open,
      position_id: first.identifier,
      position_by_id: second.identifier,
      magic: request.magic,
      comment: `close #${first.ticket} by #${second.ticket}`,
    });
    order.volume_current = 0;
    const deal = this.closeLeg(order, symbol, first, volume, second.price_open, true);
    this.closeLeg(order, symbol, second, volume, second.price_open, false);
    finish(this.desk, order, OrderState.FILLED);
    const done = { deal, order: order.ticket, volume, price: order.price_open };
    return answer(refusal(Retcode.DONE), this.desk.market.quote(symbol), done);
  }

  private closeLeg(
    order: ActiveOrder,
    symbol: MarketSymbol,
    position: OpenPosition,
    volume: number,
    price: number,
    carriesResult: boolean,
  ): number {
    const digits = this.desk.account.currencyDigits;
    const trade = { spec: symbol.spec, type: position.type, volume, open: position.price_open, close: price };
    const profit = carriesResult ? (profitInDeposit(trade, this.desk.conversion) ?? zero) : zero;
    const swap = rounded(exact(position.swap).mul(volume).div(position.volume), digits).toNumber();
    const deal = this.fills.addDeal(
      {
        symbol,
        order,
        isBuy: position.type === PositionType.SELL,
        volume,
        price,
        comment: order.comment,
        reason: order.reason,
        magic: order.magic,
      },
      {
        entry: DealEntry.OUT_BY,
        position_id: position.identifier,
        profit: rounded(profit, digits).toNumber(),
        swap,
        commission: 0,
      },
    );
    position.volume = difference(position.volume, volume);
    position.swap = difference(position.swap, swap);
    position.time_update = deal.time;
    position.time_update_msc = deal.time_msc;
    if (position.volume === 0) this.desk.book.removePosition(position.ticket);
    else this.desk.book.putPosition(position);
    return deal.ticket;
  }
}

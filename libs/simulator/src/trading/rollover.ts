import {
  DealEntry,
  OrderState,
  OrderType,
  PositionType,
  SymbolSwapMode,
  type TradeDeal,
  TradeReason,
} from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import { exact, rounded, zero } from '../money/decimals';
import { profitInDeposit } from '../money/profit';
import { pointOf } from '../symbols/symbol-spec';
import type { OpenPosition } from './book';
import { type Desk, symbolOf } from './desk';
import type { Fill, Fills } from './fills';
import { finish, newOrder } from './orders';

/**
 * Swap by reopening: at the day's end a position is closed and opened again at a price that is worse (or better) by its
 * swap points. It gets a new ticket; the identifier stays.
 */
export class Rollover {
  constructor(
    private readonly desk: Desk,
    private readonly fills: Fills,
  ) {}

  reopen(position: OpenPosition, days: number): void {
    const symbol = symbolOf(this.desk, position.symbol);
    const quote = this.desk.market.quote(symbol);
    if (!quote) return;
    const isBuy = position.type === PositionType.BUY;
    const isAtBid = isBuy || symbol.spec.swap_mode === SymbolSwapMode.REOPEN_BID;
    const close = isAtBid ? quote.bid : quote.ask;
    const points = exact(isBuy ? -symbol.spec.swap_long : symbol.spec.swap_short)
      .mul(days)
      .mul(pointOf(symbol.spec));
    const open = rounded(exact(close).add(points), symbol.spec.digits).toNumber();
    this.book(position, symbol, !isBuy, close, DealEntry.OUT);
    const deal = this.book(position, symbol, isBuy, open, DealEntry.IN);
    this.desk.book.removePosition(position.ticket);
    this.desk.book.putPosition({ ...position, ticket: deal.order, price_open: open, swap: 0 });
  }

  private book(position: OpenPosition, symbol: MarketSymbol, isBuy: boolean, price: number, entry: number): TradeDeal {
    const { volume, magic, identifier, comment } = position;
    const order = newOrder(this.desk, {
      type: isBuy ? OrderType.BUY : OrderType.SELL,
      symbol: position.symbol,
      volume_initial: volume,
      volume_current: 0,
      price_open: price,
      position_id: identifier,
      reason: TradeReason.ROLLOVER,
      magic,
      comment,
    });
    const fill: Fill = { symbol, order, isBuy, volume, price, comment, magic, reason: TradeReason.ROLLOVER };
    const isOut = entry === DealEntry.OUT;
    const trade = { spec: symbol.spec, type: position.type, volume, open: position.price_open, close: price };
    const profit = isOut ? (profitInDeposit(trade, this.desk.conversion) ?? zero) : zero;
    const deal = this.fills.addDeal(fill, {
      entry,
      position_id: identifier,
      profit: rounded(profit, this.desk.account.currencyDigits).toNumber(),
      swap: isOut ? position.swap : 0,
      commission: 0,
    });
    finish(this.desk, order, OrderState.FILLED);
    return deal;
  }
}

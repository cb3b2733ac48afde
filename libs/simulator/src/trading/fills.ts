import { DealEntry, DealType, PositionType, type TradeDeal } from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import { commissionOf, swapShare } from '../money/costs';
import { difference, exact, isOnGrid, sum, zero } from '../money/decimals';
import { roundedProfit } from '../money/floating-profit';
import type { ActiveOrder, OpenPosition } from './book';
import { type Desk, isHedging, netPosition } from './desk';

/** A piece of an order that found a price. */
export interface Fill {
  readonly symbol: MarketSymbol;
  readonly order: ActiveOrder;
  readonly isBuy: boolean;
  readonly volume: number;
  readonly price: number;
  readonly comment: string;
  readonly reason: number;
  readonly magic: number;
  /** The position to close, of a closing order. */
  readonly closes?: OpenPosition | undefined;
}

/** Books fills: deals, and the positions they make, enlarge, reduce, reverse or close. */
export class Fills {
  constructor(private readonly desk: Desk) {}

  /** Books one fill and returns its deal. The order's own record is its owner's to keep. */
  book(fill: Fill): TradeDeal {
    if (fill.closes && isHedging(this.desk)) return this.reduce(fill, fill.closes, fill.volume);
    if (isHedging(this.desk)) return this.open(fill);
    const position = netPosition(this.desk, fill.symbol.spec.name);
    if (!position) return this.open(fill);
    if ((position.type === PositionType.BUY) === fill.isBuy) return this.enlarge(fill, position);
    if (fill.volume > position.volume) return this.reverse(fill, position);
    return this.reduce(fill, position, fill.volume);
  }

  /** Books a deal of any entry; `profit` and `swap` in the deposit currency. */
  addDeal(
    fill: Fill,
    fields: Pick<TradeDeal, 'entry' | 'position_id' | 'profit' | 'swap'> & { readonly commission?: number },
  ): TradeDeal {
    const { market, book } = this.desk;
    const deal: TradeDeal = {
      ticket: book.dealTickets.next(),
      order: fill.order.ticket,
      time: Math.floor(market.serverMs / 1_000),
      time_msc: market.serverMs,
      type: fill.isBuy ? DealType.BUY : DealType.SELL,
      entry: fields.entry,
      magic: fill.magic,
      position_id: fields.position_id,
      reason: fill.reason,
      volume: fill.volume,
      price: fill.price,
      commission: fields.commission ?? this.commission(fill, fields.entry),
      swap: fields.swap,
      profit: fields.profit,
      fee: 0,
      symbol: fill.symbol.spec.name,
      comment: fill.comment,
      external_id: '',
    };
    book.addDeal(deal);
    return deal;
  }

  /** What the broker will take for a deal, as a sum to be added to the balance. */
  commission({ symbol: { spec }, volume }: Pick<Fill, 'symbol' | 'volume'>, entry: number): number {
    return commissionOf(spec, volume, entry, this.desk.account.currencyDigits);
  }

  private open(fill: Fill): TradeDeal {
    const { order, symbol, price, volume } = fill;
    const open = this.desk.book.positions.get(order.ticket);
    // A later part of an order that was filled partly enlarges the position it opened.
    if (open && isHedging(this.desk)) return this.enlarge(fill, open);
    const deal = this.addDeal(fill, { entry: DealEntry.IN, position_id: order.ticket, profit: 0, swap: 0 });
    this.desk.book.putPosition({
      ticket: order.ticket,
      time: deal.time,
      time_msc: deal.time_msc,
      time_update: deal.time,
      time_update_msc: deal.time_msc,
      type: fill.isBuy ? PositionType.BUY : PositionType.SELL,
      magic: order.magic,
      identifier: order.ticket,
      reason: order.reason,
      volume,
      price_open: price,
      sl: order.sl,
      tp: order.tp,
      price_current: price,
      swap: 0,
      profit: 0,
      symbol: symbol.spec.name,
      comment: order.comment,
      external_id: '',
      margin_rate: this.marginRate(fill),
    });
    order.position_id = order.ticket;
    return deal;
  }

  private enlarge(fill: Fill, position: OpenPosition): TradeDeal {
    const { order, volume, price } = fill;
    const total = sum(position.volume, volume);
    const mean = (old: number, added: number): number =>
      exact(old).mul(position.volume).add(exact(added).mul(volume)).div(total).toDecimalPlaces(10).toNumber();
    position.price_open = mean(position.price_open, price);
    position.margin_rate = mean(position.margin_rate, this.marginRate(fill));
    position.volume = total;
    this.adoptLevels(position, order);
    const deal = this.addDeal(fill, { entry: DealEntry.IN, position_id: position.identifier, profit: 0, swap: 0 });
    this.touch(position, deal);
    order.position_id = position.identifier;
    return deal;
  }

  private reduce(fill: Fill, position: OpenPosition, volume: number): TradeDeal {
    const { profit, swap } = this.realize(fill, position, volume);
    const deal = this.addDeal(fill, { entry: DealEntry.OUT, position_id: position.identifier, profit, swap });
    fill.order.position_id = position.identifier;
    position.volume = difference(position.volume, volume);
    position.swap = difference(position.swap, swap);
    if (position.volume === 0) {
      this.desk.book.removePosition(position.ticket);
    } else {
      // A partial close leaves the levels unchanged (MetaTrader 5 help, rules of inheriting Stop Loss and Take Profit).
      if (!fill.closes && !isHedging(this.desk)) position.magic = fill.order.magic;
      this.touch(position, deal);
    }
    return deal;
  }

  /** One deal closes the whole position and opens the rest of its volume the other way; the identifier stays. */
  private reverse(fill: Fill, position: OpenPosition): TradeDeal {
    const { profit, swap } = this.realize(fill, position, position.volume);
    const deal = this.addDeal(fill, { entry: DealEntry.INOUT, position_id: position.identifier, profit, swap });
    const { order } = fill;
    this.desk.book.removePosition(position.ticket);
    this.desk.book.putPosition({
      ...position,
      ticket: order.ticket,
      type: fill.isBuy ? PositionType.BUY : PositionType.SELL,
      volume: difference(fill.volume, position.volume),
      price_open: fill.price,
      sl: order.sl,
      tp: order.tp,
      magic: order.magic,
      comment: order.comment,
      reason: order.reason,
      swap: 0,
      time: deal.time,
      time_msc: deal.time_msc,
      time_update: deal.time,
      time_update_msc: deal.time_msc,
      margin_rate: this.marginRate(fill),
    });
    order.position_id = position.identifier;
    return deal;
  }

  /** Profit of a part of a position at the fill's price, and the share of its swap that goes with it. */
  private realize(fill: Fill, position: OpenPosition, volume: number): { profit: number; swap: number } {
    const digits = this.desk.account.currencyDigits;
    const { spec } = fill.symbol;
    const trade = { spec, type: position.type, volume, open: position.price_open, close: fill.price };
    const profit = roundedProfit(trade, this.desk.conversion, digits) ?? 0;
    return { profit, swap: swapShare(position.swap, volume, position.volume, digits) };
  }

  /** On netting accounts an order that increases a position replaces its levels and its magic. */
  private adoptLevels(position: OpenPosition, order: ActiveOrder): void {
    if (isHedging(this.desk)) return;
    position.sl = order.sl;
    position.tp = order.tp;
    position.magic = order.magic;
  }

  private touch(position: OpenPosition, deal: TradeDeal): void {
    position.time_update = deal.time;
    position.time_update_msc = deal.time_msc;
    this.desk.book.putPosition(position);
  }

  private marginRate({ symbol, isBuy }: Fill): number {
    const { conversion } = this.desk;
    const { currency_margin: currency } = symbol.spec;
    const direct = conversion.directMarginRate(currency, isBuy);
    if (direct !== null && isOnGrid(direct, 1e-8)) return direct;
    return (conversion.marginRate(currency, isBuy) ?? zero).toDecimalPlaces(10).toNumber();
  }
}

import {
  DealEntry,
  isBuyOrder,
  OrderState,
  OrderType,
  PositionType,
  Retcode,
  SymbolExecution,
  SymbolTradeMode,
  TradeAction,
  TradeReason,
  tradeRequest,
  type TradeRequest,
} from '@libs/terminal-client';
import type { LiveQuote } from '../quotes/live-quote';
import type { MarketSymbol } from '../market/market';
import { difference } from '../money/decimals';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';
import type { AccountRules } from './account-rules';
import type { OpenPosition } from './book';
import { type Desk, isHedging, netPosition } from './desk';
import type { Fill, Fills } from './fills';
import { execute } from './liquidity';
import { finish, orderOf } from './orders';
import { firstRefusal, type Refusal, refusal } from './refusal';
import { answer, type ServerAnswer } from './server-answer';
import { slipped } from './slippage';
import {
  fillingRefusal,
  isFarEnough,
  isPrice,
  openingRefusal,
  orderModeRefusal,
  stopsRefusal,
  volumeRefusal,
} from './symbol-rules';

/** The effect of a fault on the fill of a market order. */
export interface FillTerms {
  /** Lots to fill at most; absent, all that the depth gives. */
  readonly mostLots?: number;
  /** Points by which the price is worse than the quote. */
  readonly slippagePoints?: number;
  /** Whether {@link MarketOrders.refuses} found nothing at this very instant, so that it need not be asked again. */
  readonly isChecked?: boolean;
  /** A pending order that is changed is replaced by another one. */
  readonly replacesOrders?: boolean;
}

/** Market orders: opening, closing, reducing, reversing (TRADE_ACTION_DEAL). */
export class MarketOrders {
  constructor(
    private readonly desk: Desk,
    private readonly rules: AccountRules,
    private readonly fills: Fills,
  ) {}

  /** Why a request would be refused; null when it would be done. Shared by check and send. */
  refuses(request: TradeRequest, symbol: MarketSymbol): Refusal | null {
    const { spec } = symbol;
    if (request.type !== OrderType.BUY && request.type !== OrderType.SELL) return refusal(Retcode.INVALID);
    const quote = this.desk.market.quote(symbol);
    return firstRefusal(
      () => orderModeRefusal(spec, request.type, request.sl, request.tp),
      () => volumeRefusal(spec, request.volume),
      () => fillingRefusal(spec, request.type, request.type_filling),
      () => (this.desk.market.isOpen(symbol) ? null : refusal(Retcode.MARKET_CLOSED)),
      () => (quote ? this.priceRefusal(spec, request, quote) : refusal(Retcode.PRICE_OFF)),
      () => (request.position === 0 ? null : this.closeRefusal(request, symbol)),
      () => (quote && request.position === 0 ? this.openRefusal(request, symbol, quote) : null),
    );
  }

  send(request: TradeRequest, symbol: MarketSymbol, terms: FillTerms = {}): ServerAnswer {
    const refused = terms.isChecked === true ? null : this.refuses(request, symbol);
    const quote = this.desk.market.quote(symbol);
    if (refused || !quote) return answer(refused ?? refusal(Retcode.PRICE_OFF), quote);
    const isBuy = request.type === OrderType.BUY;
    const { mostLots = null, slippagePoints = this.desk.account.slippagePoints ?? 0 } = terms;
    if (isAtRequest(symbol.spec) && slippagePoints > request.deviation) return answer(refusal(Retcode.REQUOTE), quote);
    const price = slipped(isBuy ? quote.ask : quote.bid, slippagePoints, isBuy, symbol.spec);
    const order = orderOf(this.desk, request);
    const closes = request.position === 0 ? undefined : this.desk.book.positions.get(request.position);
    if (closes) {
      order.closes = closes.ticket;
      order.position_id = closes.identifier;
      order.sl = 0;
      order.tp = 0;
    }
    const { magic, comment } = request;
    const { reason } = order;
    const { volume: wanted } = request;
    const piece: Fill = { symbol, order, isBuy, volume: wanted, price, comment, magic, reason, closes };
    const { deal, left } = execute(this.desk, this.fills, piece, mostLots);
    if (!deal) return answer(refusal(Retcode.REJECT, 'Not enough liquidity'), quote, { order: order.ticket });
    const retcode = left === 0 ? Retcode.DONE : Retcode.DONE_PARTIAL;
    const { volume } = deal;
    return answer(refusal(retcode), quote, { deal: deal.ticket, order: order.ticket, volume, price });
  }

  /** Closes a position at the market for a reason of the server's own: a level, or a stop out. */
  closeByServer(position: OpenPosition, symbol: MarketSymbol, quoted: number, reason: number, comment: string): void {
    const isBuy = position.type === PositionType.SELL;
    // A target is a limit: it fills at its price or a better one.
    const points = reason === TradeReason.TP ? 0 : (this.desk.account.slippagePoints ?? 0);
    const price = slipped(quoted, points, isBuy, symbol.spec);
    const request = tradeRequest({
      action: TradeAction.DEAL,
      magic: position.magic,
      symbol: position.symbol,
      volume: position.volume,
      type: isBuy ? OrderType.BUY : OrderType.SELL,
      comment,
      position: position.ticket,
    });
    const order = orderOf(this.desk, request);
    order.reason = reason;
    order.price_current = price;
    const { volume, magic } = position;
    this.fills.book({ symbol, order, isBuy, volume, price, comment, reason, magic, closes: position });
    order.volume_current = 0;
    finish(this.desk, order, OrderState.FILLED);
  }

  private priceRefusal(spec: SymbolSpec, request: TradeRequest, quote: LiveQuote): Refusal | null {
    if (!isPrice(spec, request.price)) return refusal(Retcode.INVALID_PRICE);
    if (!isAtRequest(spec)) return null;
    if (request.price === 0) return refusal(Retcode.INVALID_PRICE);
    const market = request.type === OrderType.BUY ? quote.ask : quote.bid;
    const points = Math.abs(difference(market, request.price)) / pointOf(spec);
    return points > request.deviation + 1e-6 ? refusal(Retcode.REQUOTE) : null;
  }

  private openRefusal(request: TradeRequest, symbol: MarketSymbol, quote: LiveQuote): Refusal | null {
    const { type, volume, sl, tp } = request;
    const isBuy = isBuyOrder(type);
    const opening = { symbol, type, volume, price: isBuy ? quote.ask : quote.bid };
    const net = isHedging(this.desk) ? null : netPosition(this.desk, symbol.spec.name);
    const onlyReduces = net !== null && (net.type === PositionType.BUY) !== isBuy && volume <= net.volume;
    return firstRefusal(
      () => stopsRefusal(symbol.spec, isBuy, isBuy ? quote.bid : quote.ask, sl, tp),
      () => (onlyReduces ? null : openingRefusal(symbol.spec, type)),
      () => (onlyReduces ? null : this.rules.hedge(opening)),
      () => (onlyReduces || net ? null : this.rules.positionLimit()),
      () => (onlyReduces ? null : this.rules.volumeLimit(opening)),
      () => this.rules.money(opening),
    );
  }

  private closeRefusal(request: TradeRequest, symbol: MarketSymbol): Refusal | null {
    const position = this.desk.book.positions.get(request.position);
    if (!position) return refusal(Retcode.POSITION_CLOSED);
    const isOpposite = (position.type === PositionType.BUY) === (request.type === OrderType.SELL);
    if (position.symbol !== request.symbol || !isOpposite) return refusal(Retcode.INVALID);
    if (request.volume > position.volume) return refusal(Retcode.INVALID_CLOSE_VOLUME);
    if (symbol.spec.trade_mode === SymbolTradeMode.DISABLED) return refusal(Retcode.TRADE_DISABLED);
    return firstRefusal(
      () => (this.isBeingClosed(position) ? refusal(Retcode.CLOSE_ORDER_EXIST) : null),
      () => this.fifoRefusal(position),
      () => (this.isFrozen(position, symbol) ? refusal(Retcode.FROZEN) : null),
    );
  }

  /** A closing order that found too little depth is still at work. */
  private isBeingClosed({ ticket }: OpenPosition): boolean {
    for (const { closes } of this.desk.book.orders.values()) {
      if (closes === ticket) return true;
    }
    return false;
  }

  private fifoRefusal(position: OpenPosition): Refusal | null {
    if (!this.desk.account.fifoClose || !isHedging(this.desk)) return null;
    const older = [...this.desk.book.positions.values()].some(
      ({ symbol, time_msc, ticket }) =>
        symbol === position.symbol &&
        (time_msc < position.time_msc || (time_msc === position.time_msc && ticket < position.ticket)),
    );
    return older ? refusal(Retcode.FIFO_CLOSE) : null;
  }

  /** Closer to one of its levels than the freeze level permits. */
  isFrozen(position: OpenPosition, symbol: MarketSymbol): boolean {
    const { spec } = symbol;
    const quote = this.desk.market.quote(symbol);
    if (spec.trade_freeze_level === 0 || !quote) return false;
    const price = position.type === PositionType.BUY ? quote.bid : quote.ask;
    return [position.sl, position.tp].some(
      (level) => level !== 0 && !isFarEnough(spec, Math.abs(difference(price, level)), spec.trade_freeze_level),
    );
  }

  /** The commission an opening would pay at once. */
  commission(symbol: MarketSymbol, volume: number): number {
    return this.fills.commission({ symbol, volume }, DealEntry.IN);
  }
}

/** The order is executed at the price it names, within its deviation. */
function isAtRequest({ trade_exemode }: SymbolSpec): boolean {
  return trade_exemode === SymbolExecution.INSTANT || trade_exemode === SymbolExecution.REQUEST;
}

import { OrderModeFlag, PositionType, Retcode, type TradeRequest } from '@libs/terminal-client';
import { type Desk, netPosition, symbolOf } from './desk';
import type { MarketOrders } from './market-orders';
import { firstRefusal, type Refusal, refusal } from './refusal';
import { answer, type ServerAnswer } from './server-answer';
import { stopsRefusal } from './symbol-rules';
import type { OpenPosition } from './book';
import type { MarketSymbol } from '../market/market';

/** Setting and removing the levels of a position (TRADE_ACTION_SLTP). */
export class Protection {
  constructor(
    private readonly desk: Desk,
    private readonly marketOrders: MarketOrders,
  ) {}

  refuses(request: TradeRequest): Refusal | null {
    const position = this.find(request);
    if (!position) return refusal(request.position === 0 ? Retcode.INVALID : Retcode.POSITION_CLOSED);
    const symbol = symbolOf(this.desk, position.symbol);
    const quote = this.desk.market.quote(symbol);
    if (!quote) return refusal(Retcode.PRICE_OFF);
    const isBuy = position.type === PositionType.BUY;
    return firstRefusal(
      () => (request.symbol === '' || request.symbol === position.symbol ? null : refusal(Retcode.INVALID)),
      () => modeRefusal(symbol, request),
      () => (position.sl === request.sl && position.tp === request.tp ? refusal(Retcode.NO_CHANGES) : null),
      () => (this.desk.market.isOpen(symbol) ? null : refusal(Retcode.MARKET_CLOSED)),
      () => (this.marketOrders.isFrozen(position, symbol) ? refusal(Retcode.FROZEN) : null),
      () => stopsRefusal(symbol.spec, isBuy, isBuy ? quote.bid : quote.ask, request.sl, request.tp),
    );
  }

  send(request: TradeRequest): ServerAnswer {
    const position = this.find(request);
    const quote = position ? this.desk.market.quote(symbolOf(this.desk, position.symbol)) : null;
    const refused = this.refuses(request);
    if (refused || !position) return answer(refused ?? refusal(Retcode.INVALID), quote);
    position.sl = request.sl;
    position.tp = request.tp;
    this.desk.book.putPosition(position);
    return answer(refusal(Retcode.DONE), quote, {});
  }

  private find(request: TradeRequest): OpenPosition | null {
    if (request.position !== 0) return this.desk.book.positions.get(request.position) ?? null;
    return this.desk.account.marginMode === 'hedging' ? null : netPosition(this.desk, request.symbol);
  }
}

function modeRefusal({ spec }: MarketSymbol, { sl, tp }: TradeRequest): Refusal | null {
  const wanted = (sl === 0 ? 0 : OrderModeFlag.SL) | (tp === 0 ? 0 : OrderModeFlag.TP);
  return (spec.order_mode & wanted) === wanted ? null : refusal(Retcode.INVALID_ORDER);
}

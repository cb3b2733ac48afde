import { TradeAction, tradeRequest, type TradeOrder, type TradeRequest } from '@libs/terminal-client';

/** The request that cancels a pending order. */
export function cancelDraft({ ticket, symbol, magic }: Pick<TradeOrder, 'ticket' | 'symbol' | 'magic'>): TradeRequest {
  return tradeRequest({ action: TradeAction.REMOVE, order: ticket, symbol, magic });
}

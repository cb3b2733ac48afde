import {
  tradeCalls,
  type CancelCall,
  type ClosePositionRequest,
  type ModifyOrderCall,
  type ModifyOrderRequest,
  type ModifySlTpRequest,
  type OrderRequest,
  type OrderTypeWord,
  type PostCall,
  type TradeCall,
} from '@libs/gateway-client';
import type { EntryOptions, OrderChange, Protection, Side, Stream } from '@libs/strategy';
import type { Intent } from './strategy-event';

const typeWords = {
  market: { buy: 'BUY', sell: 'SELL' },
  limit: { buy: 'BUY_LIMIT', sell: 'SELL_LIMIT' },
  stop: { buy: 'BUY_STOP', sell: 'SELL_STOP' },
  stop_limit: { buy: 'BUY_STOP_LIMIT', sell: 'SELL_STOP_LIMIT' },
} as const satisfies Record<NonNullable<EntryOptions['kind']>, Record<Side, OrderTypeWord>>;

/** The trade request of an intent. */
export type IntentCall =
  | PostCall<'/order', OrderRequest>
  | PostCall<'/close_position', ClosePositionRequest>
  | PostCall<'/modify_sl_tp', ModifySlTpRequest>
  | ModifyOrderCall
  | CancelCall;

/** The position or order that an intent acts on; `broker` is null for a bare number. */
export type IntentTarget = ({ readonly position: number } | { readonly order: number }) & {
  readonly broker: string | null;
};

/** The trade request of an entry. */
export function entryCall(stream: Stream, side: Side, options: EntryOptions, magic: number): IntentCall {
  return tradeCalls.order(entryRequest(stream.symbol, side, options, magic));
}

/** The body of {@link entryCall}. */
export function entryRequest(symbol: string, side: Side, options: EntryOptions, magic: number): OrderRequest {
  const { kind = 'market', volume, price, stoplimit, sl, tp, deviation, expirationMs } = options;
  return {
    symbol,
    volume,
    type: typeWords[kind][side],
    magic,
    ...(price === undefined ? {} : { price }),
    ...(stoplimit === undefined ? {} : { stoplimit }),
    ...(sl === undefined ? {} : { sl }),
    ...(tp === undefined ? {} : { tp }),
    ...(deviation === undefined ? {} : { deviation }),
    ...(expirationMs === undefined ? {} : { expiration: new Date(expirationMs).toISOString() }),
  };
}

/** Path of a request to close a position or a part of it. */
export const closePath = '/close_position';

/** The trade request of everything that acts on an existing ticket, by the terminal's number for it. */
export function ticketCall(
  intent: Exclude<Intent, { action: 'enter' | 'stack' | 'trail' }>,
  ticket: number,
): IntentCall {
  switch (intent.action) {
    case 'close':
      return tradeCalls.closePosition({
        position: { ticket, ...(intent.volume === null ? {} : { volume: intent.volume }) },
      });
    case 'protect':
      return tradeCalls.modifySlTp({
        position: ticket,
        ...levelChange(intent),
      });
    case 'modify':
      return tradeCalls.modifyOrder(ticket, orderChange(intent.change));
    case 'cancel':
      return tradeCalls.cancelOrder(ticket);
  }
}

/** The ticket that such an intent acts on. */
export function ticketOf(target: IntentTarget): number {
  return 'order' in target ? target.order : target.position;
}

/** Expiration of an order, in milliseconds since the epoch; null if it does not expire. */
export function expiresMsOf({ body }: TradeCall): number | null {
  const expiration = typeof body === 'object' && body !== null && 'expiration' in body ? body.expiration : null;
  return typeof expiration === 'string' ? Date.parse(expiration) : null;
}

/** The expiration that a request gives to a pending order; null removes it, undefined keeps it. */
export function changedExpiresMs(call: TradeCall): number | null | undefined {
  if (call.method !== 'PUT') return undefined;
  const { clear_expiration: isCleared } = call.body as ModifyOrderRequest;
  return isCleared === true ? null : (expiresMsOf(call) ?? undefined);
}

/** The stop-loss that a request gives to a position or an order; 0 removes it, undefined keeps it. */
export function stopOf({ body }: TradeCall): number | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('clear_sl' in body && body.clear_sl === true) return 0;
  return 'sl' in body && typeof body.sl === 'number' ? body.sl : undefined;
}

/** The change of a pending order, in the words of the gateway. */
function orderChange({ price, stoplimit, sl, tp, expirationMs }: OrderChange): ModifyOrderRequest {
  return {
    ...(price === undefined ? {} : { price }),
    ...(stoplimit === undefined ? {} : { stoplimit }),
    ...levelChange({ sl, tp }),
    ...(expirationMs === null ? { clear_expiration: true } : {}),
    ...(typeof expirationMs === 'number' ? { expiration: new Date(expirationMs).toISOString() } : {}),
  };
}

/** The levels to change, in the words of the gateway. */
function levelChange({
  sl,
  tp,
}: { readonly [Level in keyof Protection]: Protection[Level] | undefined }): Omit<ModifySlTpRequest, 'position'> {
  return { ...levelOf('sl', 'clear_sl', sl), ...levelOf('tp', 'clear_tp', tp) };
}

function levelOf(level: 'sl' | 'tp', clear: 'clear_sl' | 'clear_tp', value: number | null | undefined): object {
  if (value === undefined) return {};
  return value === null ? { [clear]: true } : { [level]: value };
}

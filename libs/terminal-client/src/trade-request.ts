import type { LastError } from './last-error';

/**
 * A trade request in full (docs: MqlTradeRequest): every field is always sent, 0 or '' where it does not apply, so that
 * no default of the terminal is relied on.
 */
export interface TradeRequest {
  action: number;
  magic: number;
  /** Ticket of the pending order, for MODIFY and REMOVE. */
  order: number;
  symbol: string;
  /** Lots. */
  volume: number;
  price: number;
  stoplimit: number;
  /** Absolute price; 0 is none, and on SLTP and MODIFY deletes the level. */
  sl: number;
  /** Absolute price; 0 is none, and on SLTP and MODIFY deletes the level. */
  tp: number;
  /** Points. */
  deviation: number;
  type: number;
  type_filling: number;
  type_time: number;
  /** Server seconds, with SPECIFIED and SPECIFIED_DAY. */
  expiration: number;
  comment: string;
  /** Ticket of the position, for a close and SLTP. */
  position: number;
  /** Ticket of the opposite position, for CLOSE_BY. */
  position_by: number;
}

const blank: TradeRequest = {
  action: 0,
  magic: 0,
  order: 0,
  symbol: '',
  volume: 0,
  price: 0,
  stoplimit: 0,
  sl: 0,
  tp: 0,
  deviation: 0,
  type: 0,
  type_filling: 0,
  type_time: 0,
  expiration: 0,
  comment: '',
  position: 0,
  position_by: 0,
};

/** A full request from the fields that matter to its action. */
export function tradeRequest(fields: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): TradeRequest {
  return { ...blank, ...fields };
}

/** What `order_check` answers; `retcode` 0 is "passed". */
export interface OrderCheckResult {
  retcode: number;
  balance: number;
  equity: number;
  profit: number;
  margin: number;
  margin_free: number;
  margin_level: number;
  comment: string;
}

/** What `order_send` answers. A price, deal or order of 0 means the server did not say. */
export interface OrderSendResult {
  retcode: number;
  deal: number;
  order: number;
  volume: number;
  price: number;
  bid: number;
  ask: number;
  comment: string;
  request_id: number;
  retcode_external: number;
}

/** What became of one send. There is no fourth case. */
export type SendOutcome =
  /** The server answered; its retcode tells what it did. */
  | { readonly kind: 'answered'; readonly result: OrderSendResult }
  /** Proven never to have reached the server. */
  | { readonly kind: 'refused'; readonly lastError: LastError }
  /** It may have reached the server; nobody knows what became of it. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly lastError: LastError };

import type { checkResultFields, RecordOf, sendResultFields } from '@libs/records';
import type { LastError } from './last-error';

/**
 * A complete trade request (docs: MqlTradeRequest): every field is always sent, 0 or '' if it does not apply, so that
 * the request does not depend on defaults of the terminal.
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

/** Builds a complete request from the fields that its action needs. */
export function tradeRequest(fields: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): TradeRequest {
  return { ...blank, ...fields };
}

/** The result of `order_check`; `retcode` 0 means passed. */
export type OrderCheckResult = RecordOf<typeof checkResultFields>;

/** The result of `order_send`. A price, deal or order of 0 means that the server did not state it. */
export type OrderSendResult = RecordOf<typeof sendResultFields>;

const blankResult: OrderSendResult = {
  retcode: 0,
  deal: 0,
  order: 0,
  volume: 0,
  price: 0,
  bid: 0,
  ask: 0,
  comment: '',
  request_id: 0,
  retcode_external: 0,
};

/** Builds a result of which only these fields are known. */
export function sendResult(known: Partial<OrderSendResult> & Pick<OrderSendResult, 'retcode'>): OrderSendResult {
  return { ...blankResult, ...known };
}

/** The outcome of one send. There is no fourth case. */
export type SendOutcome =
  /** The server answered; its retcode states what it did. */
  | { readonly kind: 'answered'; readonly result: OrderSendResult }
  /** Proven never to have reached the server. */
  | { readonly kind: 'refused'; readonly lastError: LastError }
  /** It may have reached the server; its outcome is unknown. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly lastError: LastError };

/** The outcome of a send, received after its deadline; only proven ones. */
export type LateOutcome = Exclude<SendOutcome, { readonly kind: 'unknown' }>;

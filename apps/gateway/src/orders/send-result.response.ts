import { sendResultRowFields } from '@libs/records';
import { documented } from '../http/documented';
import { retcodeName, type OrderSendResult } from '@libs/terminal-client';

/** `result` of a mutation: what `order_send` answered. Null where the server did not say. */
export class SendResultResponse extends documented(sendResultRowFields) {}

/** A server's 0 means that it did not say. */
export function sendResultBody(result: OrderSendResult): SendResultResponse {
  return {
    retcode: result.retcode,
    retcode_name: retcodeName(result.retcode),
    deal: result.deal || null,
    order: result.order || null,
    volume: result.volume || null,
    price: result.price || null,
    bid: result.bid || null,
    ask: result.ask || null,
    comment: result.comment,
    request_id: result.request_id,
    retcode_external: result.retcode_external,
  };
}

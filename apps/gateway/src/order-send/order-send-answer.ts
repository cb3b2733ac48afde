import { ApiError } from '@libs/envelope';
import { retcodeName, type OrderSendResult, type TradeRequest } from '@libs/terminal-client';
import type { OrderCancelledResponse, OrderModifiedResponse } from '../orders/order-change.response';
import type { OrderResponse } from '../orders/order.response';
import type { ClosedByBody } from '../positions/close-by.service';
import type { PositionClosedResponse } from '../positions/close-position.response';
import type { ModifyLevelsResponse } from '../positions/modify-levels.response';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import type { OrderSendResponse, TerminalResultResponse } from './order-send.response';

/** The answers of the services that POST /order_send calls. */
export type ServiceAnswer =
  | OrderResponse
  | PositionClosedResponse
  | ClosedByBody
  | ModifyLevelsResponse
  | OrderModifiedResponse
  | OrderCancelledResponse;

/** Whether a request is answered in the terminal's form. */
export function isInTerminalForm({ record: { route } }: TradeAttempt): boolean {
  return route.endsWith('/order_send');
}

/** The 200 of POST /order_send. @param request that was sent */
export function orderSendAnswer(answer: ServiceAnswer, request: TradeRequest): OrderSendResponse {
  const { result } = answer;
  return {
    ok: true,
    message: answer.message,
    result: terminalResult(
      {
        retcode: result.retcode,
        deal: result.deal ?? 0,
        order: result.order ?? 0,
        volume: result.volume ?? 0,
        price: result.price ?? 0,
        bid: result.bid ?? 0,
        ask: result.ask ?? 0,
        comment: result.comment,
        request_id: result.request_id,
        retcode_external: result.retcode_external,
      },
      request,
    ),
    state: 'state' in answer ? answer.state : 'changed',
    position: 'position' in answer ? answer.position : null,
    remaining_volume: 'remaining_volume' in answer ? answer.remaining_volume : null,
    remaining_volume_by: 'remaining_volume_by' in answer ? answer.remaining_volume_by : null,
    profit: 'profit' in answer ? answer.profit : null,
    client_order_id: answer.client_order_id,
  };
}

/** The error with the terminal's result, if the request is in its form and the terminal answered the last send. */
export function withTerminalResult(error: ApiError, attempt: TradeAttempt): ApiError {
  if (!isInTerminalForm(attempt)) return error;
  const last = [...attempt.intents.values()].at(-1);
  const result = last && (last.outcome.kind === 'rejected' || last.outcome.kind === 'unknown') && last.outcome.result;
  if (!result) return error;
  const { errorType, message, details, terminalError, headers, fields, cause } = error;
  const more = { ...fields, result: terminalResult(result, last.request) };
  return new ApiError(errorType, message, { details, terminalError, headers, fields: more, cause });
}

function terminalResult(result: OrderSendResult, request: TradeRequest): TerminalResultResponse {
  const { retcode, ...others } = result;
  return { retcode, retcode_name: retcodeName(retcode), ...others, request: { ...request } };
}

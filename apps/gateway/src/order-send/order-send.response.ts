import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { orderSendAnswerFields, terminalResultFields, terminalRequestFields } from '@libs/records';
import { documented, documentedOn } from '../http/documented';
import { ErrorResponse } from '../http/error.response';
import { MutationResponse } from '../orders/order.response';

/** A trade request as the terminal received it. */
class TerminalRequestResponse extends documented(terminalRequestFields) {}

/** The terminal's own result of `order_send`, with numbers where it has numbers. */
export class TerminalResultResponse extends documented(terminalResultFields) {
  @ApiProperty({ type: TerminalRequestResponse, description: 'The request as the terminal received it.' })
  request: TerminalRequestResponse;
}

/** The 200 of POST /order_send. */
export class OrderSendResponse extends documentedOn(MutationResponse, orderSendAnswerFields) {
  @ApiProperty({ type: TerminalResultResponse })
  declare result: TerminalResultResponse;
}

/** The 422 and 502 of POST /order_send. */
export class OrderSendErrorResponse extends ErrorResponse {
  @ApiPropertyOptional({
    type: TerminalResultResponse,
    description:
      "The terminal's result, if it answered the send. With unknown_outcome, it does not prove what was done.",
  })
  result?: TerminalResultResponse;
}

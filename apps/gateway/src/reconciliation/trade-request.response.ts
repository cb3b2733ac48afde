import { ApiProperty } from '@nestjs/swagger';
import { tradeRequestFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** What the journal has of an idempotency key. */
export class TradeRequestResponse extends documentedAnswer(tradeRequestFields) {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Body a replay answers. After IDEMPOTENCY_TTL_SECONDS a short one: `original_response_expired`.',
  })
  response: unknown;
}

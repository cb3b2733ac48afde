import { ApiProperty } from '@nestjs/swagger';

/** What of the broker's result is kept longer than the answer. */
class ExpiredResult {
  @ApiProperty({ type: 'integer', example: 530218319, description: 'Ticket of the order.' })
  order: number;
}

/** Replay of a trade request that was done, in whole (200) or in part (207), after its own answer has expired (IDEMPOTENCY_TTL_SECONDS). */
export class ExpiredTradeResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'this request succeeded; its original answer is no longer kept' })
  message: string;

  @ApiProperty({
    type: ExpiredResult,
    nullable: true,
    description: 'Null for a request other than POST /order.',
  })
  result: ExpiredResult | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 530218319,
    description: 'Ticket that the request acted on.',
  })
  ticket: number | null;

  @ApiProperty({ example: false, description: 'The outcome was unknown at first and was then looked up.' })
  recovered: boolean;

  @ApiProperty({ enum: [true], example: true, description: 'Marks this answer: it is not the original one.' })
  original_response_expired: true;

  @ApiProperty({
    type: 'integer',
    example: 200,
    description: 'Status of the original answer; 207: a part of it failed.',
  })
  original_status: number;

  @ApiProperty({ example: 'my-bot-2026-01-05-0001', description: 'The idempotency key of the request.' })
  client_order_id: string;
}

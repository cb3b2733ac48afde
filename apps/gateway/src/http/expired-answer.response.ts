import { ApiProperty } from '@nestjs/swagger';

/** What of the broker's result is left. */
export class ExpiredResult {
  @ApiProperty({ example: 530218319, description: 'Order ticket.' })
  order: number;
}

/** The answer to a repeated request that took effect, once IDEMPOTENCY_TTL_SECONDS have passed since. */
export class ExpiredAnswerResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'this request took effect; its original answer is no longer kept' })
  message: string;

  @ApiProperty({ type: ExpiredResult, nullable: true, description: 'Of POST /order only; null elsewhere.' })
  result: ExpiredResult | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 530218319,
    description: 'Order or position; null when there was none, or more than one.',
  })
  ticket: number | null;

  @ApiProperty({ example: false, description: 'The outcome was unknown at first, and was looked up.' })
  recovered: boolean;

  @ApiProperty({ enum: [true], example: true })
  original_response_expired: true;

  @ApiProperty({ example: 200, description: '207: a part of it failed.' })
  original_status: number;

  @ApiProperty({ example: 'my-bot-2026-01-05-0001' })
  client_order_id: string;
}

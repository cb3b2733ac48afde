import { ApiProperty } from '@nestjs/swagger';
import { tradeRequestStatuses, type TradeRequestStatus } from '../trade-journal/trade-request-status';

/** What the journal knows of an idempotency key. */
export class TradeRequestResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'my-bot-2026-01-05-0001' })
  key: string;

  @ApiProperty({ example: 'POST /order' })
  route: string;

  @ApiProperty({
    enum: tradeRequestStatuses,
    example: 'completed',
    description:
      '`unknown`: being looked up. `recovered`: looked up and found. `absent`: looked up, and nothing was done.',
  })
  status: TradeRequestStatus;

  @ApiProperty({ example: '2026-01-05T10:00:00.000Z' })
  created_at: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 200,
    description: 'Status a replay answers; null in progress.',
  })
  response_status: number | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'Body a replay answers.' })
  response: unknown;
}

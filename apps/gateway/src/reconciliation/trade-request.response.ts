import { ApiProperty } from '@nestjs/swagger';
import { reportedStatuses, type ReportedStatus } from '../trade-journal/trade-request-status';

/** What the journal knows of an idempotency key. */
export class TradeRequestResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'my-bot-2026-01-05-0001' })
  key: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'POST /order',
    description: 'Route of the first use; null when it is no longer known.',
  })
  route: string | null;

  @ApiProperty({
    enum: reportedStatuses,
    example: 'completed',
    description:
      '`unknown`: being looked up. `recovered`: looked up and found. `absent`: looked up, and nothing was done. ' +
      '`void`: never sent, and nothing is ever sent under this key.',
  })
  status: ReportedStatus;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '2026-01-05T10:00:00.000Z',
    description: 'First use, UTC; null when it is no longer known.',
  })
  created_at: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 200,
    description: 'Status a replay answers; null in progress.',
  })
  response_status: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Body a replay answers. After IDEMPOTENCY_TTL_SECONDS a short one: `original_response_expired`.',
  })
  response: unknown;
}

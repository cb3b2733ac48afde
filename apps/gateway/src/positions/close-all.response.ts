import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ClosedItem, FailedItem } from './flatten.response';

/** The 200 of POST /close_all_positions, and its 207 when a position could not be closed. */
export class CloseAllResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: '2 positions closed, 0 failed' })
  message: string;

  @ApiProperty({ type: [ClosedItem] })
  closed: ClosedItem[];

  @ApiProperty({ type: [FailedItem] })
  failed: FailedItem[];

  @ApiProperty({ type: String, nullable: true, example: 'my-bot-2026-01-05-0001' })
  client_order_id: string | null;

  @ApiPropertyOptional({
    example: true,
    description: 'The gateway was interrupted; what is listed was looked up, more may have been asked for.',
  })
  recovered?: boolean;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ErrorResponse, rememberedMeaning } from '../http/error.response';
import { ClosedItem, FailedItem } from './flatten.response';

/** What the closes of one request came to together. */
export class CloseAllResult {
  @ApiProperty({ type: 'integer', example: 2, description: 'Positions that matched the filters.' })
  positions: number;

  @ApiProperty({ type: 'integer', example: 2, description: 'Positions that were closed, wholly or in part.' })
  closed: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  @ApiProperty({ example: 0.2, description: 'Lots closed, of all symbols.' })
  closed_volume: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: -22.35,
    description: 'Deposit currency; null while the profit of one of them is not known.',
  })
  profit: number | null;
}

/** The 200 of POST /close_all_positions, and its 207 when a position could not be closed. */
export class CloseAllResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: '2 positions closed, 0 failed' })
  message: string;

  @ApiProperty({ type: CloseAllResult })
  result: CloseAllResult;

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

  @ApiPropertyOptional({ enum: [false], example: false, description: rememberedMeaning })
  remembered?: false;
}

/** The 502 of POST /close_all_positions. The lists are missing when the gateway was interrupted. */
export class CloseAllUnknownResponse extends ErrorResponse {
  @ApiPropertyOptional({ type: [ClosedItem] })
  closed?: ClosedItem[];

  @ApiPropertyOptional({ type: [FailedItem], description: 'Nothing more was done for these.' })
  failed?: FailedItem[];

  @ApiPropertyOptional({ type: [FailedItem], description: 'The broker may have closed these.' })
  unknown?: FailedItem[];
}

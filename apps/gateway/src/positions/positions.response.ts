import { ApiProperty } from '@nestjs/swagger';
import { positionRowFields } from '@libs/records';
import { documented } from '../http/documented';

/** The 19 fields of the terminal's position record, and what is derived from them. */
export class PositionRow extends documented(positionRowFields) {}

export class PositionsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [PositionRow] })
  data: readonly PositionRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

export class PositionsTotalResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: 'integer', example: 1, description: 'Number of open positions.' })
  total: number;
}

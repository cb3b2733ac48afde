import { ApiProperty } from '@nestjs/swagger';
import { tickRowFields } from '@libs/records';
import { documented } from '../http/documented';

/** One tick of the past; rows are written from columns, so this class only documents. */
export class TickRow extends documented(tickRowFields) {}

export class TicksResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({
    enum: ['utc', 'server'],
    example: 'utc',
    description: 'Time basis of the range: `server` while the offset of the broker server is not known.',
  })
  time_basis: 'utc' | 'server';

  @ApiProperty({ type: [TickRow], description: 'Ascending by time.' })
  data: TickRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

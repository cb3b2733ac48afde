import { ApiProperty } from '@nestjs/swagger';
import { barRowFields } from '@libs/records';
import { documented } from '../http/documented';

/** One bar; all of them together are written from columns, so this class only documents. */
export class BarRow extends documented(barRowFields) {}

export class BarsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({
    enum: ['utc', 'server'],
    example: 'utc',
    description: "`utc`, or `server` while the offset of the broker server's clock is not known.",
  })
  time_basis: 'utc' | 'server';

  @ApiProperty({ type: [BarRow], description: 'Ascending by time.' })
  data: BarRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

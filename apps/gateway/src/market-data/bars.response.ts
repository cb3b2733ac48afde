import { ApiProperty } from '@nestjs/swagger';

/** One bar; all of them together are written from columns, so this class only documents. */
export class BarRow {
  @ApiProperty({
    example: '2026-01-05T10:00:00Z',
    description:
      "The bar's open. Ends in Z while `time_basis` is `utc`; else it is the server's clock, without a zone.",
  })
  time: string;

  @ApiProperty({
    type: 'integer',
    example: 1767614400,
    description:
      "The bar's open on the broker server's clock, in seconds, as the terminal gives it. It orders bars and tells one from another whatever is known of that clock's offset.",
  })
  time_server: number;

  @ApiProperty({ example: 1.17264 })
  open: number;

  @ApiProperty({ example: 1.17281 })
  high: number;

  @ApiProperty({ example: 1.17255 })
  low: number;

  @ApiProperty({ example: 1.17279 })
  close: number;

  @ApiProperty({ type: 'integer', example: 84, description: 'Number of price changes.' })
  tick_volume: number;

  @ApiProperty({ type: 'integer', example: 12, description: 'Points.' })
  spread: number;

  @ApiProperty({ example: 0, description: 'Traded volume, where the symbol has one.' })
  real_volume: number;
}

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

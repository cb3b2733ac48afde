import { ApiProperty } from '@nestjs/swagger';

/** The 200 of POST /order_check. A refusal by the terminal is `valid: false`: the question was answered. */
export class OrderCheckResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: true, description: 'The terminal sees nothing against the order; no promise that it fills.' })
  valid: boolean;

  @ApiProperty({
    type: 'integer',
    example: 0,
    description: '0 when it passed, else the return code it would be refused with.',
  })
  retcode: number;

  @ApiProperty({ example: 'DONE', description: 'DONE when it passed.' })
  retcode_name: string;

  @ApiProperty({ example: 'Done' })
  comment: string;

  @ApiProperty({ example: 101300.53, description: 'After the order, as the other amounts; deposit currency.' })
  balance: number;

  @ApiProperty({ example: 68319.53 })
  equity: number;

  @ApiProperty({ example: -32981 })
  profit: number;

  @ApiProperty({ example: 51193.67, description: 'Of the whole account, not of the order alone.' })
  margin: number;

  @ApiProperty({ example: 17125.86 })
  margin_free: number;

  @ApiProperty({ example: 133.45308121101692, description: 'Percent.' })
  margin_level: number;
}

export class CalcMarginResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 109.91, description: 'Deposit currency; of this order alone.' })
  margin: number;
}

export class CalcProfitResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 10, description: 'Deposit currency.' })
  profit: number;
}

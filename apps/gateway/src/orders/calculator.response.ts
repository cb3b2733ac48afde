import { ApiProperty } from '@nestjs/swagger';
import { checkRowFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** The 200 of POST /order_check. A refusal by the terminal is `valid: false`: the question was answered. */
export class OrderCheckResponse extends documentedAnswer(checkRowFields) {}

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

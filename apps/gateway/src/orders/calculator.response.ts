import { ApiProperty } from '@nestjs/swagger';
import { checkRowFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** The 200 of POST /order_check. A refusal by the terminal is `valid: false`: the question was answered. */
export class OrderCheckResponse extends documentedAnswer(checkRowFields) {}

/** What a check can refuse before the terminal is asked. */
export const orderCheckErrors = [
  'validation_error',
  'not_found',
  'symbol_not_allowed',
  'volume_limit_exceeded',
  'order_deviation_exceeded',
  'order_rate_exceeded',
  'open_volume_exceeded',
  'daily_loss_exceeded',
  'server_time_unavailable',
] as const;

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

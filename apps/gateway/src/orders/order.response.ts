import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { mutationFields, orderAnswerFields } from '@libs/records';
import { documentedAnswer, documentedOn } from '../http/documented';
import { rememberedMeaning } from '../http/error.response';
import { SendResultResponse } from './send-result.response';

/** What every mutation answers. */
export class MutationResponse extends documentedAnswer(mutationFields) {
  @ApiProperty({ type: SendResultResponse })
  result: SendResultResponse;

  @ApiPropertyOptional({
    example: true,
    description: 'Present and true if the outcome was unknown at first and was then looked up.',
  })
  recovered?: boolean;

  @ApiPropertyOptional({ enum: [false], example: false, description: rememberedMeaning })
  remembered?: false;
}

/** What an order may be refused for, besides what every trade request may be. */
export const orderErrors = [
  'not_found',
  'symbol_not_allowed',
  'volume_limit_exceeded',
  'price_deviation_exceeded',
  'order_deviation_exceeded',
  'quote_too_old',
  'order_rate_exceeded',
  'open_volume_exceeded',
  'daily_loss_exceeded',
  'server_time_unavailable',
] as const;

/** The 200 of POST /order. */
export class OrderResponse extends documentedOn(MutationResponse, orderAnswerFields) {}

export type OrderStateWord = OrderResponse['state'];

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { rememberedMeaning } from '../http/error.response';
import type { FillPriceSource } from './fill';
import { SendResultResponse } from './send-result.response';

export type OrderStateWord = 'placed' | 'executed' | 'partially_executed';

export const fillPriceSources: readonly FillPriceSource[] = ['order_send', 'deal', 'position', 'unresolved'];

/** What every mutation answers. */
export class MutationResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'BUY 0.1 EURUSD executed at 1.17279', description: 'What happened, in words.' })
  message: string;

  @ApiProperty({ type: SendResultResponse })
  result: SendResultResponse;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'my-bot-2026-01-05-0001',
    description: 'The idempotency key of the request; null without one.',
  })
  client_order_id: string | null;

  @ApiPropertyOptional({
    example: true,
    description: 'Present and true when the outcome was unknown at first and was found out by looking it up.',
  })
  recovered?: boolean;

  @ApiPropertyOptional({ enum: [false], example: false, description: rememberedMeaning })
  remembered?: false;
}

/** The 200 of POST /order. */
export class OrderResponse extends MutationResponse {
  @ApiProperty({
    enum: ['placed', 'executed', 'partially_executed'],
    example: 'executed',
    description:
      '`placed`: accepted and waiting, as a pending order does, or a market order whose fill is not seen yet.',
  })
  state: OrderStateWord;

  @ApiProperty({ example: false, description: 'Less than the requested volume was executed.' })
  partial_fill: boolean;

  @ApiProperty({ example: 0, description: 'Lots of the request that are not executed.' })
  remaining_volume: number;

  @ApiProperty({
    enum: fillPriceSources,
    nullable: true,
    example: 'order_send',
    description: 'Where the price was read; `unresolved` while it is not known, null for a pending order.',
  })
  fill_price_source: FillPriceSource | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 530218319, description: 'Ticket of the position, if read.' })
  position: number | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    example: true,
    description:
      'The stop loss was read back from the position or order; null when none was asked for or none could be read.',
  })
  sl_confirmed: boolean | null;

  @ApiProperty({ type: Boolean, nullable: true, example: null })
  tp_confirmed: boolean | null;
}

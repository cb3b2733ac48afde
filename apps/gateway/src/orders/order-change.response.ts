import { ApiProperty } from '@nestjs/swagger';
import { MutationResponse } from './order.response';

/** The 200 of PUT /orders/{ticket}. */
export class ModifyOrderResponse extends MutationResponse {
  @ApiProperty({ type: 'integer', example: 530218319 })
  ticket: number;

  @ApiProperty({ example: 1.05, description: 'Price now in force.' })
  price: number;

  @ApiProperty({ type: Number, nullable: true, example: null, description: 'Limit price of a stop-limit order.' })
  stoplimit: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 1.04, description: 'Stop loss now in force; null: none.' })
  sl: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 1.07, description: 'Take profit now in force; null: none.' })
  tp: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '2026-12-31T21:00:00Z',
    description: 'UTC; null without an expiration, or while the server offset is unknown.',
  })
  time_expiration_utc: string | null;

  @ApiProperty({ type: Boolean, nullable: true, example: true, description: 'Read back; null if it could not be.' })
  sl_confirmed: boolean | null;

  @ApiProperty({ type: Boolean, nullable: true, example: true })
  tp_confirmed: boolean | null;

  @ApiProperty({ example: false, description: 'The order was so already (10025).' })
  no_changes: boolean;
}

/** The 200 of DELETE /orders/{ticket}. */
export class CancelOrderResponse extends MutationResponse {
  @ApiProperty({ type: 'integer', example: 530218319 })
  ticket: number;

  @ApiProperty({ enum: ['cancelled'], example: 'cancelled' })
  state: 'cancelled';
}

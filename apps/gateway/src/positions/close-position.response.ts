import { ApiProperty } from '@nestjs/swagger';
import type { FillPriceSource } from '../orders/fill';
import { fillPriceSources, MutationResponse } from '../orders/order.response';

/** The 200 of POST /close_position and POST /position_close_partial. */
export class ClosePositionResponse extends MutationResponse {
  @ApiProperty({ enum: ['closed', 'partially_closed'], example: 'closed' })
  state: 'closed' | 'partially_closed';

  @ApiProperty({ type: 'integer', example: 530218319, description: 'Ticket of the position.' })
  position: number;

  @ApiProperty({ example: 0.1, description: 'Lots that this request closed.' })
  closed_volume: number;

  @ApiProperty({ example: 0, description: 'Lots of the position that are left.' })
  remaining_volume: number;

  @ApiProperty({ enum: fillPriceSources, nullable: true, example: 'order_send' })
  fill_price_source: FillPriceSource | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: -22.35,
    description: 'Result of the closing deals with swap, commission and fee, deposit currency; null while not seen.',
  })
  profit: number | null;

  @ApiProperty({ example: false, description: 'The position was gone before; nothing was left to close.' })
  already_closed: boolean;
}

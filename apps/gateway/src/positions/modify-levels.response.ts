import { ApiProperty } from '@nestjs/swagger';
import { MutationResponse } from '../orders/order.response';

/** The 200 of POST /modify_sl_tp. */
export class ModifyLevelsResponse extends MutationResponse {
  @ApiProperty({ type: 'integer', example: 530218319 })
  position: number;

  @ApiProperty({ type: Number, nullable: true, example: 1.09, description: 'Stop loss now in force; null: none.' })
  sl: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 1.12, description: 'Take profit now in force; null: none.' })
  tp: number | null;

  @ApiProperty({ type: Boolean, nullable: true, example: true, description: 'Read back; null if it could not be.' })
  sl_confirmed: boolean | null;

  @ApiProperty({ type: Boolean, nullable: true, example: true })
  tp_confirmed: boolean | null;

  @ApiProperty({ example: false, description: 'The levels were so already (10025).' })
  no_changes: boolean;
}

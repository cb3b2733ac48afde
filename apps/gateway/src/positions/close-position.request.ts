import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsDefined,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { KeyedRequest, largestMagic } from '../orders/order.request';

/** What a close may say about how. */
class ClosingRequest extends KeyedRequest {
  @ApiPropertyOptional({ example: 20, default: 20, minimum: 0, description: 'Greatest slippage in points.' })
  @IsOptional()
  @IsInt()
  @Min(0)
  deviation?: number;

  @ApiPropertyOptional({ example: 'take it', maxLength: 31 })
  @IsOptional()
  @IsString()
  @MaxLength(31)
  comment?: string;
}

/** Body of POST /close_position. */
export class ClosePositionRequest extends ClosingRequest {
  @ApiProperty({
    oneOf: [
      { type: 'integer', example: 530218319 },
      {
        type: 'object',
        required: ['ticket'],
        properties: { ticket: { type: 'integer' }, volume: { type: 'number' } },
        additionalProperties: true,
      },
    ],
    example: { ticket: 530218319 },
    description:
      "The position's ticket, or an object with it (a row of GET /get_positions will do). A `volume` below the " +
      "position's closes that part.",
  })
  @IsDefined()
  position: unknown;
}

/** Body of POST /position_close_partial. */
export class ClosePartialRequest extends ClosingRequest {
  @ApiProperty({ example: 530218319 })
  @IsInt()
  @IsPositive()
  ticket: number;

  @ApiProperty({ example: 0.05, description: "Lots, strictly below the position's." })
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @IsPositive()
  volume: number;

  @ApiPropertyOptional({ example: 'EURUSD', description: "The position's symbol; refused when it is another." })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  symbol?: string;

  @ApiPropertyOptional({ enum: ['BUY', 'SELL'], description: "The position's type; refused when it is another." })
  @IsOptional()
  @IsIn(['BUY', 'SELL'])
  type?: 'BUY' | 'SELL';
}

/** Body of POST /close_all_positions, all of it optional. */
export class CloseAllRequest extends KeyedRequest {
  @ApiPropertyOptional({ enum: ['all', 'BUY', 'SELL'], default: 'all', example: 'all' })
  @IsOptional()
  @IsIn(['all', 'BUY', 'SELL'])
  order_type?: 'all' | 'BUY' | 'SELL';

  @ApiPropertyOptional({ example: 7001, minimum: 0, maximum: largestMagic })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(largestMagic)
  magic?: number;

  @ApiPropertyOptional({ example: 'EURUSD' })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  symbol?: string;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsNotEmpty, IsNumber, IsOptional, IsPositive, IsString, MaxLength } from 'class-validator';
import { orderTypeWords, type OrderTypeWord } from './order.request';

const finite = { allowNaN: false, allowInfinity: false };

class VolumeOfSymbol {
  @ApiProperty({ example: 'EURUSD', maxLength: 64 })
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  symbol: string;

  @ApiProperty({ example: 0.1, description: 'Lots.' })
  @IsNumber(finite)
  @IsPositive()
  volume: number;
}

/** Body of POST /order_calc_margin. */
export class CalcMarginRequest extends VolumeOfSymbol {
  @ApiProperty({ enum: orderTypeWords, example: 'BUY' })
  @IsIn(orderTypeWords)
  type: OrderTypeWord;

  @ApiPropertyOptional({ example: 1.1, description: 'Opening price; omitted: the current quote.' })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive()
  price?: number;
}

/** Body of POST /order_calc_profit. */
export class CalcProfitRequest extends VolumeOfSymbol {
  @ApiProperty({ enum: ['BUY', 'SELL'], example: 'BUY' })
  @IsIn(['BUY', 'SELL'])
  type: 'BUY' | 'SELL';

  @ApiProperty({ example: 1.1 })
  @IsNumber(finite)
  @IsPositive()
  price_open: number;

  @ApiProperty({ example: 1.101 })
  @IsNumber(finite)
  @IsPositive()
  price_close: number;
}

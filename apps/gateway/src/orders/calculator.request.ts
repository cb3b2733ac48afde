import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsNumber, IsOptional, IsPositive } from 'class-validator';
import { AnyLetterCase } from '../http/letter-case.decorator';
import { IsOrderAction, type OrderAction } from './order-action.decorator';
import { OrderRequest, orderTypeWords, type OrderTypeWord } from './order.request';
import { IsSymbolName } from './symbol-name.decorator';

const sideWords = ['BUY', 'SELL'] as const;
const finite = { allowNaN: false, allowInfinity: false };

/** Body of POST /order_check. */
export class OrderCheckRequest extends OrderRequest {
  @IsOrderAction()
  action?: OrderAction;
}

class VolumeOfSymbol {
  @ApiProperty({ example: 'EURUSD', maxLength: 64 })
  @IsSymbolName()
  symbol: string;

  @ApiProperty({ example: 0.1, description: 'Lots.' })
  @IsNumber(finite)
  @IsPositive()
  volume: number;

  @IsOrderAction()
  action?: OrderAction;
}

/** Body of POST /order_calc_margin. */
export class CalcMarginRequest extends VolumeOfSymbol {
  @ApiProperty({ enum: orderTypeWords, example: 'BUY', description: 'In any letter case.' })
  @AnyLetterCase(orderTypeWords)
  @IsIn(orderTypeWords)
  type: OrderTypeWord;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    example: 1.1,
    description: 'Opening price; omitted or null: the current quote.',
  })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive()
  price?: number | null;
}

/** Body of POST /order_calc_profit. */
export class CalcProfitRequest extends VolumeOfSymbol {
  @ApiProperty({ enum: sideWords, example: 'BUY', description: 'In any letter case.' })
  @AnyLetterCase(sideWords)
  @IsIn(sideWords)
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

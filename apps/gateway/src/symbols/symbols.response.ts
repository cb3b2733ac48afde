import { ApiProperty } from '@nestjs/swagger';
import type { SymbolInfo } from '@libs/terminal-client';

type RowField =
  'name' | 'description' | 'path' | 'visible' | 'currency_base' | 'currency_profit' | 'digits' | 'trade_mode';

export class SymbolRow implements Pick<SymbolInfo, RowField> {
  @ApiProperty({ example: 'EURUSD' })
  name: string;

  @ApiProperty({ example: 'Euro vs US Dollar' })
  description: string;

  @ApiProperty({ example: 'Forex\\EURUSD', description: "Place in the broker's tree of symbols." })
  path: string;

  @ApiProperty({ example: true, description: 'Shown in Market Watch.' })
  visible: boolean;

  @ApiProperty({ example: 'EUR' })
  currency_base: string;

  @ApiProperty({ example: 'USD' })
  currency_profit: string;

  @ApiProperty({ type: 'integer', example: 5, description: 'Decimals of its prices.' })
  digits: number;

  @ApiProperty({
    type: 'integer',
    example: 4,
    description: '0 disabled, 1 long only, 2 short only, 3 close only, 4 full.',
  })
  trade_mode: number;
}

export class SymbolsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [SymbolRow] })
  data: readonly SymbolRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

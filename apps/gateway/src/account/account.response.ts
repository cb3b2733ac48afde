import { ApiProperty } from '@nestjs/swagger';
import type { AccountInfo } from '@libs/terminal-client';

/** The 28 fields of the terminal's account record, beside `ok`. Money in the deposit currency. */
export class AccountResponse implements AccountInfo {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: 'integer', example: 25115284, description: 'Account number.' })
  login: number;

  @ApiProperty({ type: 'integer', example: 0, description: '0 demo, 1 contest, 2 real.' })
  trade_mode: number;

  @ApiProperty({ type: 'integer', example: 100 })
  leverage: number;

  @ApiProperty({ type: 'integer', example: 200, description: 'Most active pending orders; 0 is no limit.' })
  limit_orders: number;

  @ApiProperty({ type: 'integer', example: 0, description: '0 stop-out levels in percent, 1 in money.' })
  margin_so_mode: number;

  @ApiProperty({ example: true, description: 'The account may trade at all.' })
  trade_allowed: boolean;

  @ApiProperty({ example: true, description: 'The server allows automated trading.' })
  trade_expert: boolean;

  @ApiProperty({ type: 'integer', example: 2, description: '0 netting, 1 exchange, 2 hedging.' })
  margin_mode: number;

  @ApiProperty({ type: 'integer', example: 2, description: 'Decimals of the deposit currency.' })
  currency_digits: number;

  @ApiProperty({ example: false, description: 'Only the oldest position of a symbol may be closed.' })
  fifo_close: boolean;

  @ApiProperty({ example: 99511.4, description: 'Deposit currency.' })
  balance: number;

  @ApiProperty({ example: 0 })
  credit: number;

  @ApiProperty({ example: 41.82, description: 'Floating result of the open positions, swap included.' })
  profit: number;

  @ApiProperty({ example: 99553.22, description: 'balance + credit + profit.' })
  equity: number;

  @ApiProperty({ example: 98.18 })
  margin: number;

  @ApiProperty({ example: 99455.04, description: 'equity - margin.' })
  margin_free: number;

  @ApiProperty({ example: 101398.67590140559, description: 'Percent; 0 while no margin is used.' })
  margin_level: number;

  @ApiProperty({ example: 50, description: 'Margin call level.' })
  margin_so_call: number;

  @ApiProperty({ example: 30, description: 'Stop-out level.' })
  margin_so_so: number;

  @ApiProperty({ example: 0 })
  margin_initial: number;

  @ApiProperty({ example: 0 })
  margin_maintenance: number;

  @ApiProperty({ example: 0 })
  assets: number;

  @ApiProperty({ example: 0 })
  liabilities: number;

  @ApiProperty({ example: 0 })
  commission_blocked: number;

  @ApiProperty({ example: 'MetaQuotes Demo', description: "The client's name." })
  name: string;

  @ApiProperty({ example: 'MetaQuotes-Demo' })
  server: string;

  @ApiProperty({ example: 'USD', description: 'Deposit currency.' })
  currency: string;

  @ApiProperty({ example: 'MetaQuotes Ltd.' })
  company: string;
}

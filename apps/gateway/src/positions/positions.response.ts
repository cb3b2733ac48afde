import { ApiProperty } from '@nestjs/swagger';
import type { TradePosition } from '@libs/terminal-client';

/** The 19 fields of the terminal's position record, and what is derived from them. */
export class PositionRow implements TradePosition {
  @ApiProperty({ type: 'integer', example: 530218319 })
  ticket: number;

  @ApiProperty({
    type: 'integer',
    example: 1585070338,
    description: 'When it was opened: broker server seconds, not UTC.',
  })
  time: number;

  @ApiProperty({ type: 'integer', example: 1585070338728, description: 'Broker server milliseconds, not UTC.' })
  time_msc: number;

  @ApiProperty({ type: 'integer', example: 1585070338 })
  time_update: number;

  @ApiProperty({ type: 'integer', example: 1585070338728 })
  time_update_msc: number;

  @ApiProperty({ type: 'integer', example: 0, description: '0 buy, 1 sell.' })
  type: number;

  @ApiProperty({ type: 'integer', example: 7001 })
  magic: number;

  @ApiProperty({ type: 'integer', example: 530218319, description: 'Stays the same for the life of the position.' })
  identifier: number;

  @ApiProperty({ type: 'integer', example: 3, description: '0 desktop, 1 mobile, 2 web, 3 expert or API.' })
  reason: number;

  @ApiProperty({ example: 0.1, description: 'Lots.' })
  volume: number;

  @ApiProperty({ example: 1.17279 })
  price_open: number;

  @ApiProperty({ example: 1.16, description: '0: none.' })
  sl: number;

  @ApiProperty({ example: 1.19, description: '0: none.' })
  tp: number;

  @ApiProperty({ example: 1.17264 })
  price_current: number;

  @ApiProperty({ example: 0 })
  swap: number;

  @ApiProperty({ example: -1.5, description: 'Floating result in the deposit currency, without swap and commission.' })
  profit: number;

  @ApiProperty({ example: 'EURUSD' })
  symbol: string;

  @ApiProperty({ example: '#1k2m3n4p5q' })
  comment: string;

  @ApiProperty({ example: '' })
  external_id: string;

  @ApiProperty({ enum: ['BUY', 'SELL'], example: 'BUY' })
  type_str: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '2020-03-24T15:18:58.728Z',
    description: 'When it was opened, UTC; null while the server offset is unknown.',
  })
  time_utc: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'my-bot-2026-01-05-0001',
    description: 'Idempotency key of the order it came from, if this gateway placed it under one.',
  })
  client_order_id: string | null;
}

export class PositionsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [PositionRow] })
  data: readonly PositionRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

export class PositionsTotalResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: 'integer', example: 1, description: 'Number of open positions.' })
  total: number;
}

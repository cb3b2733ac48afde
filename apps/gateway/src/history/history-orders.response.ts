import { ApiProperty } from '@nestjs/swagger';
import type { KeyedOrder } from './keyed-rows';
import type { OrderRow } from './order-row';

/** The terminal's 24 fields of an order, its main times in UTC and its enumerations in words. */
export class OrderRowResponse implements OrderRow {
  @ApiProperty({ type: 'integer', example: 530218319 })
  ticket: number;

  @ApiProperty({
    type: 'integer',
    example: 1582282114,
    description: 'Broker server time as an epoch, in seconds; not UTC.',
  })
  time_setup: number;

  @ApiProperty({ type: 'integer', example: 1582282114681 })
  time_setup_msc: number;

  @ApiProperty({ type: String, nullable: true, example: '2020-02-21T08:48:34.681Z' })
  time_setup_utc: string | null;

  @ApiProperty({ type: 'integer', example: 1582303777, description: '0 while it is not done.' })
  time_done: number;

  @ApiProperty({ type: 'integer', example: 1582303777582 })
  time_done_msc: number;

  @ApiProperty({ type: String, nullable: true, example: '2020-02-21T14:49:37.582Z' })
  time_done_utc: string | null;

  @ApiProperty({ type: 'integer', example: 0, description: 'Broker server time as an epoch; 0 without an expiration.' })
  time_expiration: number;

  @ApiProperty({ type: String, nullable: true, example: null })
  time_expiration_utc: string | null;

  @ApiProperty({
    type: 'integer',
    example: 2,
    description: '0 buy, 1 sell, 2 buy limit, 3 sell limit, 4 buy stop, 5 sell stop ...',
  })
  type: number;

  @ApiProperty({ example: 'BUY_LIMIT' })
  type_str: string;

  @ApiProperty({ type: 'integer', example: 0, description: '0 GTC, 1 day, 2 specified, 3 specified day.' })
  type_time: number;

  @ApiProperty({ type: 'integer', example: 2, description: '0 FOK, 1 IOC, 2 RETURN, 3 BOC.' })
  type_filling: number;

  @ApiProperty({
    type: 'integer',
    example: 4,
    description: '1 placed, 2 canceled, 3 partial, 4 filled, 5 rejected, 6 expired.',
  })
  state: number;

  @ApiProperty({ example: 'FILLED' })
  state_str: string;

  @ApiProperty({ type: 'integer', example: 1000 })
  magic: number;

  @ApiProperty({ type: 'integer', example: 530218319 })
  position_id: number;

  @ApiProperty({ type: 'integer', example: 0 })
  position_by_id: number;

  @ApiProperty({
    type: 'integer',
    example: 3,
    description: '0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out.',
  })
  reason: number;

  @ApiProperty({ example: 0.01, description: 'Lots.' })
  volume_initial: number;

  @ApiProperty({ example: 0, description: 'Lots that are not filled.' })
  volume_current: number;

  @ApiProperty({ example: 0.97898 })
  price_open: number;

  @ApiProperty({ example: 0 })
  sl: number;

  @ApiProperty({ example: 0 })
  tp: number;

  @ApiProperty({ example: 0.97863 })
  price_current: number;

  @ApiProperty({ example: 0 })
  price_stoplimit: number;

  @ApiProperty({ example: 'USDCHF' })
  symbol: string;

  @ApiProperty({ example: '' })
  comment: string;

  @ApiProperty({ example: '' })
  external_id: string;
}

/** An order, pending or done, with the key it came from. */
export class KeyedOrderRow extends OrderRowResponse implements KeyedOrder {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'my-bot-2026-01-05-0001',
    description: 'Idempotency key of the request that placed it, if this gateway sent it under one; kept for 100 days.',
  })
  client_order_id: string | null;
}

export class HistoryOrdersResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [KeyedOrderRow] })
  data: readonly KeyedOrderRow[];

  @ApiProperty({ type: 'integer', example: 1, description: 'Rows of this answer.' })
  total: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'What to give as `cursor` for the rows that follow; null: there are none.',
  })
  next_cursor: string | null;
}

export class OrderFromTicketResponse extends KeyedOrderRow {
  @ApiProperty({ enum: [true], example: true })
  ok: true;
}

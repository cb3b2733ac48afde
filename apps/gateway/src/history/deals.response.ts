import { ApiProperty } from '@nestjs/swagger';
import type { DealRow } from './deal-row';
import type { KeyedDeal } from './keyed-rows';

/** The terminal's 18 fields of a deal, its time in UTC and its enumerations in words. */
export class DealRowResponse implements DealRow {
  @ApiProperty({ type: 'integer', example: 513149059 })
  ticket: number;

  @ApiProperty({
    type: 'integer',
    example: 535548147,
    description: 'Ticket of the order that made it; 0 for balance operations.',
  })
  order: number;

  @ApiProperty({
    type: 'integer',
    example: 1582303777,
    description: 'Broker server time as an epoch, in seconds; not UTC.',
  })
  time: number;

  @ApiProperty({
    type: 'integer',
    example: 1582303777582,
    description: 'Broker server time as an epoch, in milliseconds; not UTC.',
  })
  time_msc: number;

  @ApiProperty({ type: String, nullable: true, example: '2020-02-21T14:49:37.582Z' })
  time_utc: string | null;

  @ApiProperty({
    type: 'integer',
    example: 1,
    description: '0 buy, 1 sell, 2 balance; higher numbers are no trades either.',
  })
  type: number;

  @ApiProperty({ example: 'SELL' })
  type_str: string;

  @ApiProperty({ type: 'integer', example: 1, description: '0 in, 1 out, 2 in/out, 3 out by.' })
  entry: number;

  @ApiProperty({ example: 'OUT' })
  entry_str: string;

  @ApiProperty({ type: 'integer', example: 1000 })
  magic: number;

  @ApiProperty({
    type: 'integer',
    example: 530218319,
    description: "The position's identifier; 0 when it belongs to none.",
  })
  position_id: number;

  @ApiProperty({
    type: 'integer',
    example: 3,
    description: '0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out, 7 rollover.',
  })
  reason: number;

  @ApiProperty({ example: 0.01, description: 'Lots.' })
  volume: number;

  @ApiProperty({ example: 0.95758 })
  price: number;

  @ApiProperty({ example: -0.04 })
  commission: number;

  @ApiProperty({ example: 0 })
  swap: number;

  @ApiProperty({ example: -22.35, description: 'In the deposit currency, without commission, swap and fee.' })
  profit: number;

  @ApiProperty({ example: 0 })
  fee: number;

  @ApiProperty({ example: 'USDCHF' })
  symbol: string;

  @ApiProperty({ example: '' })
  comment: string;

  @ApiProperty({ example: '' })
  external_id: string;
}

/** A deal, with the key it came from. */
export class KeyedDealRow extends DealRowResponse implements KeyedDeal {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'my-bot-2026-01-05-0001',
    description:
      'Idempotency key of the request whose order made it, if this gateway sent it under one; kept for 100 days.',
  })
  client_order_id: string | null;
}

export class DealsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [KeyedDealRow] })
  data: readonly KeyedDealRow[];

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

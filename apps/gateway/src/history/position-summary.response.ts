import { ApiProperty } from '@nestjs/swagger';
import type { PositionSummary } from './position-summary';

/** A position as its deals add up. */
export class PositionSummaryResponse implements PositionSummary {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: 'integer', example: 530218319, description: 'The ticket that was asked for.' })
  ticket: number;

  @ApiProperty({ example: 'USDCHF' })
  symbol: string;

  @ApiProperty({ type: 'integer', example: 0, description: 'The side it was opened on: 0 buy, 1 sell.' })
  type: number;

  @ApiProperty({ example: 'BUY' })
  type_str: string;

  @ApiProperty({ type: 'integer', example: 1000 })
  magic: number;

  @ApiProperty({ example: 0.01, description: 'Lots.' })
  volume_opened: number;

  @ApiProperty({ example: 0.01, description: 'Lots.' })
  volume_closed: number;

  @ApiProperty({ example: true, description: 'True only when all that was opened is out again.' })
  closed: boolean;

  @ApiProperty({ type: Number, nullable: true, example: 0.97898, description: 'Volume-weighted.' })
  price_open: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.95758,
    description: 'Volume-weighted; null while all is in.',
  })
  price_close: number | null;

  @ApiProperty({ example: -22.35, description: 'Sum over its deals, in the deposit currency.' })
  profit: number;

  @ApiProperty({ example: -0.08 })
  commission: number;

  @ApiProperty({ example: 0 })
  swap: number;

  @ApiProperty({ example: 0 })
  fee: number;

  @ApiProperty({
    type: 'integer',
    example: 1582282114,
    description: 'Broker server time as an epoch, in seconds; not UTC.',
  })
  time_open: number;

  @ApiProperty({ type: 'integer', example: 1582282114681 })
  time_open_msc: number;

  @ApiProperty({ type: String, nullable: true, example: '2020-02-21T08:48:34.681Z' })
  time_open_utc: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 1582303777 })
  time_close: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 1582303777582 })
  time_close_msc: number | null;

  @ApiProperty({ type: String, nullable: true, example: '2020-02-21T14:49:37.582Z' })
  time_close_utc: string | null;

  @ApiProperty({ type: 'integer', example: 2, description: 'How many deals were added up.' })
  deals: number;

  @ApiProperty({ example: '[tp 0.95758]', description: 'Of the last deal that closed volume, or of the opening one.' })
  comment: string;

  @ApiProperty({ example: 0.01, description: 'The same as `volume_opened`.' })
  volume: number;

  @ApiProperty({ type: Number, nullable: true, example: 0.97898, description: 'The same as `price_open`.' })
  open_price: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 0.95758, description: 'The same as `price_close`.' })
  close_price: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '2020-02-21T08:48:34.681Z',
    description: 'The same as `time_open_utc`.',
  })
  open_time: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '2020-02-21T14:49:37.582Z',
    description: 'The same as `time_close_utc`.',
  })
  close_time: string | null;
}

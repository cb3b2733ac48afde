import { ApiProperty } from '@nestjs/swagger';
import type { Tick } from '@libs/terminal-client';

/** The 8 fields of the terminal's tick, and its time in UTC. */
export class TickResponse implements Tick {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({
    type: 'integer',
    example: 1585070338,
    description: 'Broker server time as an epoch, in seconds; not UTC.',
  })
  time: number;

  @ApiProperty({ example: 1.17264 })
  bid: number;

  @ApiProperty({ example: 1.17279 })
  ask: number;

  @ApiProperty({ example: 0, description: 'Last deal price; 0 where the symbol has none.' })
  last: number;

  @ApiProperty({ example: 0 })
  volume: number;

  @ApiProperty({
    type: 'integer',
    example: 1585070338728,
    description: 'Broker server time as an epoch, in milliseconds; not UTC.',
  })
  time_msc: number;

  @ApiProperty({ type: 'integer', example: 6, description: 'What changed: 2 bid, 4 ask, 8 last, 16 volume.' })
  flags: number;

  @ApiProperty({ example: 0 })
  volume_real: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '2020-03-24T15:18:58.728Z',
    description: 'The same instant in UTC; null while the server offset is unknown.',
  })
  time_utc: string | null;
}

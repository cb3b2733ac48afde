import { ApiProperty } from '@nestjs/swagger';
import { offsetSources, type OffsetSource } from '../server-time/server-time';

/** One time on both clocks. */
export class ServerTimeResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: '2026-01-05T10:00:00.000Z' })
  utc: string;

  @ApiProperty({ type: 'integer', example: 1767614400, description: "The server's clock as an epoch, in seconds." })
  server_epoch: number;

  @ApiProperty({ type: 'integer', example: 7200, description: "The server's clock minus UTC at that time." })
  offset_seconds: number;

  @ApiProperty({
    enum: offsetSources,
    example: 'zone',
    description:
      'Where the offset is from. `zone`: it is that of the time. `env` (TERMINAL_SERVER_UTC_OFFSET_SECONDS) and `derived` (from ' +
      'quotes) are one offset for all times: a time on the other side of a daylight change may be an hour off.',
  })
  source: OffsetSource;
}

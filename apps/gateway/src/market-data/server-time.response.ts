import { ApiProperty } from '@nestjs/swagger';

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
}

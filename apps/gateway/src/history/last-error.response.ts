import { ApiProperty } from '@nestjs/swagger';

/** What the terminal's last call left behind. */
export class LastErrorResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: 'integer', example: 1, description: "The terminal's code; 1 is success." })
  code: number;

  @ApiProperty({ example: 'Success' })
  message: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'The same as `code`.' })
  error_code: number;

  @ApiProperty({ example: 'Success', description: 'The same as `message`.' })
  error_message: string;
}

export class LastErrorTextResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'Success' })
  message: string;

  @ApiProperty({ example: 'Success', description: 'The same as `message`.' })
  error_message: string;
}

import { ApiProperty } from '@nestjs/swagger';
import { lastErrorRowFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** What the terminal's last call left behind. */
export class LastErrorResponse extends documentedAnswer(lastErrorRowFields) {}

export class LastErrorTextResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'Success' })
  message: string;

  @ApiProperty({ example: 'Success', description: 'The same as `message`.' })
  error_message: string;
}

import { ApiProperty } from '@nestjs/swagger';
import { daemonStrategiesFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** The strategies of the daemon that CONSOLE_DAEMON_URL names. */
export class StrategiesResponse extends documentedAnswer(daemonStrategiesFields) {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    nullable: true,
    description: "The daemon's answer to GET /status; null if there is none.",
  })
  strategies: readonly object[] | null;
}

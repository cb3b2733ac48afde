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

/** The newest lines of the log of one strategy. */
export class StrategyLogResponse extends documentedAnswer(daemonStrategiesFields) {
  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['2026-01-05T10:00:00.250000Z INFO running {"version":1}'],
    description: 'Oldest first: time, level and text of each; null if the daemon gave none.',
  })
  lines: readonly string[] | null;
}

/** What one strategy earned over time, and the backtest of it that the daemon knows. */
export class StrategyResultsResponse extends documentedAnswer(daemonStrategiesFields) {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: "The daemon's answer to GET /equity/NAME; null if it gave none.",
  })
  equity: object | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: "The daemon's answer to GET /backtest/NAME; null if it gave none.",
  })
  backtest: object | null;
}

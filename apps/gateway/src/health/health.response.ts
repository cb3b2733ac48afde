import { ApiProperty } from '@nestjs/swagger';
import { EntryLimitRow } from '../entry-limits/entry-limits.response';
import { ErrorResponse } from '../http/error.response';
import type { TerminalHostStatus } from '../terminal-host/host-status';
import { JournalFields } from '../trade-journal/journal.response';
import type { SessionState } from '../terminal-session/session-state';

const sessionStates: readonly SessionState[] = ['disconnected', 'connecting', 'connected', 'reconnecting', 'cooldown'];

export class LivenessResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ enum: ['alive'], example: 'alive' })
  status: 'alive';
}

const checksProperty = {
  type: 'object',
  additionalProperties: { type: 'object' },
  example: {
    terminal: { status: 'up' },
    kill_switch: { status: 'up' },
    kill_switch_file: { status: 'up' },
    journal: { status: 'up' },
    process: { status: 'up' },
  },
} as const;

export class ReadinessResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ enum: ['ready'], example: 'ready', description: '`not_ready` on the 503 answer.' })
  status: 'ready';

  @ApiProperty({ enum: sessionStates, example: 'connected' })
  terminal_status: SessionState;

  @ApiProperty({ example: false })
  kill_switch_active: boolean;

  @ApiProperty(checksProperty)
  checks: object;
}

/** The 503 of GET /health/ready. */
export class NotReadyResponse extends ErrorResponse {
  @ApiProperty({ enum: ['not_ready'], example: 'not_ready' })
  status: 'not_ready';

  @ApiProperty({ enum: sessionStates, example: 'cooldown' })
  terminal_status: SessionState;

  @ApiProperty({ example: false })
  kill_switch_active: boolean;

  @ApiProperty(checksProperty)
  checks: object;
}

export class LastErrorFields {
  @ApiProperty({ type: 'integer', example: -10004 })
  code: number;

  @ApiProperty({ example: 'No IPC connection' })
  message: string;
}

export class ConnectionFields {
  @ApiProperty({ enum: ['simulator', 'bridge'], example: 'simulator' })
  driver: string;

  @ApiProperty({ example: '2026-01-05T08:00:00.000Z', description: 'Since when terminal_status holds, UTC.' })
  since: string;

  @ApiProperty({ type: 'integer', example: 0, description: 'Attempts of the running or last failed round.' })
  attempts: number;

  @ApiProperty({ example: 0 })
  cooldown_remaining_seconds: number;

  @ApiProperty({ type: Number, nullable: true, example: 12, description: 'Seconds since the last live probe.' })
  verified_age_seconds: number | null;

  @ApiProperty({
    example: 0,
    description: 'Logins in a row that the broker refused. From the third on, the next follows after an hour.',
  })
  login_refusals: number;
}

export class ServerTimeFields {
  @ApiProperty({ type: 'integer', nullable: true, example: 7200, description: 'Broker server time minus UTC.' })
  offset_seconds: number | null;

  @ApiProperty({ enum: ['zone', 'env', 'derived'], nullable: true, example: 'derived' })
  source: 'zone' | 'env' | 'derived' | null;

  @ApiProperty({ type: String, nullable: true, example: 'EURUSD', description: 'Whose quote the offset came from.' })
  symbol: string | null;

  @ApiProperty({ type: String, nullable: true, example: '2026-01-05T08:00:03.000Z' })
  derived_at: string | null;

  @ApiProperty({ type: Number, nullable: true, example: 41 })
  age_seconds: number | null;
}

export class KillSwitchFileFields {
  @ApiProperty({
    enum: ['ok', 'unwritable', 'missing'],
    example: 'ok',
    description: '`unwritable`: it cannot be created or removed. `missing`: halted in memory, without the file.',
  })
  state: 'ok' | 'unwritable' | 'missing';

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it is not ok, in words.' })
  error: string | null;
}

export class AuditFields {
  @ApiProperty({
    enum: ['ok', 'unavailable'],
    example: 'ok',
    description: '`unavailable`: lines cannot be written, and new risk is rejected with journal_unavailable.',
  })
  state: 'ok' | 'unavailable';

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it is not ok, in words.' })
  error: string | null;
}

export class HealthResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ enum: ['healthy', 'degraded'], example: 'healthy' })
  status: 'healthy' | 'degraded';

  @ApiProperty({ enum: sessionStates, example: 'connected' })
  terminal_status: SessionState;

  @ApiProperty({ type: 'integer', nullable: true, example: 100001, description: 'Login of the account, or null.' })
  account: number | null;

  @ApiProperty({ example: 86400 })
  uptime_seconds: number;

  @ApiProperty({ example: false })
  kill_switch_active: boolean;

  @ApiProperty({ type: KillSwitchFileFields })
  kill_switch_file: KillSwitchFileFields;

  @ApiProperty({ type: AuditFields })
  audit: AuditFields;

  @ApiProperty({ example: '0.1.0' })
  version: string;

  @ApiProperty({
    type: [String],
    example: [],
    description: 'Core settings that are not set and are needed to log in, by name.',
  })
  missing_settings: string[];

  @ApiProperty({ type: LastErrorFields, nullable: true })
  last_error: LastErrorFields | null;

  @ApiProperty({ type: ConnectionFields })
  connection: ConnectionFields;

  @ApiProperty({ type: ServerTimeFields })
  server_time: ServerTimeFields;

  @ApiProperty({ type: JournalFields })
  journal: JournalFields;

  @ApiProperty({
    type: [EntryLimitRow],
    description: 'Each limit on entries that is set, with its current value; one row per symbol where it bounds each.',
  })
  limits: EntryLimitRow[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    example: null,
    description: 'Where the host of the real terminal stands (state, message, launches, retries); null without one.',
  })
  terminal_host: TerminalHostStatus | null;
}

import { ApiProperty } from '@nestjs/swagger';
import {
  accountFactsFields,
  auditFields,
  connectionFields,
  differenceFields,
  healthFields,
  killSwitchFileFields,
  lastErrorFields,
  notificationChannelFields,
  oneOf,
  readinessFields,
  serverTimeFields,
  text,
} from '@libs/records';
import { AccountEvidenceFields } from '../account/account.response';
import { documented, documentedAnswer, documentedOn } from '../http/documented';
import { JournalFields } from '../control/journal.response';
import { EntryLimitRow } from '../entry-limits/entry-limits.response';
import { SignalSourceFields } from '../signals/signals.response';
import { ErrorResponse } from '../http/error.response';
import type { TerminalHostStatus } from '../terminal-host/host-status';

export class LivenessResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ enum: ['alive'], example: 'alive' })
  status: 'alive';
}

const checksProperty = {
  type: 'object',
  additionalProperties: { type: 'object' },
  description: '`up`, `down` with its `reason`, or `unknown`: it cannot be judged without a session.',
  example: {
    terminal: { status: 'up' },
    trading: { status: 'up' },
    account: { status: 'up' },
    kill_switch: { status: 'up' },
    kill_switch_file: { status: 'up' },
    audit: { status: 'up' },
    journal: { status: 'up' },
    process: { status: 'up' },
  },
} as const;

const readyFields = { ...readinessFields, status: { ...readinessFields.status, values: ['ready'] as const } };

export class ReadinessResponse extends documentedAnswer(readyFields) {
  @ApiProperty(checksProperty)
  checks: object;
}

const notReadyFields = { ...readinessFields, status: oneOf(['not_ready'], 'not_ready') };

/** The 503 of GET /health/ready. */
export class NotReadyResponse extends documentedOn(ErrorResponse, notReadyFields) {
  @ApiProperty(checksProperty)
  checks: object;
}

const failureFields = {
  code: { ...lastErrorFields.code, example: -10004 },
  message: { ...lastErrorFields.message, example: 'No IPC connection' },
};

export class LastErrorFields extends documented(failureFields) {}

export class ConnectionFields extends documented(connectionFields) {}

class AccountFactsFields extends documented(accountFactsFields) {}

export class ServerTimeFields extends documented(serverTimeFields) {}

export class KillSwitchFileFields extends documented(killSwitchFileFields) {}

export class AuditFields extends documented(auditFields) {}

/** A difference, and since when it is seen. */
class OpenDifferenceRow extends documented({
  ...differenceFields,
  since: text('2026-01-05T10:00:00.000Z', 'When it was first seen, UTC.'),
}) {}

class NotificationChannelFields extends documented(notificationChannelFields) {}

export class HealthResponse extends documentedAnswer(healthFields) {
  @ApiProperty({ type: KillSwitchFileFields })
  kill_switch_file: KillSwitchFileFields;

  @ApiProperty({ type: AuditFields })
  audit: AuditFields;

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

  @ApiProperty({
    type: AccountFactsFields,
    nullable: true,
    description:
      'What the account is, apart from its money: also while its money is not explained; null without an account.',
  })
  account_facts: AccountFactsFields | null;

  @ApiProperty({ type: AccountEvidenceFields })
  account_evidence: AccountEvidenceFields;

  @ApiProperty({
    type: [OpenDifferenceRow],
    description: 'What the account and the journal disagree on now, found without being asked: the first 100.',
  })
  differences: readonly OpenDifferenceRow[];

  @ApiProperty({ type: ServerTimeFields })
  server_time: ServerTimeFields;

  @ApiProperty({ type: JournalFields })
  journal: JournalFields;

  @ApiProperty({
    type: [EntryLimitRow],
    description:
      'Each limit on entries that is set, with its current value; a limit per symbol has one row for each symbol.',
  })
  limits: EntryLimitRow[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    example: null,
    description:
      'Status of the terminal that the gateway runs (state, message, launches, retries); null if it runs none.',
  })
  terminal_host: TerminalHostStatus | null;

  @ApiProperty({
    type: [NotificationChannelFields],
    description: 'The channels of NOTIFIER_FILE; empty without it. A failing channel changes no other state.',
  })
  notifications: NotificationChannelFields[];

  @ApiProperty({
    type: [SignalSourceFields],
    description: 'The sources of SIGNALS_FILE; empty without it. A problem changes no other state.',
  })
  signals: SignalSourceFields[];
}

import { ApiProperty } from '@nestjs/swagger';
import {
  auditVerificationFields,
  keyedAuditFields,
  recentRequestFields,
  recentRequestsFields,
  tradeRequestFields,
} from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';

/** What the journal has of an idempotency key. */
export class TradeRequestResponse extends documentedAnswer(tradeRequestFields) {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Body of a replay. After IDEMPOTENCY_TTL_SECONDS, a short form: `original_response_expired`.',
  })
  response: unknown;
}

/** One trade request, and what came of it. */
export class RecentRequest extends documented(recentRequestFields) {}

export class RecentRequestsResponse extends documentedAnswer(recentRequestsFields) {
  @ApiProperty({ type: [RecentRequest], description: 'Newest first.' })
  data: readonly RecentRequest[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

/** What the audit log has of an idempotency key. */
export class KeyedAuditResponse extends documentedAnswer(keyedAuditFields) {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'The lines as they appear in the log, oldest first.',
  })
  lines: readonly object[];
}

/** What a check of the audit log found. */
export class AuditVerificationResponse extends documentedAnswer(auditVerificationFields) {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', example: 'line 17: sequence 19 follows 17' },
    description: 'Missing, reordered and repeated lines, and intents without an outcome: the first 100.',
  })
  problems: readonly string[];
}

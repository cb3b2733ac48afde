import { Injectable } from '@nestjs/common';
import type { ApiError } from '@libs/envelope';
import type { AuditFacts } from '../audit/audit-event';
import { AuditTrail } from '../audit/audit-trail';
import { limitFacts } from './requested-facts';
import { TradeMetrics } from './trade.metrics';

/** Counts every trade request that is refused before a send, and writes it to the audit log. */
@Injectable()
export class TradeRefusals {
  constructor(
    private readonly audit: AuditTrail,
    private readonly metrics: TradeMetrics,
  ) {}

  /** @param facts of the request, as far as they are known at that point */
  async note(facts: AuditFacts, error: ApiError): Promise<void> {
    this.count(error);
    await this.audit.note({ event: 'refused', ...facts, ...limitFacts(error), error_type: error.errorType });
  }

  /** Counts a refusal that the audit log already has with its intent. */
  count(error: ApiError): void {
    this.metrics.refused(error.errorType);
  }
}

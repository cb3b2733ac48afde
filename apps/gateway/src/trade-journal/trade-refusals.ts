import { Injectable } from '@nestjs/common';
import type { ApiError } from '@libs/envelope';
import { AuditTrail } from '../audit/audit-trail';
import type { Caller } from '../audit/caller';
import type { FenceClaim } from '../trade-core/fence';
import { fenceFacts } from '../fences/fence-facts';
import { limitFacts, type RequestedFacts } from './requested-facts';
import { TradeMetrics } from './trade.metrics';

/** The refused request, as far as it is known at that point. */
export interface RefusedRequest {
  readonly caller: Caller;
  /** Method and route template. */
  readonly route: string;
  readonly clientOrderId: string | null;
  /** Null if it names none, or not in the required form. */
  readonly fence: FenceClaim | null;
  readonly requested: RequestedFacts;
}

/** Counts every trade request that is refused before a send, and writes it to the audit log. */
@Injectable()
export class TradeRefusals {
  constructor(
    private readonly audit: AuditTrail,
    private readonly metrics: TradeMetrics,
  ) {}

  async note(request: RefusedRequest, error: ApiError): Promise<void> {
    this.count(error);
    await this.audit.note({
      event: 'refused',
      ...request.caller,
      client_order_id: request.clientOrderId,
      route: request.route,
      ...request.requested,
      ...fenceFacts(request.fence),
      ...limitFacts(error),
      error_type: error.errorType,
    });
  }

  /** Counts a refusal that the audit log already has with its intent. */
  count(error: ApiError): void {
    this.metrics.refused(error.errorType);
  }
}

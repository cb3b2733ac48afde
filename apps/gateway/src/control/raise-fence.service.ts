import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { WantedFence } from '../trade-core/fence';
import type { ShownFence } from '../trade-core/fence-state';

/** Time for the outcome of a send to reach the disk after the deadline of the send. */
const settleMs = 5_000;

/** Raises fences: from the answer on, no send under a lower token is possible or without an outcome. */
@Injectable()
export class RaiseFenceService {
  private readonly logger = new Logger('fences');

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /**
   * Waits for the sends under a lower token, at most for the deadline of a send and 5 s.
   * @throws ApiError fence_conflict, journal_unavailable, or fence_pending if a send has no outcome in that time
   */
  async raise(strategy: string, wanted: WantedFence, requestId: string): Promise<ShownFence> {
    const { fences } = this.journal;
    const cause = { request_id: requestId, route: 'PUT /fences/:strategy' };
    const { fence, isNew } = await fences.raise(strategy, wanted, cause);
    if (isNew) {
      await this.audit.written();
      const facts = { fence: strategy, fence_token: fence.token, fence_magics: fence.magics };
      this.logger.log({ request_id: requestId, ...facts }, 'a fence was raised');
    }
    await fences.drained(strategy, this.settings.TERMINAL_TRADE_TIMEOUT_MS + settleMs);
    return fence;
  }
}

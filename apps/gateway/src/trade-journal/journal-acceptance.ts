import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { AuditTrail } from '../audit/audit-trail';
import type { JournalAcceptedResponse } from './journal.response';
import { TradeJournal } from './trade-journal';

/** The operator's word that the gateway may go on with the journal it has. */
@Injectable()
export class JournalAcceptance {
  private readonly logger = new Logger('trade-journal');

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @throws ApiError validation_error when the id is that of another journal; journal_unavailable when the audit log or
   *   the journal cannot be written, because accepting without a trace would hide that keys were forgotten
   */
  async accept(requestId: string, journalId: string): Promise<JournalAcceptedResponse> {
    const { trust } = this.journal;
    const { id, state, reason } = trust.report();
    if (journalId !== id) {
      const problem = `must be the id of this journal, ${id}`;
      throw new ApiError('validation_error', `journal_id: ${problem}`, { details: [{ field: 'journal_id', problem }] });
    }
    if (state === 'lost') {
      try {
        const facts = { journal_id: id, request_id: requestId, route: 'POST /journal/accept' };
        await this.audit.record({ event: 'journal_accepted', ...facts });
      } catch (cause) {
        throw new ApiError('journal_unavailable', 'the audit log cannot be written: the journal stays refused', {
          cause,
        });
      }
      await trust.accept();
      this.logger.warn({ request_id: requestId, journal_id: id, reason }, 'an operator accepted the trade journal');
    }
    return { ok: true, message: 'the trade journal is accepted', journal: trust.report() };
  }
}

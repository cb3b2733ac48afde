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
    if (!this.journal.isWritable) await this.journal.probe();
    if (!this.journal.isWritable) {
      throw new ApiError('journal_unavailable', 'the trade journal cannot be written: it cannot be accepted');
    }
    const { id, state, reason } = trust.report();
    if (journalId !== id) {
      const problem = `must be the id of this journal, ${id}`;
      throw new ApiError('validation_error', `journal_id: ${problem}`, { details: [{ field: 'journal_id', problem }] });
    }
    if (state !== 'lost') {
      const message = 'the trade journal is not lost: there was nothing to accept';
      return { ok: true, message, journal: trust.report() };
    }
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
    return { ok: true, message: 'the trade journal is accepted', journal: trust.report() };
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { countText } from '@libs/records';
import { AuditTrail } from '../audit/audit-trail';
import type { Caller } from '../audit/caller';
import { TaggedTraces } from '../trade-journal/tagged-traces';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { JournalAcceptedResponse } from './journal.response';

/** Accepts a journal that replaces a lost one, on the operator's decision. */
@Injectable()
export class JournalAcceptance {
  private readonly logger = new Logger('trade-journal');

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    private readonly traces: TaggedTraces,
  ) {}

  /**
   * @throws ApiError validation_error if the id is that of another journal; journal_unavailable if the audit log or the
   *   journal cannot be written, because an acceptance without a record would hide that keys were lost
   */
  async accept(caller: Caller, journalId: string): Promise<JournalAcceptedResponse> {
    const { trust } = this.journal;
    if (!this.journal.isWritable) await this.journal.room.probe();
    if (!this.journal.isWritable) {
      throw new ApiError('journal_unavailable', 'the trade journal cannot be written, so it cannot be accepted');
    }
    const { id, state, reason } = trust.report();
    if (journalId !== id) {
      const problem = `must be the id of this journal, ${id}`;
      throw new ApiError('validation_error', `journal_id: ${problem}`, { details: [{ field: 'journal_id', problem }] });
    }
    if (state !== 'lost' && state !== 'unproven' && this.traces.doubt === null) {
      const message = 'the trade journal is not lost: nothing to accept';
      return { ok: true, message, orders_without_tag: null, journal: trust.report() };
    }
    try {
      const facts = { journal_id: id, ...caller, route: 'POST /journal/accept' };
      await this.audit.record({ event: 'journal_accepted', ...facts });
    } catch (cause) {
      throw new ApiError('journal_unavailable', 'the audit log cannot be written: the journal is not accepted', {
        cause,
      });
    }
    // The first call accepts the journal. A second one accepts the books: the operator has read meanwhile why they are doubted.
    if (state !== 'lost') this.traces.believe();
    const { untagged, doubt } = await this.takeUp();
    if (state === 'unproven') await trust.settle();
    else await trust.accept();
    this.logger.warn({ ...caller, journal_id: id, reason }, 'an operator accepted the trade journal');
    const { lostRefusal } = trust;
    const message = lostRefusal ? lostRefusal.message : `the trade journal is accepted; ${messageOf(untagged, doubt)}`;
    return { ok: true, message, orders_without_tag: untagged, journal: trust.report() };
  }

  /**
   * Takes up the keys that the broker's books show. While they cannot be read, or are not loaded, new risk is denied, and the number
   * of orders without a tag is null.
   */
  private async takeUp(): Promise<{ readonly untagged: number | null; readonly doubt: ApiError | null }> {
    try {
      const { untagged, doubt } = await this.traces.takeUpNow();
      return { untagged: doubt === null ? untagged : null, doubt };
    } catch (error) {
      this.logger.warn({ err: error }, "the broker's books could not be read for the keys of the lost journal");
      return { untagged: null, doubt: error instanceof ApiError ? error : null };
    }
  }
}

function messageOf(untagged: number | null, doubt: ApiError | null): string {
  if (untagged === null) {
    const reason = doubt === null ? '' : ` (${doubt.message})`;
    return `the books of the broker could not be read${reason}: new risk waits until its tags bind the lost keys`;
  }
  if (untagged === 0) return 'the tags in the books of the broker bind the keys of the lost journal';
  return `${countText(untagged, 'order has', 'orders have')} neither a request nor a tag: a request under one of their keys is sent again`;
}

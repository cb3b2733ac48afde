import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { AuditTrail } from '../audit/audit-trail';
import type { Caller } from '../audit/caller';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { acceptedEvent } from '../trade-core/trade-events';
import { TradeJournal } from '../trade-journal/trade-journal';
import { undecidableAnswer } from './recovered-answer';
import { tradeRequestReport } from './trade-request-report';
import type { TradeRequestResponse } from './trade-request.response';

/** Ends undecidable requests, on an operator's decision. */
@Injectable()
export class AcceptOutcomeService {
  private readonly logger = new Logger('trade-journal');

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Accepts that the outcome of an undecidable request stays unknown. A request in any other state is unchanged.
   * @param name the client's key, or the journal's id of a request without one
   * @throws ApiError not_found; journal_unavailable if the audit log or the journal cannot be written
   */
  async accept(name: string, caller: Caller): Promise<TradeRequestResponse> {
    const key = this.journal.keyNamed(name);
    const attempt = this.journal.openRequest(key);
    if (attempt && canBeAccepted(attempt)) await this.acceptOpen(attempt, caller);
    // Accepted in memory only: a repetition must not be answered as if it were on disk.
    if (attempt?.record.status === 'accepted' && attempt.dirty) throw unavailable('trade journal');
    const known = this.journal.lookUp(key);
    if (!known) throw new ApiError('not_found', 'no trade request with this key is known');
    return tradeRequestReport(name, known, caller.request_id);
  }

  private async acceptOpen(attempt: TradeAttempt, caller: Caller): Promise<void> {
    if (!this.journal.isWritable) await this.journal.room.probe();
    if (!this.journal.isWritable) throw unavailable('trade journal');
    try {
      await this.audit.require();
    } catch (cause) {
      throw unavailable('audit log', cause);
    }
    // A late answer may have settled it meanwhile.
    if (!canBeAccepted(attempt)) return;
    const events = attempt.openIntents.map((intent) => acceptedEvent(attempt.record, intent, caller));
    await this.journal.resolve(attempt, 'accepted', undecidableAnswer(attempt), ...events);
    this.logger.warn({ key: attempt.key, ...caller }, 'an operator accepted an unknown outcome');
  }
}

function canBeAccepted({ running, record, isUndecidable }: TradeAttempt): boolean {
  return !running && record.status === 'unknown' && isUndecidable;
}

function unavailable(what: string, cause?: unknown): ApiError {
  return new ApiError('journal_unavailable', `the ${what} cannot be written: the outcome cannot be accepted`, {
    cause,
  });
}

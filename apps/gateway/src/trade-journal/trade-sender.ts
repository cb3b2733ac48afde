import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import {
  LastErrorCode,
  type JournaledRequest,
  type SendOutcome,
  type TerminalClient,
  type TradeRequest,
} from '@libs/terminal-client';
import type { AuditEvent } from '../audit/audit-event';
import { AuditTrail } from '../audit/audit-trail';
import { KillSwitch } from '../kill-switch/kill-switch';
import { TerminalAccess } from '../terminal/terminal-access';
import { classifySend } from './classify-outcome';
import type { SettledOutcome } from './journal-records';
import type { TradeAttempt } from './trade-attempt';
import { intentEvent, outcomeEvent } from './trade-events';
import { TradeJournal, reducesRisk, type NewIntent } from './trade-journal';
import { TradeMetrics } from './trade.metrics';

/** One send and what came of it. */
export interface Sent {
  readonly intentId: string;
  readonly outcome: SettledOutcome;
}

/** The only way to the broker: intent on disk, kill switch read once more, sent exactly once, outcome on disk. */
@Injectable()
export class TradeSender {
  private readonly logger = new Logger('trade');

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    private readonly killSwitch: KillSwitch,
    private readonly terminal: TerminalAccess,
    private readonly metrics: TradeMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends one request, once, and returns what came of it. The account is looked at first: a terminal that somebody
   * logged in to another one since the last probe gets nothing.
   * @throws ApiError account_mismatch, terminal_unavailable, journal_unavailable or kill_switch_active, with nothing sent
   */
  async send(attempt: TradeAttempt, intent: NewIntent): Promise<Sent> {
    const terminal = await this.terminal.confirmed(attempt.expectedLogin);
    const sealed = await this.journal.record(attempt, intent);
    await this.auditIntent(attempt, sealed, intent);
    await this.refuseIfHalted(attempt, sealed);
    this.metrics.sending(intent.request);
    const startMs = this.clock.monotonicMs();
    const outcome = classifySend(intent.purpose, await this.sendOnce(terminal, sealed));
    const latencyMs = this.clock.monotonicMs() - startMs;
    // At once: a moment later it would be the next session that is told of the failure of the last.
    if ('lastError' in outcome && outcome.lastError) this.terminal.reportFailure(outcome.lastError);
    this.metrics.settled(outcome, latencyMs);
    await this.settle(attempt, sealed, outcome, outcomeEvent(attempt.record, intentOf(sealed), outcome, latencyMs));
    return { intentId: sealed.intentId, outcome };
  }

  private async auditIntent(attempt: TradeAttempt, sealed: JournaledRequest, intent: NewIntent): Promise<void> {
    const event = intentEvent(attempt.record, sealed.intentId, intent);
    if (reducesRisk(intent.purpose)) {
      const isAudited = await this.audit.note(event);
      if (!isAudited && !this.journal.known.knows(sealed.intentId)) attempt.isRemembered = false;
      return;
    }
    try {
      await this.audit.record(event);
    } catch (error) {
      this.logger.error({ err: error, intent_id: sealed.intentId }, 'the audit log cannot be written');
      const outcome = notSent('the audit log cannot be written');
      const refused = outcomeEvent(attempt.record, intentOf(sealed), outcome, null);
      await this.audit.note({ ...refused, error_type: 'journal_unavailable' });
      await this.journal.settle(attempt, sealed.intentId, outcome);
      throw new ApiError('journal_unavailable', 'the audit log cannot be written: no new trades are accepted', {
        cause: error,
      });
    }
  }

  private async refuseIfHalted(attempt: TradeAttempt, sealed: JournaledRequest): Promise<void> {
    if (!attempt.killGated || !(await this.killSwitch.isActive())) return;
    const outcome = notSent('the kill switch is active');
    const event = outcomeEvent(attempt.record, intentOf(sealed), outcome, null);
    await this.settle(attempt, sealed, outcome, { ...event, error_type: 'kill_switch_active' });
    throw new ApiError('kill_switch_active', 'the kill switch is active: trading is halted');
  }

  /** The audit line first: were it last, a crash in between would leave an intent without an outcome on it. */
  private async settle(
    attempt: TradeAttempt,
    sealed: JournaledRequest,
    outcome: SettledOutcome,
    event: AuditEvent,
  ): Promise<void> {
    await this.audit.note(event);
    await this.journal.settle(attempt, sealed.intentId, outcome);
  }

  /** The port promises not to throw; should it, the send may have gone out all the same. */
  private async sendOnce(terminal: TerminalClient, sealed: JournaledRequest): Promise<SendOutcome> {
    try {
      return await terminal.orderSend(sealed);
    } catch (error) {
      this.logger.error({ err: error, intent_id: sealed.intentId }, 'a send failed by a bug');
      const message = error instanceof Error ? error.message : 'unknown error';
      return { kind: 'unknown', reason: 'the send failed', lastError: { code: LastErrorCode.FAIL, message } };
    }
  }
}

function intentOf({ intentId, request }: JournaledRequest): { readonly id: string; readonly request: TradeRequest } {
  return { id: intentId, request };
}

function notSent(reason: string): SettledOutcome {
  return { kind: 'not_sent', reason, lastError: null };
}

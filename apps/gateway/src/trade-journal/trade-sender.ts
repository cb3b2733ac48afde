import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { Spans } from '@libs/tracing';
import {
  LastErrorCode,
  type JournaledRequest,
  type SendOutcome,
  type TerminalClient,
  type TradeDeal,
  type TradeRequest,
} from '@libs/terminal-client';
import { AuditTrail } from '../audit/audit-trail';
import { haltedError } from '../kill-switch/halted-error';
import { KillSwitch } from '../kill-switch/kill-switch';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { ChangedMeanwhile } from './changed-meanwhile.error';
import { classifySend } from './classify-outcome';
import { reducesRisk, type NewIntent, type SettledOutcome } from '../trade-core/journal-records';
import { LevelTurns, type LevelTurn, type LevelUse } from './level-turns';
import { magicsOf } from './magics-of';
import { sendSpan } from './send-span';
import type { TradeAttempt } from './trade-attempt';
import { outcomeEvent } from '../trade-core/trade-events';
import { TradeJournal } from './trade-journal';
import { TradeMetrics } from './trade.metrics';

/** One send and its outcome. */
export interface Sent {
  readonly intentId: string;
  readonly outcome: SettledOutcome;
}

/** What a send that depends on what stands at the broker waits for, and checks last. */
export interface SendGuard {
  /** On an account that nets: what it does with the levels of the position of its symbol. */
  readonly levels?: LevelUse;
  /**
   * Reads what stands once more.
   * @throws ApiError if it is not what the request was made from; nothing is sent
   */
  readonly recheck?: () => Promise<void>;
  /** Deals of the position of a netting account that is shown with magic 0. */
  readonly deals?: readonly TradeDeal[];
}

/** The only way to the broker: writes the intent, reads the kill switch and the fences again, sends once, writes the outcome. */
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
    private readonly serverTime: ServerTime,
    private readonly spans: Spans,
    private readonly turns: LevelTurns,
  ) {}

  /**
   * Sends one request, once, and returns its outcome. The account is read first and compared again after the writes,
   * which can take seconds, so that nothing is sent to an account that was logged in meanwhile.
   * @throws ApiError account_mismatch, terminal_unavailable, journal_unavailable, kill_switch_active, fenced_out or
   * fence_required, or that of the guard, with nothing sent
   */
  async send(attempt: TradeAttempt, drafted: NewIntent, guard: SendGuard = {}): Promise<Sent> {
    // A send begins after the outcomes of the request's sends before it are on record.
    await attempt.recorded;
    // In an hour that the server's clock repeats, the order can have an earlier time than the quote before it.
    const intent = { ...drafted, serverTimeMsc: this.serverTime.earliestAfter(drafted.serverTimeMsc) };
    // What it was prepared with, and what it sent before, is of one account.
    const terminal = await this.terminal.confirmed(attempt.account);
    const { login } = this.terminal;
    this.journal.bindAccount(attempt, login);
    // What is known of the orders before changes while this one waits.
    const magics = (): number[] => magicsOf(intent, guard.deals, this.journal);
    const refused = this.fenceRefusal(attempt, magics()) ?? this.auditRefusal(intent);
    if (refused) throw refused;
    const sealed = await this.journal.record(attempt, intent);
    await this.requireLine(attempt, sealed, intent);
    const turn = guard.levels ? this.turns.begin(intent.request.symbol, guard.levels) : noTurn;
    try {
      if (turn.wait || guard.recheck) await this.lookAgain(attempt, sealed, turn, guard);
      await this.refuseIfHalted(attempt, sealed);
      for (;;) {
        const obstacle =
          this.terminal.leftSince(login) ??
          this.overtaken(attempt, sealed) ??
          this.fenceObstacle(attempt, sealed, magics());
        if (obstacle === null) break;
        if (obstacle !== 'being raised') await this.refuse(attempt, sealed, obstacle);
        await this.journal.fences.decided();
        await this.refuseIfHalted(attempt, sealed);
      }
      return await this.sendNow(attempt, terminal, sealed, intent, turn);
    } finally {
      turn.end();
    }
  }

  /**
   * Sends in the step of the last check. The handler of a request that is done goes on before its outcome is on record, so that its
   * answer shares the flush or the read of its fill takes place meanwhile.
   */
  private async sendNow(
    attempt: TradeAttempt,
    terminal: TerminalClient,
    sealed: JournaledRequest,
    intent: NewIntent,
    turn: LevelTurn,
  ): Promise<Sent> {
    this.metrics.sending(intent.request);
    const startMs = this.clock.monotonicMs();
    const outcome = classifySend(intent.purpose, await this.sendOnce(terminal, sealed));
    // Those who wait for it need not wait for the writes.
    turn.end();
    const latencyMs = this.clock.monotonicMs() - startMs;
    // At once, because a later report could reach the next session.
    if ('lastError' in outcome && outcome.lastError) this.terminal.reportFailure(outcome.lastError);
    this.metrics.settled(outcome, latencyMs);
    const recorded = this.recordSent(attempt, sealed, outcome, this.clock.nowMs(), latencyMs);
    if (outcome.kind === 'done' && !attempt.dirty) attempt.keepRecording(recorded);
    else await recorded;
    return { intentId: sealed.intentId, outcome };
  }

  private async recordSent(
    attempt: TradeAttempt,
    sealed: JournaledRequest,
    outcome: SettledOutcome,
    endMs: number,
    latencyMs: number,
  ): Promise<void> {
    const { intentId } = sealed;
    const event = outcomeEvent(attempt.record, intentOf(sealed), outcome, latencyMs);
    await this.journal.settle(attempt, intentId, outcome, event);
    // A log line and a span, with the trace of the request: once the outcome is on record, which must not depend on them.
    const { requestId, traceId, clientOrderId } = attempt.record;
    const retcode = 'result' in outcome ? (outcome.result?.retcode ?? null) : null;
    const facts = { request_id: requestId, trace_id: traceId, client_order_id: clientOrderId, intent_id: intentId };
    const line = { ...facts, outcome: outcome.kind, retcode, latency_ms: Math.round(latencyMs) };
    if (outcome.kind === 'unknown') this.logger.warn(line, 'order_send');
    else this.logger.log(line, 'order_send');
    if (this.spans.isEnabled) this.spans.record(sendSpan(attempt.record, intentId, outcome, endMs, latencyMs));
  }

  /** The error for an order that was to reduce what a close takes now: it would open, and no limit was compared with that. */
  private overtaken({ record }: TradeAttempt, { request }: JournaledRequest): ApiError | null {
    const entry = this.journal.shell.core.state.entries.get(record.id);
    return entry?.isOvertaken ? new ChangedMeanwhile(`the position of ${request.symbol}`) : null;
  }

  private fenceRefusal({ ignoresFences, fence }: TradeAttempt, magics: readonly number[]): ApiError | null {
    return ignoresFences ? null : this.journal.fences.refusalOfSend(fence, magics);
  }

  /** What the fences have against a send that goes out in this step; null if nothing. */
  private fenceObstacle(
    { ignoresFences, fence }: TradeAttempt,
    { intentId }: JournaledRequest,
    magics: readonly number[],
  ): ApiError | 'being raised' | null {
    return ignoresFences ? null : this.journal.fences.begin(intentId, fence, magics);
  }

  /** The intent is on disk with its event. New risk is refused all the same while the audit log does not take the line. */
  private async requireLine(attempt: TradeAttempt, sealed: JournaledRequest, intent: NewIntent): Promise<void> {
    await this.audit.written();
    const refused = this.auditRefusal(intent);
    if (refused) await this.refuse(attempt, sealed, refused);
  }

  /** The error for new risk while the audit log cannot be written. */
  private auditRefusal({ purpose }: NewIntent): ApiError | null {
    if (this.audit.isAvailable || reducesRisk(purpose)) return null;
    return new ApiError('journal_unavailable', 'the audit log cannot be written: no new trades are accepted');
  }

  private async refuseIfHalted(attempt: TradeAttempt, sealed: JournaledRequest): Promise<void> {
    if (!attempt.killGated || !(await this.killSwitch.isActive())) return;
    await this.refuse(attempt, sealed, haltedError());
  }

  /** After the wait for its turn: what the send was made from, and the account, may have changed. The account is read last. */
  private async lookAgain(
    attempt: TradeAttempt,
    sealed: JournaledRequest,
    { wait }: LevelTurn,
    { recheck }: SendGuard,
  ): Promise<void> {
    await wait;
    try {
      await recheck?.();
      await this.terminal.confirmed(attempt.account);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.refuse(attempt, sealed, error);
    }
  }

  /** Settles an intent as not sent. @throws ApiError the given one */
  private async refuse(attempt: TradeAttempt, sealed: JournaledRequest, error: ApiError): Promise<never> {
    const outcome = { kind: 'not_sent', reason: error.message, lastError: null } as const;
    const event = outcomeEvent(attempt.record, intentOf(sealed), outcome, null);
    await this.journal.settle(attempt, sealed.intentId, outcome, { ...event, error_type: error.errorType });
    throw error;
  }

  /** The port promises not to throw. If it does, the send may have gone out all the same. */
  private async sendOnce(terminal: TerminalClient, sealed: JournaledRequest): Promise<SendOutcome> {
    try {
      return await terminal.orderSend(sealed);
    } catch (error) {
      this.logger.error({ err: error, intent_id: sealed.intentId }, 'internal error in a send');
      const message = error instanceof Error ? error.message : 'unknown error';
      return { kind: 'unknown', reason: 'the send failed', lastError: { code: LastErrorCode.FAIL, message } };
    }
  }
}

/** Of a send that nothing waits for. */
const noTurn: LevelTurn = { wait: null, end: () => undefined };

function intentOf({ intentId, request }: JournaledRequest): { readonly id: string; readonly request: TradeRequest } {
  return { id: intentId, request };
}

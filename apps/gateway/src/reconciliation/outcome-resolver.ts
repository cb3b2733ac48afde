import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { TerminalClient, type OrderSendResult } from '@libs/terminal-client';
import { AuditTrail } from '../audit/audit-trail';
import { PeriodicWork } from '../schedule/periodic-work';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalSession } from '../terminal-session/terminal-session';
import { classifyAnswer } from '../trade-journal/classify-outcome';
import type { IntentRecord, SettledOutcome } from '../trade-journal/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { resolvedEvent } from '../trade-journal/trade-events';
import { makesOrder } from '../trade-journal/journal-writer';
import { TradeJournal } from '../trade-journal/trade-journal';
import { readBroker, type BrokerSnapshot } from './broker-snapshot';
import { findOutcome } from './find-outcome';
import { LookUps } from './look-ups';
import { recoveredAnswer, undecidableAnswer } from './recovered-answer';

const periodMs = 5_000;

/**
 * Finds out what became of sends whose outcome is unknown: at every connect and every few seconds it looks for their
 * trace at the broker, and a late answer of the terminal settles them at once. Nothing is ever sent again.
 */
@Injectable()
export class OutcomeResolver implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('outcome-resolver');
  private readonly lookUps: LookUps;
  private readonly stops: (() => void)[] = [];
  /** Intents whose outcome is being written: a look-up and a late answer may find it at the same time. */
  private readonly settling = new Set<string>();
  private round: Promise<void> | null = null;

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    private readonly session: TerminalSession,
    private readonly terminal: TerminalClient,
    private readonly periodic: PeriodicWork,
    private readonly brokerClock: BrokerClock,
  ) {
    this.lookUps = new LookUps(journal);
  }

  /** Before the session starts, so that the first connect is heard. */
  onModuleInit(): void {
    this.periodic.start('outcome-resolution', periodMs, () => this.resolve());
    this.stops.push(
      this.session.onConnected(() => void this.resolve()),
      this.terminal.onLateAnswer((intentId, result) => void this.settleLate(intentId, result)),
    );
  }

  async onModuleDestroy(): Promise<void> {
    for (const stop of this.stops) stop();
    await this.round;
  }

  /** One round over everything unresolved; rounds never overlap. A failed read decides nothing. */
  resolve(): Promise<void> {
    return (this.round ??= this.runRound()
      .catch((error: unknown) => {
        this.session.reportFailure(error);
        this.logger.warn({ err: error }, 'unknown outcomes could not be looked up');
      })
      .finally(() => (this.round = null)));
  }

  private async runRound(): Promise<void> {
    const attempts = this.journal.unresolved();
    for (const attempt of attempts.filter(({ openIntents }) => openIntents.length === 0)) await this.conclude(attempt);
    const open = attempts.flatMap((attempt) => attempt.lookedForIntents.map((intent) => ({ attempt, intent })));
    if (open.length === 0 || this.session.status().state !== 'connected') return;
    // A terminal that lost its server shows what it last saw, which proves nothing.
    if (!(await this.terminal.terminalInfo()).connected) return;
    const oldestMsc = Math.min(...open.map(({ intent }) => intent.serverTimeMsc));
    const broker = await readBroker(this.terminal, oldestMsc, this.brokerClock.nowMs());
    for (const { attempt, intent } of open) await this.lookAt(attempt, intent, broker);
    await this.journal.keepRunningTime();
  }

  private async lookAt(attempt: TradeAttempt, intent: IntentRecord, broker: BrokerSnapshot): Promise<void> {
    const others = (attempts: readonly TradeAttempt[]): IntentRecord[] =>
      attempts.flatMap(({ openIntents }) => openIntents).filter(({ id }) => id !== intent.id);
    const around = {
      claimOf: (ticket: number) => this.journal.claim(ticket),
      underWay: others(this.journal.running()),
      rivals: others(this.journal.unresolved()),
      laterChanges: this.journal.laterChanges(intent),
    };
    let finding = findOutcome(intent, broker, around);
    // Nothing tells them apart, and no answer comes any more: the oldest gets it, and the others are looked for on.
    if (finding === 'contested' && (await this.lookUps.isLongEnough(intent.id, 'contested'))) {
      finding = findOutcome(intent, broker, { ...around, rivals: [] });
    }
    // A late answer may have come while the broker was being read.
    if (!isOpen(attempt, intent.id) || finding === 'undecided' || finding === 'contested') return;
    if (finding !== 'nothing' && finding.kind !== 'undecidable') return this.settle(attempt, intent, finding);
    const reason = finding === 'nothing' ? this.lookUps.undecidableReason(intent.id) : finding.reason;
    if (reason !== null) return this.giveUp(attempt, intent, reason);
    const isAbsent = await this.lookUps.isLongEnough(intent.id, 'nothing');
    if (isAbsent && isOpen(attempt, intent.id)) await this.settle(attempt, intent, { kind: 'absent' });
  }

  /** A position can be missing from one list, so it takes as long as absence does. Then it is not looked up any more. */
  private async giveUp(attempt: TradeAttempt, intent: IntentRecord, reason: string): Promise<void> {
    const isLongEnough = await this.lookUps.isLongEnough(intent.id, 'undecidable', reason);
    if (!isLongEnough || !isOpen(attempt, intent.id)) return;
    const said = intent.outcome.kind === 'unknown' ? intent.outcome : { result: null, lastError: null };
    const { result, lastError } = said;
    await this.settle(attempt, intent, { kind: 'unknown', reason, result, lastError, undecidable: true });
  }

  /** The terminal answered after its deadline: that is the truth, whatever was found until now. */
  private async settleLate(intentId: string, result: OrderSendResult): Promise<void> {
    const attempt = this.journal.attemptOf(intentId);
    const intent = attempt?.intents.get(intentId);
    if (!attempt || !intent) return this.logger.warn({ intent_id: intentId }, 'a late answer to an unknown intent');
    const outcome = classifyAnswer(intent.purpose, result, 'late_answer');
    const { kind } = intent.outcome;
    if (outcome.kind === 'unknown' || (kind !== 'unknown' && kind !== 'pending' && kind !== 'absent')) return;
    if (kind === 'absent') {
      this.logger.error({ intent_id: intentId }, 'a request that left no trace was answered late after all');
      if (outcome.kind !== 'done') return;
    }
    if (outcome.kind === 'done' && makesOrder(intent.purpose) && this.isAnothers(intentId, result.order)) {
      return this.logger.error(
        { intent_id: intentId, ticket: result.order },
        'a late answer names an order that was found for another request',
      );
    }
    await this.settle(attempt, intent, outcome);
  }

  /** Two requests that nothing tells apart: what was found for one stays its own, and never counts twice. */
  private isAnothers(intentId: string, ticket: number): boolean {
    const claim = ticket > 0 ? this.journal.claim(ticket) : undefined;
    return claim !== undefined && claim.intentId !== intentId;
  }

  private async settle(attempt: TradeAttempt, intent: IntentRecord, outcome: SettledOutcome): Promise<void> {
    if (this.settling.has(intent.id)) return;
    this.settling.add(intent.id);
    this.lookUps.forget(intent.id);
    // The audit line first, as with every outcome.
    await this.audit.note(resolvedEvent(attempt.record, intent, outcome));
    await this.journal.settle(attempt, intent.id, outcome);
    this.settling.delete(intent.id);
    const message =
      outcome.kind === 'unknown' ? 'an unknown outcome is undecidable' : 'an unknown outcome was found out';
    this.logger.warn({ intent_id: intent.id, outcome: outcome.kind }, message);
    if (attempt.running) return;
    if (attempt.openIntents.length === 0) await this.conclude(attempt);
    else if (attempt.isUndecidable) await this.journal.resolve(attempt, 'unknown', undecidableAnswer(attempt));
  }

  private async conclude(attempt: TradeAttempt): Promise<void> {
    const { status, response } = recoveredAnswer(attempt);
    if (attempt.record.status !== status) await this.journal.resolve(attempt, status, response);
  }
}

function isOpen(attempt: TradeAttempt, intentId: string): boolean {
  return attempt.openIntents.some(({ id }) => id === intentId);
}

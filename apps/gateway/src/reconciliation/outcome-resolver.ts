import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type LateOutcome, TerminalClient } from '@libs/terminal-client';
import { AuditTrail } from '../audit/audit-trail';
import { FillConfirmation, isIncomplete } from '../orders/fill-confirmation';
import { PeriodicWork } from '../schedule/periodic-work';
import { ServerTime } from '../server-time/server-time';
import { TerminalSession } from '../terminal-session/terminal-session';
import { classifyAnswer } from '../trade-journal/classify-outcome';
import type { IntentRecord, SettledOutcome } from '../trade-journal/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { resolvedEvent } from '../trade-journal/trade-events';
import { lacksTicket, makesOrder } from '../trade-journal/journal-writer';
import { TradeJournal } from '../trade-journal/trade-journal';
import { readBroker, type BrokerSnapshot } from './broker-snapshot';
import { findOutcome, type Surroundings } from './find-outcome';
import { LookUps } from './look-ups';
import { recoveredAnswer, undecidableAnswer } from './recovered-answer';

const periodMs = 5_000;

interface OpenSend {
  readonly attempt: TradeAttempt;
  readonly intent: IntentRecord;
}

/**
 * Recovers unknown outcomes: at every connect and every few seconds it searches the broker for their traces, and a late
 * answer of the terminal settles them at once. Nothing is ever sent again.
 */
@Injectable()
export class OutcomeResolver implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('outcome-resolver');
  private readonly lookUps: LookUps;
  private readonly stops: (() => void)[] = [];
  /** Intents whose outcome is being written, until it is: a look-up and a late answer may find it simultaneously. */
  private readonly settling = new Map<string, Promise<void>>();
  private round: Promise<void> | null = null;
  /** Late answers that are being taken in. */
  private readonly lateAnswers = new Set<Promise<void>>();

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    private readonly session: TerminalSession,
    private readonly terminal: TerminalClient,
    private readonly periodic: PeriodicWork,
    private readonly serverTime: ServerTime,
    private readonly confirmation: FillConfirmation,
  ) {
    this.lookUps = new LookUps(journal);
  }

  /** Before the session starts, so that the first connect is observed. */
  onModuleInit(): void {
    this.periodic.start('outcome-resolution', periodMs, () => this.resolve());
    this.stops.push(
      this.session.onConnected(() => void this.resolve()),
      this.terminal.onLateAnswer((intentId, late) => this.noteLate(intentId, late)),
    );
  }

  async onModuleDestroy(): Promise<void> {
    for (const stop of this.stops) stop();
    await Promise.all([this.round, ...this.lateAnswers]);
  }

  /** One round over all unresolved requests; rounds never overlap. A failed read decides nothing. */
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
    const incomplete = attempts.filter(isToComplete);
    // In parallel, so that the requests of a lost journal, which may be thousands, share flushes.
    await Promise.all(attempts.filter((one) => !incomplete.includes(one)).map((one) => this.answerAgain(one)));
    const open = attempts.flatMap((attempt) => attempt.lookedForIntents.map((intent) => ({ attempt, intent })));
    if (open.length + incomplete.length === 0 || this.session.status().state !== 'connected') return;
    // A terminal that lost its server returns its last data, which proves nothing.
    if (!(await this.terminal.terminalInfo()).connected) return;
    await Promise.all(incomplete.map((attempt) => this.complete(attempt)));
    if (open.length > 0) await this.lookUp(open);
  }

  private async lookUp(open: readonly OpenSend[]): Promise<void> {
    const rivals = open.flatMap(({ intent }) => this.journal.intents.acknowledgedWithoutOrder(intent));
    const oldestMsc = Math.min(...[...open.map(({ intent }) => intent), ...rivals].map((send) => send.serverTimeMsc));
    const broker = await readBroker(this.terminal, oldestMsc);
    for (const { attempt, intent } of open) await this.lookAt(attempt, intent, broker);
    await this.journal.intents.keepRunningTime();
  }

  private async lookAt(attempt: TradeAttempt, intent: IntentRecord, broker: BrokerSnapshot): Promise<void> {
    const around = this.surroundingsOf(intent);
    let finding = findOutcome(intent, broker, around);
    // Nothing distinguishes them and no answer will come: the oldest gets the order, and the search for the others
    // continues.
    if (finding === 'contested' && (await this.lookUps.isLongEnough(intent.id, 'contested'))) {
      finding = findOutcome(intent, broker, { ...around, rivals: [] });
    }
    // A late answer may have arrived while the broker was being read.
    if (!isOpen(attempt, intent.id) || finding === 'undecided' || finding === 'contested') return;
    if (finding !== 'nothing' && finding.kind !== 'undecidable') return this.settle(attempt, intent, finding);
    const reason = finding === 'nothing' ? this.lookUps.undecidableReason(intent.id) : finding.reason;
    if (reason !== null) return this.giveUp(attempt, intent, reason);
    const isAbsent = await this.lookUps.isLongEnough(intent.id, 'nothing');
    if (isAbsent && isOpen(attempt, intent.id)) await this.settle(attempt, intent, { kind: 'absent' });
  }

  /** As they are now: a look-up before this one may have settled a send. */
  private surroundingsOf(intent: IntentRecord): Surroundings {
    const running = this.journal.running();
    const others = (attempts: readonly TradeAttempt[]): IntentRecord[] =>
      attempts.flatMap(({ openIntents }) => openIntents).filter(({ id }) => id !== intent.id);
    // A running request, and a late answer, are still searching for the ticket.
    const isRunning = ({ id }: IntentRecord): boolean =>
      this.settling.has(id) || running.some(({ intents }) => intents.has(id));
    const acknowledged = this.journal.intents.acknowledgedWithoutOrder(intent);
    return {
      claimOf: (ticket: number) => this.journal.claim(ticket),
      underWay: [...others(running), ...acknowledged.filter(isRunning)],
      rivals: others(this.journal.unresolved()),
      acknowledged: acknowledged.filter((other) => !isRunning(other)),
      laterChanges: this.journal.intents.laterChanges(intent),
    };
  }

  /** A position can be missing from one list, so this takes as many reads as absence; then look-ups end. */
  private async giveUp(attempt: TradeAttempt, intent: IntentRecord, reason: string): Promise<void> {
    const isLongEnough = await this.lookUps.isLongEnough(intent.id, 'undecidable', reason);
    if (!isLongEnough || !isOpen(attempt, intent.id)) return;
    const said = intent.outcome.kind === 'unknown' ? intent.outcome : { result: null, lastError: null };
    const { result, lastError } = said;
    await this.settle(attempt, intent, { kind: 'unknown', reason, result, lastError, undecidable: true });
  }

  private noteLate(intentId: string, late: LateOutcome): void {
    const settled = this.settleLate(intentId, late)
      .catch((error: unknown) =>
        this.logger.error({ err: error, intent_id: intentId }, 'a late answer was not taken in'),
      )
      .finally(() => this.lateAnswers.delete(settled));
    this.lateAnswers.add(settled);
  }

  /** The terminal answered after the deadline; its answer overrides all findings. */
  private async settleLate(intentId: string, late: LateOutcome): Promise<void> {
    // What is being written may be that nothing was done.
    await this.settling.get(intentId);
    const attempt = this.journal.intents.attemptOf(intentId);
    const intent = attempt?.intents.get(intentId);
    if (!attempt || !intent) return this.logger.warn({ intent_id: intentId }, 'a late answer to an unknown intent');
    const outcome = lateOutcome(intent, late);
    const { kind } = intent.outcome;
    if (outcome.kind === 'unknown' || (kind !== 'unknown' && kind !== 'pending' && kind !== 'absent')) return;
    // A refusal confirms the finding that the request left no trace.
    if (kind === 'absent' && late.kind === 'refused') return;
    if (kind === 'absent') {
      this.logger.error({ intent_id: intentId }, 'a late answer to a request that was settled as absent');
      if (outcome.kind !== 'done') return;
    }
    if (outcome.kind === 'done' && makesOrder(intent.purpose) && this.isAnothers(intentId, outcome.result.order)) {
      return this.logger.error(
        { intent_id: intentId, ticket: outcome.result.order },
        'a late answer names an order that was found for another request',
      );
    }
    await this.settle(attempt, intent, outcome);
  }

  /** Two indistinguishable requests: an order found for one stays with it and never counts twice. */
  private isAnothers(intentId: string, ticket: number): boolean {
    const claim = ticket > 0 ? this.journal.claim(ticket) : undefined;
    return claim !== undefined && claim.intentId !== intentId;
  }

  private async settle(attempt: TradeAttempt, intent: IntentRecord, outcome: SettledOutcome): Promise<void> {
    if (this.settling.has(intent.id)) return;
    this.lookUps.forget(intent.id);
    await this.alone(intent, () => this.record(attempt, intent, outcome));
    const message =
      outcome.kind === 'unknown' ? 'an unknown outcome is undecidable' : 'an unknown outcome was recovered';
    this.logger.warn({ intent_id: intent.id, outcome: outcome.kind }, message);
    if (!attempt.running) await this.answerAgain(attempt);
  }

  /** Meanwhile nothing else settles the intent. */
  private async alone(intent: IntentRecord, work: () => Promise<unknown>): Promise<void> {
    const done = work();
    this.settling.set(
      intent.id,
      done.then(
        () => undefined,
        () => undefined,
      ),
    );
    try {
      await done;
    } finally {
      this.settling.delete(intent.id);
    }
  }

  private async record(attempt: TradeAttempt, intent: IntentRecord, outcome: SettledOutcome): Promise<void> {
    // The audit line first, as with every outcome.
    await this.audit.note(resolvedEvent(attempt.record, intent, outcome));
    await this.journal.settle(attempt, intent.id, outcome);
    if (!isIncomplete({ ...intent, outcome })) return;
    // The answer that nothing was done must not stand while the rest is looked up.
    if (attempt.record.status === 'absent' && attempt.openIntents.length === 0) await this.conclude(attempt);
    await this.confirmation.complete(this.terminal, attempt, intent.id);
  }

  /** Writes the answer for the outcomes. The gateway may have died between an outcome and its answer. */
  private async answerAgain(attempt: TradeAttempt): Promise<void> {
    const intents = [...attempt.intents.values()];
    if (intents.some(({ id }) => this.settling.has(id))) return;
    if (attempt.openIntents.length === 0) return this.conclude(attempt);
    if (!attempt.isUndecidable || attempt.record.status !== 'unknown') return;
    const answer = undecidableAnswer(attempt);
    if (attempt.record.response !== answer.body) await this.journal.resolve(attempt, 'unknown', answer);
  }

  /** Looks up what the gateway had no time for before it ended, and answers. */
  private async complete(attempt: TradeAttempt): Promise<void> {
    for (const intent of attempt.intents.values()) {
      if (this.settling.has(intent.id) || !canBeCompleted(intent)) continue;
      await this.alone(intent, () => this.confirmation.complete(this.terminal, attempt, intent.id));
    }
    await this.answerAgain(attempt);
  }

  private async conclude(attempt: TradeAttempt): Promise<void> {
    const { status, response } = recoveredAnswer(attempt, (serverSeconds) => this.serverTime.utcIso(serverSeconds));
    const { record } = attempt;
    if (record.status === status && record.response === response.body) return;
    await this.journal.resolve(attempt, status, response);
  }
}

/** Whether an earlier process had no time to look up what the broker's answers leave open. */
function isToComplete(attempt: TradeAttempt): boolean {
  return attempt.openIntents.length === 0 && [...attempt.intents.values()].some(canBeCompleted);
}

/** A missing ticket of a lost journal stays unknown, because the claims of other requests are unknown as well. */
function canBeCompleted(intent: IntentRecord): boolean {
  return isIncomplete(intent) && !(intent.ofLostJournal === true && lacksTicket(intent));
}

/** A late refusal is definite: the terminal states that this send was never made. */
function lateOutcome(intent: IntentRecord, late: LateOutcome): SettledOutcome {
  if (late.kind === 'answered') return classifyAnswer(intent.purpose, late.result, 'late_answer');
  return { kind: 'rejected', result: null, lastError: late.lastError };
}

function isOpen(attempt: TradeAttempt, intentId: string): boolean {
  return attempt.openIntents.some(({ id }) => id === intentId);
}

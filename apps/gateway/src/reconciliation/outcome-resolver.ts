import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type LateOutcome, TerminalClient } from '@libs/terminal-client';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { PeriodicWork } from '../schedule/periodic-work';
import { TerminalSession } from '../terminal-session/terminal-session';
import { classifyAnswer } from '../trade-journal/classify-outcome';
import { unknownBecause, type IntentRecord, type SettledOutcome } from '../trade-core/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { makesOrder } from '../trade-core/ticket-claims';
import { TradeJournal } from '../trade-journal/trade-journal';
import { historySince, readBroker, type BrokerSnapshot, type Effects } from './broker-snapshot';
import { againstDenial } from './denial';
import { findOutcome, type Surroundings } from './find-outcome';
import type { Doubt, Finding } from './finding';
import { LookUps } from './look-ups';
import { OutcomeRecords } from './outcome-records';

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
export class OutcomeResolver implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('outcome-resolver');
  private readonly stops: (() => void)[] = [];
  private round: Promise<void> | null = null;
  /** Late answers and look-ups that are under way beside the rounds. */
  private readonly tracked = new Set<Promise<void>>();

  constructor(
    private readonly journal: TradeJournal,
    private readonly session: TerminalSession,
    private readonly terminal: TerminalClient,
    private readonly periodic: PeriodicWork,
    private readonly records: OutcomeRecords,
    private readonly lookUps: LookUps,
    private readonly evidence: AccountEvidence,
  ) {}

  /** Before the session starts, so that the first connect is observed. */
  async onModuleInit(): Promise<void> {
    await this.records.recall();
    this.periodic.start('outcome-resolution', periodMs, () => this.resolve());
    this.stops.push(
      this.session.onConnected(() => void this.resolve()),
      this.terminal.onLateAnswer((intentId, late) => this.noteLate(intentId, late)),
    );
  }

  /** After the last request was answered: late answers count until then. */
  async onApplicationShutdown(): Promise<void> {
    for (const stop of this.stops) stop();
    this.records.stop();
    await this.round;
    // Only now, because the last round starts some of them.
    await Promise.all(this.tracked);
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
    const incomplete = new Set(this.records.incomplete());
    await this.answerAll(attempts.filter((one) => !incomplete.has(one)));
    const open = attempts.flatMap((attempt) => attempt.lookedForIntents.map((intent) => ({ attempt, intent })));
    if (open.length + incomplete.size === 0 || this.session.status().state !== 'connected') return;
    // A terminal that lost its server returns its last data, which proves nothing.
    if (!(await this.hasServer())) return;
    await this.complete([...incomplete]);
    if (open.length > 0) await this.lookUp(open);
  }

  /**
   * In parallel, so that the requests of a lost journal, which may be thousands, share flushes and one read. What the answer
   * states of positions is read, so it waits for the session.
   */
  private async answerAll(attempts: readonly TradeAttempt[]): Promise<void> {
    const done = attempts.flatMap(({ openIntents, intents }) =>
      openIntents.length > 0 ? [] : [...intents.values()].filter(({ outcome }) => outcome.kind === 'done'),
    );
    const isConnected = this.session.status().state === 'connected';
    const effects =
      done.length > 0 && isConnected ? await readBroker(this.terminal, historySince(oldestOf(done))) : undefined;
    const doneIds = new Set(done.map(({ id }) => id));
    const waits = ({ intents }: TradeAttempt): boolean => [...intents.keys()].some((id) => doneIds.has(id));
    const answerable = attempts.filter((attempt) => isConnected || !waits(attempt));
    await Promise.all(answerable.map((attempt) => this.records.answerAgain(attempt, effects)));
  }

  private async hasServer(): Promise<boolean> {
    return (await this.terminal.terminalInfo()).connected;
  }

  /** Each look-up of a fill may take seconds, so it does not delay the round. Those of a lost journal share one read. */
  private async complete(incomplete: readonly TradeAttempt[]): Promise<void> {
    for (const attempt of incomplete.filter((one) => !isOfLostJournal(one))) {
      const facts = { request_id: attempt.record.id };
      this.track(this.records.complete(attempt), facts, 'an outcome could not be completed');
    }
    const lost = incomplete.filter(isOfLostJournal);
    if (lost.length === 0) return;
    const sends = lost.flatMap(({ intents }) => [...intents.values()]);
    const broker = await readBroker(this.terminal, historySince(oldestOf(sends)));
    await Promise.all(lost.map((attempt) => this.records.completeFrom(broker, attempt)));
  }

  private async lookUp(open: readonly OpenSend[]): Promise<void> {
    const rivals = open.flatMap(({ intent }) => this.journal.intents.acknowledgedWithoutOrder(intent));
    const oldestMsc = oldestOf([...open.map(({ intent }) => intent), ...rivals]);
    const broker = await readBroker(this.terminal, historySince(oldestMsc));
    // What is there can be found on any account; that something is not there needs one that is explained.
    const mayDeny = this.evidence.isExplained && (await this.hasServer());
    for (const { attempt, intent } of open) await this.lookAt(attempt, intent, broker, mayDeny);
    await this.journal.intents.keepRunningTime();
  }

  private async lookAt(
    attempt: TradeAttempt,
    intent: IntentRecord,
    broker: BrokerSnapshot,
    mayDeny: boolean,
  ): Promise<void> {
    const around = this.surroundingsOf(intent);
    let finding = findOutcome(intent, broker, around);
    if (isDenial(finding)) {
      if (!mayDeny) return;
      const doubt = againstDenial(intent, broker, around);
      if (doubt !== null) finding = { kind: 'undecidable', reason: doubt };
    }
    if (!mayDeny && isDoubtful(finding)) return;
    // A late answer may have arrived while the broker was being read.
    if (!isOpen(attempt, intent.id) || finding === 'undecided') return;
    // Whichever of them got the order, the other one would be denied what it may have done.
    if (finding !== 'nothing' && finding.kind === 'contested') return this.giveUp(attempt, intent, finding);
    if (finding !== 'nothing' && finding.kind !== 'undecidable') return this.settle(attempt, intent, finding, broker);
    const reason = finding === 'nothing' ? this.lookUps.undecidableReason(intent.id) : finding.reason;
    if (reason !== null) return this.giveUp(attempt, intent, { kind: 'undecidable', reason });
    const isAbsent = await this.lookUps.isLongEnough(intent.id, 'nothing');
    if (isAbsent && isOpen(attempt, intent.id)) await this.settle(attempt, intent, { kind: 'absent' });
  }

  /** As they are now: a look-up before this one may have settled a send. */
  private surroundingsOf(intent: IntentRecord): Surroundings {
    const running = this.journal.running();
    const others = (attempts: readonly TradeAttempt[]): IntentRecord[] =>
      attempts.flatMap(({ openIntents }) => openIntents).filter(({ id }) => id !== intent.id);
    // The ticket of a running request, or of one whose late answer has none, is still being searched for.
    const searching = [...running, ...this.records.incomplete()];
    const isRunning = ({ id }: IntentRecord): boolean =>
      this.records.isSettling(id) || searching.some(({ intents }) => intents.has(id));
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
  private async giveUp(attempt: TradeAttempt, intent: IntentRecord, { kind, reason }: Doubt): Promise<void> {
    // While a trace is contested, no reason is kept between reads: an answer to the other request decides both.
    const kept = kind === 'undecidable' ? reason : undefined;
    if (!(await this.lookUps.isLongEnough(intent.id, kind, kept)) || !isOpen(attempt, intent.id)) return;
    const said = intent.outcome.kind === 'unknown' ? intent.outcome : unknownBecause(reason);
    await this.settle(attempt, intent, { ...said, reason, undecidable: true });
  }

  private noteLate(intentId: string, late: LateOutcome): void {
    this.track(this.settleLate(intentId, late), { intent_id: intentId }, 'a late answer could not be recorded');
  }

  /** The terminal answered after the deadline; its answer overrides all findings. */
  private async settleLate(intentId: string, late: LateOutcome): Promise<void> {
    // What is being written may be that nothing was done.
    await this.records.settled(intentId);
    const attempt = this.records.attemptOf(intentId);
    const intent = attempt?.intents.get(intentId);
    if (!attempt || !intent) return this.logger.warn({ intent_id: intentId }, 'a late answer to an unknown intent');
    const ticket = late.kind === 'answered' ? late.result.order : 0;
    if (this.isAnothers(intent, ticket)) {
      const facts = { intent_id: intentId, ticket };
      return this.logger.error(facts, 'a late answer names an order of another request; it is not believed');
    }
    const outcome = lateOutcome(intent, late);
    const { kind } = intent.outcome;
    if (outcome.kind === 'unknown' || (kind !== 'unknown' && kind !== 'pending' && kind !== 'absent')) return;
    // A refusal confirms the finding that the request left no trace.
    if (kind === 'absent' && late.kind === 'refused') return;
    if (kind === 'absent') {
      this.logger.error({ intent_id: intentId }, 'a late answer to a request that was settled as absent');
      if (outcome.kind !== 'done') return;
    }
    await this.settle(attempt, intent, outcome);
  }

  /**
   * Whether an order belongs to another request. An order found for one of indistinguishable requests stays with it and never counts
   * twice. What a request changes or cancels belongs to the request that made it.
   */
  private isAnothers({ id, purpose, request, positionId }: IntentRecord, ticket: number): boolean {
    if (!makesOrder(purpose) && [request.order, request.position, positionId].includes(ticket)) return false;
    const claim = ticket > 0 ? this.journal.claim(ticket) : undefined;
    return claim !== undefined && claim.intentId !== id;
  }

  private async settle(
    attempt: TradeAttempt,
    intent: IntentRecord,
    outcome: SettledOutcome,
    effects?: Effects,
  ): Promise<void> {
    if (this.records.isSettling(intent.id)) return;
    this.lookUps.forget(intent.id);
    await this.records.settle(attempt, intent, outcome, effects);
  }

  /** Does not wait for the work, so that rounds go on. A shutdown waits for it. */
  private track(work: Promise<void>, facts: object, failure: string): void {
    const tracked = work
      .catch((error: unknown) => this.logger.error({ err: error, ...facts }, failure))
      .finally(() => this.tracked.delete(tracked));
    this.tracked.add(tracked);
  }
}

/** A late refusal is definite: the terminal states that this send was never made. */
function lateOutcome(intent: IntentRecord, late: LateOutcome): SettledOutcome {
  if (late.kind === 'answered') return classifyAnswer(intent.purpose, late.result, 'late_answer');
  return { kind: 'rejected', result: null, lastError: late.lastError };
}

/** Whether a look-up says that nothing was done. */
function isDenial(finding: Finding): boolean {
  return finding === 'nothing' || (typeof finding === 'object' && finding.kind === 'absent');
}

function isDoubtful(finding: Finding): boolean {
  return typeof finding === 'object' && (finding.kind === 'undecidable' || finding.kind === 'contested');
}

function isOpen(attempt: TradeAttempt, intentId: string): boolean {
  return attempt.openIntents.some(({ id }) => id === intentId);
}

function oldestOf(sends: readonly IntentRecord[]): number {
  return Math.min(...sends.map(({ serverTimeMsc }) => serverTimeMsc));
}

function isOfLostJournal({ intents }: TradeAttempt): boolean {
  return [...intents.values()].some(({ ofLostJournal }) => ofLostJournal === true);
}

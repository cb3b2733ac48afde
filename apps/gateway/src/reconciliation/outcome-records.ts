import { Inject, Injectable, Logger } from '@nestjs/common';
import { isOpenStatus } from '@libs/request-life';
import { TerminalClient } from '@libs/terminal-client';
import { AccountEvidence } from '../account-evidence/account-evidence';
import type { AuditEvent } from '../audit/audit-event';
import { FillConfirmation, isIncomplete } from '../orders/fill-confirmation';
import { ServerTime } from '../server-time/server-time';
import { SymbolDigits } from '../terminal/symbol-digits';
import { requestIdOf, type IntentRecord, type SettledOutcome } from '../trade-core/journal-records';
import { claimedTicket, lacksTicket } from '../trade-core/ticket-claims';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { resolvedEvent } from '../trade-core/trade-events';
import { TradeJournal } from '../trade-journal/trade-journal';
import { readEffects, type BrokerSnapshot, type Effects } from './broker-snapshot';
import { LookUps } from './look-ups';
import { lacksItsLists, recoveredAnswer, undecidableAnswer } from './recovered-answer';

/** A request that was sent longer ago is not looked up again at a start, in milliseconds of running time. */
const recalledMs = 86_400_000;

/** Writes outcomes that are found after the first answer to a request, and the answer that follows from them. */
@Injectable()
export class OutcomeRecords {
  private readonly logger = new Logger('outcome-resolver');
  /** Intents whose outcome is being written, until it is: a look-up and a late answer may find it simultaneously. */
  private readonly settling = new Map<string, Promise<unknown>>();
  /**
   * Requests with such an intent, by id, and how many uses each has. A second copy of a request would overwrite what the
   * first one learned.
   */
  private readonly inUse = new Map<string, { readonly attempt: TradeAttempt; uses: number }>();
  /** Requests that were settled before a late answer, which lacks a ticket or a fill; by id, until it is found. */
  private readonly amended = new Map<string, TradeAttempt>();
  private hasStopped = false;

  constructor(
    private readonly journal: TradeJournal,
    private readonly terminal: TerminalClient,
    private readonly serverTime: ServerTime,
    private readonly confirmation: FillConfirmation,
    private readonly lookUps: LookUps,
    private readonly digits: SymbolDigits,
    @Inject(AccountEvidence) private readonly evidence: Pick<AccountEvidence, 'isExplained'>,
  ) {}

  /**
   * Continues with the late answers of an earlier process: writes those that only the audit log has, and looks up what they
   * lack. Call once, after the journal has recovered and before requests are served.
   */
  async recall(): Promise<void> {
    for (const { intentId, outcome } of this.journal.unwrittenOutcomes) {
      const attempt = this.attemptOf(intentId);
      const intent = attempt?.intents.get(intentId);
      if (!attempt || intent?.outcome.kind !== 'absent') continue;
      await this.write(attempt, intent, outcome, null);
      // Answered again with what the broker shows, once there is a session.
      this.amended.set(attempt.record.id, attempt);
    }
    for (const intent of this.journal.intents.writtenWithin(recalledMs)) {
      if (!canBeCompleted(intent) || this.amended.has(requestIdOf(intent.id))) continue;
      const attempt = this.journal.intents.attemptOf(intent.id);
      // An answer that a client has already received is never replaced.
      if (attempt?.record.status === 'recovered') this.amended.set(attempt.record.id, attempt);
    }
  }

  /** Ends the look-ups of tickets and fills. What they have not found stays open for the next start. */
  stop(): void {
    this.hasStopped = true;
  }

  isSettling(intentId: string): boolean {
    return this.settling.has(intentId);
  }

  /** Resolves when no outcome of the intent is being written. */
  async settled(intentId: string): Promise<void> {
    await this.settling.get(intentId);
  }

  /** The request of an intent, settled or not. */
  attemptOf(intentId: string): TradeAttempt | undefined {
    const id = requestIdOf(intentId);
    return this.inUse.get(id)?.attempt ?? this.amended.get(id) ?? this.journal.intents.attemptOf(intentId);
  }

  /** Requests whose outcomes lack a ticket or a fill that the broker may still show. */
  incomplete(): TradeAttempt[] {
    return [...this.journal.unresolved().filter(isToComplete), ...this.amended.values()];
  }

  /**
   * Writes an outcome and the answer to its request, unless a ticket or a fill is to be looked up first.
   * @param effects as was read of the broker; read if they are not given
   */
  settle(attempt: TradeAttempt, intent: IntentRecord, outcome: SettledOutcome, effects?: Effects): Promise<void> {
    return this.using(attempt, async () => {
      const event = resolvedEvent(attempt.record, intent, outcome);
      await this.alone(intent, () => this.write(attempt, intent, outcome, event));
      const message =
        outcome.kind === 'unknown' ? 'an unknown outcome is undecidable' : 'an unknown outcome was recovered';
      this.logger.warn({ intent_id: intent.id, outcome: outcome.kind }, message);
      if (!attempt.running && !isToComplete(attempt)) await this.answerAgain(attempt, effects);
    });
  }

  /**
   * Looks up, once, what the outcomes of a request lack. The answer is written once nothing is missing, or once the broker
   * has not shown it for so long that it counts as never to come.
   * @throws TerminalUnavailableError if a read failed, which proves nothing
   */
  complete(attempt: TradeAttempt): Promise<void> {
    return this.completeWith(attempt, (id) => this.confirmation.complete(this.terminal, attempt, id));
  }

  /** As {@link complete}, from what was read of the broker, for the requests of a lost journal, which may be thousands. */
  completeFrom(broker: BrokerSnapshot, attempt: TradeAttempt): Promise<void> {
    return this.completeWith(attempt, (id) => this.confirmation.completeFrom(broker, attempt, id), broker);
  }

  /**
   * Writes the answer for the outcomes. The gateway may have died between an outcome and its answer.
   * @param effects as was read of the broker; read if they are not given
   */
  async answerAgain(attempt: TradeAttempt, effects?: Effects): Promise<void> {
    const intents = [...attempt.intents.values()];
    if (intents.some(({ id }) => this.settling.has(id))) return;
    if (attempt.openIntents.length === 0) return this.conclude(attempt, effects);
    if (!attempt.isUndecidable || attempt.record.status !== 'unknown') return;
    const answer = undecidableAnswer(attempt);
    if (attempt.record.response !== answer.body) await this.journal.resolve(attempt, 'unknown', answer);
  }

  private async write(
    attempt: TradeAttempt,
    intent: IntentRecord,
    outcome: SettledOutcome,
    event: AuditEvent | null,
  ): Promise<void> {
    const isOpen = attempt.openIntents.some(({ id }) => id !== intent.id);
    // The answer to a settled request must not contradict an outcome: neither while the rest of it is looked up nor after a crash.
    if (isOpen || isOpenStatus(attempt.record.status)) await this.journal.settle(attempt, intent.id, outcome, event);
    else await this.journal.amend(attempt, intent.id, outcome, event, (amended) => this.answerOf(amended, null));
    if (!isOpen && !isOpenStatus(attempt.record.status) && isToComplete(attempt)) {
      this.amended.set(attempt.record.id, attempt);
    }
  }

  private async completeWith(
    attempt: TradeAttempt,
    lookUp: (intentId: string) => Promise<boolean>,
    effects?: Effects,
  ): Promise<void> {
    const { id, status } = attempt.record;
    if (this.inUse.has(id)) return;
    await this.using(attempt, async () => {
      let isOver = true;
      for (const intent of attempt.intents.values()) {
        if (this.hasStopped) return;
        if (!canBeCompleted(intent)) continue;
        const isFinal = await this.alone(intent, () => lookUp(intent.id));
        // An order that the broker has not finished does not prove that nothing will be filled.
        if (!isFinal || !(await this.isLookedUp(attempt, intent.id))) isOver = false;
      }
      if (isOver) {
        this.amended.delete(id);
        for (const intent of attempt.intents.values()) this.lookUps.forget(intent.id);
      }
      if (isOver || !isOpenStatus(status)) await this.answerAgain(attempt, effects);
    });
  }

  /** Whether nothing is missing any more, or the broker showed nothing for long enough. */
  private async isLookedUp(attempt: TradeAttempt, intentId: string): Promise<boolean> {
    const intent = attempt.intents.get(intentId);
    if (!intent || !canBeCompleted(intent)) return true;
    return this.lookUps.hasLasted(intentId, 'nothing') || this.lookUps.isLongEnough(intentId, 'nothing');
  }

  private async conclude(attempt: TradeAttempt, read?: Effects): Promise<void> {
    const { record } = attempt;
    if (lacksItsLists(attempt) && !this.evidence.isExplained) {
      if (!isOpenStatus(record.status)) this.amended.set(record.id, attempt);
      return;
    }
    const effects = read ?? (await this.effectsOf(attempt));
    if (effects !== null) await this.digits.learn([...attempt.intents.values()].map(({ request }) => request.symbol));
    // Answered meanwhile, by other facts: an answer is replaced only when an outcome is.
    if (attempt.record !== record) return;
    const { status, response } = this.answerOf(attempt, effects);
    if (record.status === status && record.response === response.body) return;
    await this.journal.resolve(attempt, status, response);
  }

  /** What the broker shows of the sends of a request, once it shows the deals or the time is up; null if it cannot be read. */
  private async effectsOf({ intents }: TradeAttempt): Promise<Effects | null> {
    const done = [...intents.values()].filter(({ outcome }) => outcome.kind === 'done');
    if (done.length === 0) return null;
    let effects: Effects | null = null;
    await this.confirmation.poll(async () => {
      const read = await readEffects(this.terminal, done);
      effects = read;
      return this.hasStopped || done.every((intent) => showsDeal(intent, read)) ? read : null;
    });
    return effects;
  }

  private answerOf(attempt: TradeAttempt, effects: Effects | null): ReturnType<typeof recoveredAnswer> {
    return recoveredAnswer(attempt, { effects, times: this.serverTime, digitsOf: (symbol) => this.digits.of(symbol) });
  }

  private async using(attempt: TradeAttempt, work: () => Promise<void>): Promise<void> {
    const { id } = attempt.record;
    const use = this.inUse.get(id) ?? { attempt, uses: 0 };
    this.inUse.set(id, use);
    use.uses++;
    try {
      await work();
    } finally {
      if (--use.uses === 0) this.inUse.delete(id);
    }
  }

  /** Runs work while no other code settles the intent. */
  private async alone<T>(intent: IntentRecord, work: () => Promise<T>): Promise<T> {
    const done = work();
    this.settling.set(
      intent.id,
      done.catch(() => undefined),
    );
    try {
      return await done;
    } finally {
      this.settling.delete(intent.id);
    }
  }
}

/** Whether the deal of a send that made one is visible. */
function showsDeal(intent: IntentRecord, { deals }: Effects): boolean {
  const ticket = intent.purpose === 'place_pending' ? null : claimedTicket(intent);
  return ticket === null || deals.some(({ order }) => order === ticket);
}

/** Whether all outcomes of a request are known and one of them lacks a ticket or a fill that can be looked up. */
function isToComplete(attempt: TradeAttempt): boolean {
  return attempt.openIntents.length === 0 && [...attempt.intents.values()].some(canBeCompleted);
}

/** A missing ticket of a lost journal stays unknown, because the claims of other requests are unknown as well. */
function canBeCompleted(intent: IntentRecord): boolean {
  return isIncomplete(intent) && !(intent.ofLostJournal === true && lacksTicket(intent));
}

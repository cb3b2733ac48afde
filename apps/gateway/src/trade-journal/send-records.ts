import type { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { JournaledRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { fenceFacts } from '../fences/fence-facts';
import { keyIsVoid } from './expired-answer';
import type { IntentRecord, NewIntent, SettledOutcome } from './journal-records';
import type { JournalRoom } from './journal-room';
import type { JournalLog, JournalWriter } from './journal-writer';
import type { KeyVoids } from './key-voids';
import { reducesRisk } from './reduces-risk';
import type { RunningTime } from './running-time';
import { intentEvent } from './trade-events';
import type { TradeAttempt, WrittenIntent } from './trade-attempt';

/** The journal's side of each send: the intent before it, the outcome after it. */
export class SendRecords {
  private lastStampMs = 0;

  constructor(
    private readonly writer: JournalWriter,
    private readonly voids: KeyVoids,
    private readonly room: JournalRoom,
    private readonly clock: Clock,
    private readonly running: RunningTime,
    private readonly log: JournalLog,
  ) {}

  /**
   * Writes what is about to be sent; resolves when it is on disk. If it cannot be written, new risk is refused, while a
   * request that only takes risk away passes.
   * @throws ApiError journal_unavailable, journal_lost, or key_void when its key was made void since it was reserved
   */
  async begin(attempt: TradeAttempt, intent: NewIntent): Promise<JournaledRequest> {
    if (!this.room.isOpen && !reducesRisk(intent.purpose)) await this.room.require();
    while (this.voids.markOf(attempt.key) === 'being_written') await this.voids.decided(attempt.key);
    // From here to the step there is no other turn: a void comes before it or finds it.
    const id = attempt.nextIntentId();
    const begun = attempt.take({ kind: 'intend', send: id }, this.voids.markOf(attempt.key));
    if (begun.kind === 'refused') {
      if (begun.refusal === 'key_void') throw keyIsVoid(attempt.key);
      throw new Error(`a request that is ${attempt.record.status} cannot send`);
    }
    const record: IntentRecord = {
      ...intent,
      id,
      key: attempt.key,
      createdAtMs: this.clock.nowMs(),
      writtenAtRunningMs: this.stamp(),
      outcome: { kind: 'pending' },
    };
    const event = { ...intentEvent(attempt.record, id, intent), ...fenceFacts(attempt.fence) };
    const events = this.writer.stamped(event);
    let written: WrittenIntent = { kind: 'intent_durable', send: id };
    let cause: unknown = null;
    try {
      await this.writer.intent(attempt, record, events);
    } catch (error) {
      this.log.error({ err: error, intent_id: id, purpose: record.purpose }, 'the trade journal cannot be written');
      written = { kind: 'intent_failed', send: id, reducesRisk: reducesRisk(record.purpose) };
      attempt.dirty ||= written.reducesRisk;
      cause = error;
    }
    if (!attempt.written(record, written)) {
      throw new ApiError('journal_unavailable', 'the trade journal cannot be written: no new trades are accepted', {
        cause,
      });
    }
    // The log is then the only disk that has it.
    if (written.kind === 'intent_failed') attempt.isRemembered = await this.writer.keptInLog(events);
    return sealRequest(id, record.request);
  }

  /**
   * Takes in what became of an intent, in memory. An outcome that is settled stays as it is.
   * @returns the settled intent, to be written; null if it was settled before
   */
  settle(attempt: TradeAttempt, intentId: string, outcome: SettledOutcome): IntentRecord | null {
    const intent = attempt.intents.get(intentId);
    if (!intent) throw new Error(`no intent ${intentId}`);
    const settled = attempt.settle(intent, outcome);
    if (settled) return settled;
    const facts = { intent_id: intentId, settled: intent.outcome.kind, outcome: outcome.kind };
    this.log.error(facts, 'an outcome that came after the send was settled is ignored');
    return null;
  }

  /** Running time that no two intents share, so that it is known which was written first. */
  private stamp(): number {
    this.lastStampMs = Math.max(this.running.nowMs(), this.lastStampMs + 1);
    return this.lastStampMs;
  }
}

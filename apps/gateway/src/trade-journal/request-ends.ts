import type { Clock } from '@libs/clock';
import { statusOf } from '@libs/request-life';
import type { AuditEvent } from '../audit/audit-event';
import { keyIsVoid } from './expired-answer';
import type { JournalWriter } from './journal-writer';
import type { KeyVoids } from './key-voids';
import type { KnownKeys } from './known-keys';
import type { LiveRequests } from './live-requests';
import type { RunningTime } from './running-time';
import type { StoredResponse } from './trade-answer';
import type { TradeAttempt } from './trade-attempt';

/** Ends requests: with an answer, with a recovered outcome, or with nothing done. */
export class RequestEnds {
  constructor(
    private readonly live: LiveRequests,
    private readonly keys: KnownKeys,
    private readonly voids: KeyVoids,
    private readonly writer: JournalWriter,
    private readonly clock: Clock,
    private readonly running: RunningTime,
  ) {}

  /** @throws ApiError key_void if nothing was sent and the key was made void since the reservation */
  async complete(attempt: TradeAttempt, response: StoredResponse): Promise<void> {
    while (this.voids.markOf(attempt.key) === 'being_written') await this.voids.decided(attempt.key);
    const event = { kind: 'answer', unknown: response.status === 502 } as const;
    const result = attempt.take(event, this.voids.markOf(attempt.key));
    if (result.kind === 'refused') {
      if (result.refusal === 'key_void') throw keyIsVoid(attempt.key);
      throw new Error(`a request that is ${attempt.record.status} is answered already`);
    }
    await this.conclude(attempt, response);
    attempt.take({ kind: 'answer_kept' });
  }

  /**
   * Ends an unknown request, or replaces the answer of an undecidable one.
   * @param events what led to it, recorded with it
   * @throws Error when the request cannot get the status
   */
  async resolve(
    attempt: TradeAttempt,
    status: 'recovered' | 'absent' | 'unknown' | 'accepted',
    response: StoredResponse,
    ...events: readonly AuditEvent[]
  ): Promise<void> {
    const event = { kind: status === 'unknown' ? 'give_up' : status === 'accepted' ? 'accept' : 'conclude' } as const;
    const result = attempt.decide(event);
    if (result.kind === 'refused' || statusOf(result.life.state) !== status) {
      throw new Error(`a trade request cannot go from ${attempt.record.status} to ${status}`);
    }
    attempt.take(event);
    await this.conclude(attempt, response, ...events);
  }

  /** Forgets a request that did nothing. @throws Error if one of its sends may have been executed */
  async release(attempt: TradeAttempt): Promise<void> {
    const result = attempt.decide({ kind: 'release' }, this.voids.markOf(attempt.key));
    if (result.kind === 'refused') throw new Error(`a trade request cannot be released: ${result.refusal}`);
    // Takes the step after the write, so that the key stays busy until then.
    if (attempt.intents.size > 0) await this.writer.released(attempt);
    attempt.take({ kind: 'release' });
    this.live.remove(attempt);
    if (result.effects.includes('bind_key')) this.keys.bind(attempt.record, this.clock.nowMs());
  }

  private async conclude(
    attempt: TradeAttempt,
    response: StoredResponse,
    ...events: readonly AuditEvent[]
  ): Promise<void> {
    attempt.answered(response, { utcMs: this.clock.nowMs(), runningMs: this.running.nowMs() });
    await this.live.write(attempt, ...events);
  }
}

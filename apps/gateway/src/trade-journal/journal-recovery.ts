import type { AuditEvent } from '../audit/audit-event';
import type { AuditedRequest, AuditedSends } from './audited-sends';
import type { IntentRecord, TradeRequestRecord } from './journal-records';
import type { JournalWriter } from './journal-writer';
import type { JournalStore } from './journal.store';
import type { KeyVoids } from './key-voids';
import type { KnownKeys } from './known-keys';
import type { LiveRequests } from './live-requests';
import { revived, type TradeAttempt } from './trade-attempt';
import { outcomeEvent } from './trade-events';
import { unknownOutcomeAnswer } from './unknown-outcome.error';

/** Writes that are made at a time; each keeps its rows in memory until it is on disk. */
const sharingFlush = 1_000;

/** A send without an outcome from an earlier process. */
export interface CutShort {
  readonly record: TradeRequestRecord;
  readonly intent: IntentRecord;
}

/** Restores the unsettled requests of an earlier process. */
export class JournalRecovery {
  constructor(
    private readonly live: LiveRequests,
    private readonly keys: KnownKeys,
    private readonly voids: KeyVoids,
    private readonly store: JournalStore,
    private readonly writer: JournalWriter,
  ) {}

  /**
   * Each open request becomes unknown, to be resolved.
   * @param audited sends and void keys in the audit log
   * @returns the intents whose outcome became unknown in this process
   * @throws StoreOpenError when an open request cannot be read
   */
  async run(audited: AuditedSends): Promise<CutShort[]> {
    for (const { record, intents } of this.store.leftOpen()) {
      this.live.put(withOutcomes(revived(record, intents), audited));
    }
    this.writer.takeUp(audited.claims);
    for (const request of audited.requests) this.takeUp(request);
    const cutShort: CutShort[] = [];
    let writes: Promise<void>[] = [];
    for (const attempt of this.live.all()) {
      const { record } = attempt;
      const events: AuditEvent[] = [];
      for (const intent of attempt.openIntents) {
        if (intent.outcome.kind !== 'pending') continue;
        const outcome = { kind: 'unknown', reason: interrupted, result: null, lastError: null } as const;
        attempt.intents.set(intent.id, { ...intent, outcome });
        events.push(outcomeEvent(record, intent, outcome, null));
        cutShort.push({ record, intent });
      }
      attempt.take({ kind: 'restart' });
      if (record.status === 'in_progress')
        attempt.record = {
          ...record,
          status: 'unknown',
          ...unknownOutcomeAnswer(interrupted, record.clientOrderId, record.requestId),
        };
      writes.push(this.writer.concluded(attempt, ...events));
      // Thousands of requests of a lost journal share flushes, but not all of them one.
      if (writes.length < sharingFlush) continue;
      await Promise.all(writes);
      writes = [];
    }
    for (const [key, atMs] of audited.voids) {
      // A failed write is logged and must not prevent the start.
      if (!this.keys.lookUp(key)) writes.push(this.voids.make(key, atMs, null, null).catch(() => undefined));
    }
    await Promise.all(writes);
    return cutShort;
  }

  /** Adds keys that only the audit log has; keys that the journal knows are unchanged. */
  private takeUp({ record, intents }: AuditedRequest): void {
    const attempt = this.live.get(record.key) ?? (this.keys.lookUp(record.key) ? null : revived(record, []));
    if (attempt?.record.id !== record.id) return;
    for (const intent of intents) attempt.intents.set(intent.id, intent);
    attempt.dirty = true;
    this.live.put(attempt);
  }
}

/**
 * Takes outcomes that the journal could not write before a crash from the audit log. Clients may have been answered
 * with them, so they are not looked up again.
 */
function withOutcomes(attempt: TradeAttempt, { outcomes }: AuditedSends): TradeAttempt {
  for (const intent of attempt.openIntents) {
    const outcome = outcomes.get(intent.id);
    if (outcome?.kind !== 'done' && outcome?.kind !== 'rejected' && outcome?.kind !== 'absent') continue;
    if (attempt.settle(intent, outcome)) attempt.dirty = true;
  }
  return attempt;
}

const interrupted = 'the gateway stopped before the answer';

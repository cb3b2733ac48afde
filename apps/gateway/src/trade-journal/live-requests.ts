import type { AuditEvent } from '../audit/audit-event';
import { isOpenStatus } from '@libs/request-life';
import type { JournalWriter } from './journal-writer';
import type { TradeAttempt } from './trade-attempt';

/** Requests that are running, unresolved or not yet on disk, by key. */
export class LiveRequests {
  private readonly byKey = new Map<string, TradeAttempt>();

  constructor(private readonly writer: JournalWriter) {}

  get(key: string): TradeAttempt | undefined {
    return this.byKey.get(key);
  }

  put(attempt: TradeAttempt): void {
    this.byKey.set(attempt.key, attempt);
  }

  remove(attempt: TradeAttempt): void {
    this.byKey.delete(attempt.key);
  }

  all(): TradeAttempt[] {
    return [...this.byKey.values()];
  }

  /** Requests with an unknown outcome and no running handler, oldest first. */
  unresolved(): TradeAttempt[] {
    return this.all()
      .filter(({ running, record }) => !running && record.status === 'unknown')
      .sort((a, b) => a.record.createdAtMs - b.record.createdAtMs);
  }

  /** Requests with a running handler. */
  running(): TradeAttempt[] {
    return this.all().filter(({ running }) => running);
  }

  /** The request of an intent. */
  ofIntent(intentId: string): TradeAttempt | undefined {
    for (const attempt of this.byKey.values()) if (attempt.intents.has(intentId)) return attempt;
    return undefined;
  }

  /** Writes the current state of a request, with events. It is in memory until it is settled and on disk. */
  async write(attempt: TradeAttempt, ...events: readonly AuditEvent[]): Promise<void> {
    // With outcomes that are still being written: whether all of it is on disk is known after both.
    await Promise.all([this.writer.concluded(attempt, ...events), attempt.recorded]);
    if (isOpenStatus(attempt.record.status) || attempt.dirty) this.put(attempt);
    else this.remove(attempt);
  }

  /** Writes the current state of requests with a failed write. */
  async writeKept(): Promise<void> {
    for (const attempt of this.byKey.values()) {
      if (attempt.dirty && !attempt.running) await this.write(attempt);
    }
  }
}

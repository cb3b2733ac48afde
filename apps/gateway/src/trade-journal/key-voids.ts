import { ApiError } from '@libs/envelope';
import type { VoidMark } from '@libs/request-life';
import type { AuditEvent } from '../audit/audit-event';
import type { JournalLog, JournalWriter } from './journal-writer';
import type { JournalStore } from './journal.store';
import { isForgotten } from './retention-times';
import type { RunningTime } from './running-time';

/**
 * Keys under which nothing is ever sent. A void is flushed before it is acknowledged; a request under the key waits
 * while the void is being written.
 */
export class KeyVoids {
  private readonly writing = new Map<string, Promise<void>>();

  constructor(
    private readonly store: JournalStore,
    private readonly writer: JournalWriter,
    private readonly running: RunningTime,
    private readonly log: JournalLog,
  ) {}

  /** Whether the void of a key is written, being written, or neither. */
  markOf(key: string): VoidMark {
    if (this.writing.has(key)) return 'being_written';
    return this.isVoid(key) ? 'written' : 'none';
  }

  /** True once the void is on disk, and until the key is forgotten. */
  isVoid(key: string): boolean {
    const entry = this.store.keys.memory(key);
    return entry?.status === 'void' && !isForgotten(entry.endedAtRunningMs, this.running.nowMs());
  }

  /** Resolves once no void of the key is being written, whether or not the write succeeded. */
  async decided(key: string): Promise<void> {
    for (let written = this.writing.get(key); written; written = this.writing.get(key)) {
      await written.catch(() => undefined);
    }
  }

  /**
   * Makes a key void for which no intent was written.
   * @param nowMs UTC milliseconds
   * @param login of the account that it is made void for; null if none is known
   * @param event its event; null if it has one already
   * @throws ApiError journal_unavailable if the void is not on disk; the key is then unchanged
   */
  async make(key: string, nowMs: number, login: number | null, event: AuditEvent | null): Promise<void> {
    const written = this.writing.get(key) ?? this.write(key, nowMs, login, event);
    try {
      await written;
    } catch (error) {
      this.log.error({ err: error, key }, 'a void cannot be written');
      throw new ApiError('journal_unavailable', 'the trade journal cannot be written: the key is not void', {
        cause: error,
      });
    }
  }

  private write(key: string, nowMs: number, login: number | null, event: AuditEvent | null): Promise<void> {
    const entry = {
      ...({ status: 'void', route: 'PUT /trade_requests/:key/void', responseStatus: 422, ticket: null } as const),
      ...{ fingerprint: '', login, createdAtMs: nowMs, endedAtRunningMs: this.running.nowMs() },
    };
    const events = this.writer.stamped(event);
    const written = this.writer
      .write((tables) => tables.keys.remember(key, entry), ...events)
      .then(() => this.writer.linesWritten(events))
      .finally(() => this.writing.delete(key));
    this.writing.set(key, written);
    return written;
  }
}

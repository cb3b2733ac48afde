import type { JournalLog, JournalWriter } from './journal-writer';
import type { JournalStore } from './journal.store';
import type { Lifetime } from './key-tables';
import { moveLegacyExpiries } from './legacy-expiries';
import { isForgotten } from './retention-times';
import type { RunningTime } from './running-time';

const portion = 500;
const walkPortion = 2_000;

/** Removes expired entries from the journal, a portion at a time. */
export class KeyRetention {
  /** The last key visited; null at the start of the table. */
  private cursor: Buffer | null = null;

  constructor(
    private readonly store: JournalStore,
    private readonly writer: JournalWriter,
    private readonly running: RunningTime,
    private readonly responseTtlMs: number,
    private readonly log: JournalLog,
  ) {}

  /**
   * Converts the journal of an earlier version. A full disk does not prevent the start: the next sweep tries again.
   */
  async moveLegacy(): Promise<void> {
    try {
      await moveLegacyExpiries(this.store, this.writer, this.running, this.responseTtlMs);
    } catch (error) {
      this.log.error({ err: error }, 'the journal of an earlier version cannot be converted; trying again later');
    }
  }

  /** Removes one portion of expired entries and visits one portion of the used keys. */
  async sweep(): Promise<void> {
    const nowMs = this.running.nowMs();
    const ended = this.store.keys.endedBefore(nowMs, portion);
    const walked = this.store.keys.walk(this.cursor, walkPortion);
    await this.writer.write((tables) => {
      for (const lifetime of ended) {
        tables.keys.dropLifetime(lifetime);
        if (lifetime.kind === 'ticket') tables.removeClaim(Number(lifetime.id));
        else if (lifetime.kind === 'intent') tables.removeIntent(lifetime.id);
        else this.endResponse(lifetime, nowMs, tables);
      }
      for (const { hash, endedAtRunningMs } of walked) {
        if (isForgotten(endedAtRunningMs, nowMs)) tables.keys.forget(hash);
      }
    });
    this.cursor = walked.length < walkPortion ? null : (walked.at(-1)?.hash ?? null);
  }

  /** The setting may have changed since; its current value applies. */
  private endResponse(
    { id }: Lifetime,
    nowMs: number,
    tables: Parameters<Parameters<JournalStore['write']>[0]>[0],
  ): void {
    const record = this.store.request(id);
    if (record?.settledAtRunningMs === undefined) return;
    const untilMs = record.settledAtRunningMs + this.responseTtlMs;
    if (untilMs > nowMs) tables.keys.keepUntil(untilMs, 'request', id);
    else tables.removeRequest(id);
  }
}

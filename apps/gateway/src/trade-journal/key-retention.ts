import type { JournalWriter } from './journal-writer';
import type { JournalStore } from './journal.store';
import type { Lifetime } from './key-tables';
import { isForgotten } from './retention-times';
import type { RunningTime } from './running-time';

const portion = 500;
const walkPortion = 2_000;

/** Removes from the journal what was kept for its time, a portion at a time. */
export class KeyRetention {
  /** The key that was looked at last; null at the beginning of the table. */
  private cursor: Buffer | null = null;

  constructor(
    private readonly store: JournalStore,
    private readonly writer: JournalWriter,
    private readonly running: RunningTime,
    private readonly responseTtlMs: number,
  ) {}

  /** One portion of what has ended, and one step of the walk over the used keys. */
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

  /** The setting may have changed since: then the response is kept for as long as it says now. */
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

import type { CoreShell } from './core-shell';
import type { JournalLog, JournalWriter } from './journal-writer';
import type { JournalStore } from './journal.store';
import { moveLegacyExpiries } from './legacy-expiries';
import type { RunningTime } from './running-time';

const portion = 500;
const walkPortion = 2_000;

/** Removes expired entries from the journal, a portion at a time. */
export class KeyRetention {
  /** The last key visited; null at the start of the table. */
  private cursor: Buffer | null = null;

  constructor(
    private readonly store: JournalStore,
    private readonly shell: CoreShell,
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

  /** Removes one portion of expired entries and visits one portion of the used keys. @throws when it is not on disk */
  async sweep(): Promise<void> {
    const ended = this.store.keys.endedBefore(this.running.nowMs(), portion).map((lifetime) => {
      const { status, settledAtRunningMs } = (lifetime.kind === 'request' && this.store.request(lifetime.id)) || {};
      const isSettled = status !== undefined && settledAtRunningMs !== undefined;
      return { ...lifetime, settled: isSettled ? { status, runningMs: settledAtRunningMs } : null };
    });
    const walked = this.store.keys.walk(this.cursor, walkPortion);
    const keys = walked.map(({ hash, status, endedAtRunningMs }) => ({
      hash: hash.toString('hex'),
      status,
      endedAtRunningMs,
    }));
    const { error } = await this.shell.run({ type: 'time passed', ended, keys });
    if (error) throw error;
    this.cursor = walked.length < walkPortion ? null : (walked.at(-1)?.hash ?? null);
  }
}

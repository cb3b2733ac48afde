import type { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { JournalReport, JournalTrust } from './journal-trust';
import type { JournalStore } from './journal.store';
import type { CoreShell } from './core-shell';

/** How long the result of a disk probe is reused, for health and readiness. */
const probePeriodMs = 1_000;

/** Whether the journal accepts new risk: it is trusted, and the disk accepts writes. */
export class JournalRoom {
  private probedAtMs = -Infinity;

  constructor(
    private readonly store: JournalStore,
    private readonly trust: JournalTrust,
    private readonly shell: CoreShell,
    private readonly clock: Clock,
  ) {}

  /** Whether the disk has the space that new risk needs, as of the last write or probe. */
  get isWritable(): boolean {
    return this.store.condition.writable;
  }

  /** Whether the journal accepts new risk, without a new probe of disk or account. */
  get isOpen(): boolean {
    return this.trust.isProvenOnRecord && this.isWritable;
  }

  /**
   * Requires space beyond the reserve, which is for closes and cancels only.
   * @throws ApiError journal_unavailable or journal_lost
   */
  async require(): Promise<void> {
    await this.trust.require();
    if (this.isWritable) return;
    await this.probe();
    const { condition } = this.store;
    if (condition.writable) return;
    throw new ApiError('journal_unavailable', 'the trade journal cannot be written: no new trades are accepted', {
      details: { reason: condition.reason },
    });
  }

  /** Probes the disk and writes what could not be written before. Never rejects. */
  async probe(): Promise<void> {
    const wasWritable = this.isWritable;
    const { writable } = await this.store.probe();
    if (writable && !wasWritable) await this.shell.run({ type: 'disk tried' });
  }

  /** The journal's current state; probes the disk, and reads the account while the journal is unproven. */
  async look(): Promise<JournalReport> {
    const nowMs = this.clock.monotonicMs();
    if (!this.isWritable || nowMs - this.probedAtMs >= probePeriodMs) {
      this.probedAtMs = nowMs;
      await this.probe();
    }
    await this.trust.settle();
    return this.trust.report();
  }
}

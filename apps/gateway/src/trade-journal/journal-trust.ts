import type { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { journalFields, RecordOf } from '@libs/records';
import type { JournalMark } from '../audit/audit-record';
import type { AuditEvidence } from './audit-evidence';
import type { JournalLog } from './journal-writer';
import type { JournalStore } from './journal.store';

/** State of the journal, as /health reports it. */
export type JournalReport = Readonly<RecordOf<typeof journalFields>>;

/** Searches the account for traces of an earlier journal. */
export interface AccountTraces {
  /** Describes one trace; null if there is none. @throws ApiError if the account cannot be read, or may not be loaded */
  find(): Promise<string | null>;
}

/** Older intents may be missing from an intact journal, which keeps them for 35 days. */
const intentAgeMs = 30 * 86_400_000;

/**
 * Whether the journal is trusted to contain every request that was sent. A journal created after the loss of another
 * does not: a key of the lost one would be sent twice. New risk is denied until an operator accepts the new journal.
 */
export class JournalTrust {
  private traces: AccountTraces | null = null;
  /** A proof that is sought, or a judgement that applies already and is being written. */
  private judging: Promise<void> | null = null;
  private unprovenReason = 'the account has not been searched yet';

  constructor(
    private readonly store: JournalStore,
    private readonly clock: Clock,
    private readonly log: JournalLog,
  ) {}

  /** Only a trusted journal marks the audit log, so that the marks of a lost one stay the newest. */
  get auditMark(): JournalMark | null {
    return this.store.trust === 'proven' ? this.store.mark : null;
  }

  get isProven(): boolean {
    return this.store.trust === 'proven';
  }

  /** Whether it is proven, and that was written or could not be. */
  get isProvenOnRecord(): boolean {
    return this.isProven && this.judging === null;
  }

  /** Whether a journal was ever lost before it; then the broker's books may show keys that it lacks. */
  get replacesLost(): boolean {
    return this.store.losses.count > 0 || this.store.trust === 'lost';
  }

  get isLost(): boolean {
    return this.store.trust === 'lost';
  }

  /** Sets the search that proves a new journal. */
  proveWith(traces: AccountTraces): void {
    this.traces = traces;
  }

  /** Compares the journal with the audit log; call before this process writes its first line. */
  async compare({ mark, lastIntentAgeMs }: AuditEvidence): Promise<void> {
    const loss = this.contradiction(mark, lastIntentAgeMs);
    // A journal that counts as lost keeps its first reason: that it was restored from a backup explains the rest.
    if (loss !== null && this.store.trust !== 'lost') await this.lose(loss);
    else if (this.store.mark === null) await this.written(this.store.judge(this.store.trust, this.store.loss));
  }

  /** Whether a line of the audit log shows that no commit of this journal is missing. @param mark that of the newest line with one */
  isConfirmedBy(mark: JournalMark | null): boolean {
    return mark !== null && !this.isLost && this.contradiction(mark, null) === null;
  }

  /** If the journal is new, searches the account for traces of a lost one. Never rejects. */
  async settle(): Promise<void> {
    await this.prove().catch(() => undefined);
  }

  /** @throws ApiError journal_lost, or the error that prevented the proof that the journal is new; nothing was sent */
  async require(): Promise<void> {
    await this.prove();
    this.refuseLost();
  }

  /** @throws ApiError journal_lost */
  refuseLost(): void {
    const { lostRefusal } = this;
    if (lostRefusal) throw lostRefusal;
  }

  /** The error `journal_lost` while the journal counts as lost; null otherwise. */
  get lostRefusal(): ApiError | null {
    if (this.store.trust !== 'lost') return null;
    return new ApiError('journal_lost', `the trade journal was lost: ${this.store.loss ?? 'unknown'}`, {
      details: { guidance, journal_id: this.store.id },
    });
  }

  /** Accepts the journal for an operator. @throws ApiError journal_unavailable if that cannot be written */
  async accept(): Promise<void> {
    const accepted = this.store.judge('proven', null);
    this.judging = this.written(accepted).finally(() => (this.judging = null));
    try {
      await accepted;
    } catch (cause) {
      throw new ApiError('journal_unavailable', 'the trade journal cannot be written: it is not accepted', { cause });
    }
  }

  report(): JournalReport {
    const { mark, id, trust, loss, condition } = this.store;
    const known = { id: mark === null && trust === 'proven' ? null : id, sequence: mark?.sequence ?? 0 };
    if (trust === 'lost') return { ...known, state: 'lost', reason: loss };
    if (!condition.writable) return { ...known, state: 'unavailable', reason: condition.reason };
    if (trust === 'unproven') return { ...known, state: 'unproven', reason: this.unprovenReason };
    return { ...known, state: 'ok', reason: null };
  }

  private contradiction(mark: JournalMark | null, lastIntentAgeMs: number | null): string | null {
    const { id, mark: own, trust } = this.store;
    if (mark === null) {
      const isMissing = trust === 'unproven' && lastIntentAgeMs !== null && lastIntentAgeMs < intentAgeMs;
      return isMissing ? 'the audit log has intents that the journal lacks' : null;
    }
    if (mark.id !== id) return 'the audit log belongs to another journal';
    const sequence = own?.sequence ?? 0;
    return mark.sequence > sequence
      ? `the audit log records commit ${mark.sequence} of it, but its last commit is ${sequence}`
      : null;
  }

  private prove(): Promise<void> {
    if (this.judging) return this.judging;
    if (this.store.trust !== 'unproven') return Promise.resolve();
    return (this.judging = this.askAccount().finally(() => (this.judging = null)));
  }

  private async askAccount(): Promise<void> {
    if (!this.traces) throw new Error('no search is set that proves a new journal');
    const trace = await this.traces.find().catch((error: unknown) => {
      if (error instanceof ApiError) this.unprovenReason = error.message;
      throw error;
    });
    // An operator may have accepted it meanwhile.
    if (this.isProven) return;
    if (trace !== null) return this.lose(`it is empty, and the account has ${trace}`);
    await this.written(this.store.judge('proven', null));
  }

  private async lose(reason: string): Promise<void> {
    this.log.error({ reason, journal_id: this.store.id }, 'the trade journal was lost; new risk is refused');
    await this.written(this.store.lose(reason, this.clock.nowMs()));
  }

  /** The result applies in this process even if it cannot be written; the next start finds it again. */
  private async written(judgement: Promise<void>): Promise<void> {
    try {
      await judgement;
    } catch (error) {
      this.log.error({ err: error }, 'the trade journal cannot be written');
    }
  }
}

const guidance =
  'Reads, closes and cancels are allowed. Restore the journal, or compare GET /reconcile with what your clients ' +
  'sent and accept the journal with POST /journal/accept.';

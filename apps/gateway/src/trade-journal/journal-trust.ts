import { ApiError } from '@libs/envelope';
import type { JournalMark, MarkedJournal } from '../audit/journal-mark';
import type { AuditEvidence } from './audit-evidence';
import type { JournalLog } from './journal-writer';
import type { JournalStore, Trust } from './journal.store';

/** How the journal stands, as /health reports it. */
export interface JournalReport {
  /** Null while the id is not on disk. */
  readonly id: string | null;
  readonly state: 'ok' | 'unproven' | 'unavailable' | 'lost';
  /** Why it is not ok; null when it is. */
  readonly reason: string | null;
  /** Sequence number of its last durable commit. */
  readonly sequence: number;
}

/** Looks for what an earlier journal left in the account. */
export interface AccountTraces {
  /** Describes one trace; null when there is none. @throws ApiError when the account could not be read */
  find(): Promise<string | null>;
}

/** Intents older than this may be gone from a sound journal: it keeps them for 35 days. */
const intentAgeMs = 30 * 86_400_000;

/**
 * Whether the journal may be trusted to know every request that was sent. One that was lost and made anew does not: under a
 * key that it has forgotten, an order would be sent twice. New risk waits until an operator accepts it.
 */
export class JournalTrust implements MarkedJournal {
  private traces: AccountTraces | null = null;
  private proving: Promise<void> | null = null;

  constructor(
    private readonly store: JournalStore,
    private readonly log: JournalLog,
  ) {}

  /** Only a journal that can be trusted marks the audit log, so that the marks of a lost one stay the newest. */
  get auditMark(): JournalMark | null {
    return this.store.trust === 'proven' ? this.store.mark : null;
  }

  get isProven(): boolean {
    return this.store.trust === 'proven';
  }

  get isLost(): boolean {
    return this.store.trust === 'lost';
  }

  /** What an unproven journal is proven by. */
  proveWith(traces: AccountTraces): void {
    this.traces = traces;
  }

  /** Holds the journal against the audit log that was written beside it; before the first line of this process. */
  async compare({ mark, lastIntentMs }: AuditEvidence, nowMs: number): Promise<void> {
    const loss = this.contradiction(mark, lastIntentMs, nowMs);
    if (loss !== null) await this.lose(loss);
    else if (this.store.mark === null) await this.remember(this.store.trust, this.store.loss);
  }

  /** Asks the account when the journal is new, so that a lost one is not taken for it. Never rejects. */
  async settle(): Promise<void> {
    await this.prove().catch(() => undefined);
  }

  /** @throws ApiError journal_lost, or what prevented the proof that the journal is new; nothing was sent */
  async require(): Promise<void> {
    await this.prove();
    this.refuseLost();
  }

  /** @throws ApiError journal_lost */
  refuseLost(): void {
    if (this.store.trust !== 'lost') return;
    throw new ApiError('journal_lost', `the trade journal was lost: ${this.store.loss ?? 'unknown'}`, {
      details: { guidance, journal_id: this.store.id },
    });
  }

  /** An operator accepts the journal as it is. @throws ApiError journal_unavailable when that cannot be written */
  async accept(): Promise<void> {
    try {
      await this.store.judge('proven', null);
    } catch (cause) {
      throw new ApiError('journal_unavailable', 'the trade journal cannot be written: it stays refused', { cause });
    }
  }

  report(): JournalReport {
    const { mark, id, trust, loss, condition } = this.store;
    const known = { id: mark === null && trust === 'proven' ? null : id, sequence: mark?.sequence ?? 0 };
    if (trust === 'lost') return { ...known, state: 'lost', reason: loss };
    if (!condition.writable) return { ...known, state: 'unavailable', reason: condition.reason };
    if (trust === 'unproven') return { ...known, state: 'unproven', reason: 'the account was not asked yet' };
    return { ...known, state: 'ok', reason: null };
  }

  private contradiction(mark: JournalMark | null, lastIntentMs: number | null, nowMs: number): string | null {
    const { id, mark: own, trust } = this.store;
    if (mark === null) {
      const isMissing = trust === 'unproven' && lastIntentMs !== null && lastIntentMs > nowMs - intentAgeMs;
      return isMissing ? 'the audit log has intents that the journal does not know' : null;
    }
    if (mark.id !== id) return 'the audit log was written beside another journal';
    const sequence = own?.sequence ?? 0;
    return mark.sequence > sequence
      ? `the audit log was written beside commit ${mark.sequence} of it, and it has ${sequence}`
      : null;
  }

  private prove(): Promise<void> {
    if (this.proving) return this.proving;
    if (this.store.trust !== 'unproven') return Promise.resolve();
    return (this.proving = this.askAccount().finally(() => (this.proving = null)));
  }

  private async askAccount(): Promise<void> {
    if (!this.traces) throw new Error('nothing was set that a new journal is proven by');
    const trace = await this.traces.find();
    if (trace !== null) return this.lose(`it is empty, and the account has ${trace}`);
    await this.remember('proven', null);
  }

  private async lose(reason: string): Promise<void> {
    this.log.error({ reason, journal_id: this.store.id }, 'the trade journal was lost; new risk is refused');
    await this.remember('lost', reason);
  }

  /** What is found holds in this process even when it cannot be written; the next start finds it again. */
  private async remember(trust: Trust, reason: string | null): Promise<void> {
    try {
      await this.store.judge(trust, reason);
    } catch (error) {
      this.log.error({ err: error }, 'the trade journal cannot be written');
    }
  }
}

const guidance =
  'Reads, closes and cancels pass. Restore the journal, or compare GET /reconcile with what your clients sent and accept ' +
  'the empty journal with POST /journal/accept.';

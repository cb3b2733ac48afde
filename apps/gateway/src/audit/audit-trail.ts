import { AccountTradeMode, type AccountInfo } from '@libs/terminal-client';
import type { AuditEvent } from './audit-event';
import type { AuditLog } from './audit-log';
import type { AuditRecords, JournalMark, StampedEvent } from './audit-record';

export interface AuditTrailLog {
  error(facts: object, message: string): void;
}

const modeNames = new Map<number, string>([
  [AccountTradeMode.DEMO, 'demo'],
  [AccountTradeMode.CONTEST, 'contest'],
  [AccountTradeMode.REAL, 'real'],
]);

/** Records without a line, while the log cannot be written: beyond that, only requests that are sent are recorded. */
const mostBehind = 10_000;

/** A journal whose records become the lines of the audit log. */
export interface AuditedJournal {
  /** Of the next line; null while the journal may be incomplete. */
  readonly auditMark: JournalMark | null;
  readonly auditRecords: AuditRecords;
  /** Whether it takes records of what no request waits for; its reserve is for exits. */
  readonly takesRecords: boolean;
  /** Writes a record; resolves once it is on disk. */
  append(stamped: StampedEvent): Promise<void>;
}

/**
 * Writes audit lines that carry the traded account and the journal's mark. A line is that of a record in the journal. Only what
 * the journal cannot take is written to the log itself.
 */
export class AuditTrail {
  private account: Pick<AccountInfo, 'login' | 'trade_mode'> | null = null;
  private journal: AuditedJournal | null = null;

  constructor(
    private readonly file: AuditLog,
    private readonly log: AuditTrailLog,
  ) {}

  /** Sets the traded account for the lines that follow. */
  connected(account: AccountInfo): void {
    this.account = { login: account.login, trade_mode: account.trade_mode };
  }

  /** From now on, events are recorded in this journal, and carry its mark. Its records become the lines of the log. */
  recordIn(journal: AuditedJournal): void {
    this.journal = journal;
    this.file.follow(journal.auditRecords);
  }

  /** Writes the lines of all records, and flushes them. From then on the journal takes no record. */
  async end(): Promise<void> {
    await this.file.flushed();
    this.file.unfollow();
  }

  /** An event as it is recorded: with the time, the account and the journal's mark. */
  stamped(event: AuditEvent): StampedEvent {
    return this.file.stamped(this.marked(event));
  }

  /** Whether lines could be written when that was last tried. */
  get isAvailable(): boolean {
    return this.file.status.state === 'ok';
  }

  /** Requires that lines can be written now. @throws Error if they cannot */
  async require(): Promise<void> {
    if (!(await this.file.caughtUp())) throw new Error(this.file.status.error ?? 'it cannot be written');
  }

  /**
   * Records one event of which a line is required.
   * @throws Error if the audit log cannot be written
   */
  async record(event: AuditEvent): Promise<void> {
    // Before the record: an event that is refused here leaves no line.
    await this.require();
    const stamped = this.stamped(event);
    if (await this.isRecorded(stamped)) await this.file.caughtUp();
    else await this.file.append(stamped.event);
  }

  /**
   * As {@link record}, for events that a failing disk must not prevent: writes the event to the process log at once,
   * and to the audit log as soon as that can be written.
   * @returns whether the log has the line
   */
  async note(event: AuditEvent): Promise<boolean> {
    const stamped = this.stamped(event);
    return (await this.isRecorded(stamped)) ? this.written() : this.keep(stamped);
  }

  /** Writes the lines of what the journal has recorded. @returns whether the log has them */
  async written(): Promise<boolean> {
    const isWritten = await this.file.caughtUp();
    const { behind, status } = this.file;
    if (!isWritten) this.log.error({ error: status.error, lines: behind }, 'the audit log cannot be written');
    return isWritten;
  }

  /** Writes an event that the journal could not take to the log itself, now or as soon as possible. @returns whether it is on disk */
  async keep(stamped: StampedEvent): Promise<boolean> {
    const isWritten = await this.file.keep(stamped.event);
    const { error } = this.file.status;
    if (!isWritten) this.log.error({ error, audit: stamped.event }, 'the audit log cannot be written');
    return isWritten;
  }

  /** Number of the last line on disk. */
  get lastSequence(): number {
    return this.file.lastSequence;
  }

  /** The journal's record of the last line on disk. */
  get flushedRecord(): number {
    return this.file.flushedRecord;
  }

  private async isRecorded(stamped: StampedEvent): Promise<boolean> {
    const { journal } = this;
    if (!journal?.takesRecords || this.file.behind > mostBehind) return false;
    try {
      await journal.append(stamped);
      return true;
    } catch {
      return false;
    }
  }

  private marked(event: AuditEvent): AuditEvent {
    const mark = this.journal?.auditMark ?? null;
    const { account } = this;
    const isOfOther = account !== null && event.login !== undefined && event.login !== account.login;
    return {
      journal_id: mark?.id ?? null,
      journal_sequence: mark?.sequence ?? null,
      login: account?.login ?? null,
      account_mode: account && !isOfOther ? (modeNames.get(account.trade_mode) ?? null) : null,
      ...event,
    };
  }
}

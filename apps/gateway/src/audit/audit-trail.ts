import { AccountTradeMode, type AccountInfo } from '@libs/terminal-client';
import type { AuditEvent } from './audit-event';
import type { AuditLog } from './audit-log';
import type { MarkedJournal } from './journal-mark';

export interface AuditTrailLog {
  error(facts: object, message: string): void;
}

const modeNames = new Map<number, string>([
  [AccountTradeMode.DEMO, 'demo'],
  [AccountTradeMode.CONTEST, 'contest'],
  [AccountTradeMode.REAL, 'real'],
]);

/** The audit log with the account that is traded on every line. */
export class AuditTrail {
  private account: Pick<AccountInfo, 'login' | 'trade_mode'> | null = null;
  private journal: MarkedJournal | null = null;

  constructor(
    private readonly file: AuditLog,
    private readonly log: AuditTrailLog,
  ) {}

  /** From now on this account is traded. */
  connected(account: AccountInfo): void {
    this.account = { login: account.login, trade_mode: account.trade_mode };
  }

  /** From now on every line carries the mark of this journal. */
  markWith(journal: MarkedJournal): void {
    this.journal = journal;
  }

  /** Writes one event; resolves when it is on disk, rejects when it could not be written. */
  async record(event: AuditEvent): Promise<void> {
    await this.file.append(this.marked(event));
  }

  /**
   * As {@link record}, where a failing disk must not change what happens: the event goes to the process log, and to the
   * audit log as soon as that can be written.
   * @returns whether the line is on disk
   */
  async note(event: AuditEvent): Promise<boolean> {
    const isWritten = await this.file.keep(this.marked(event));
    if (!isWritten) this.log.error({ error: this.file.status.error, audit: event }, 'the audit log cannot be written');
    return isWritten;
  }

  private marked(event: AuditEvent): AuditEvent {
    const mark = this.journal?.auditMark ?? null;
    return {
      journal_id: mark?.id ?? null,
      journal_sequence: mark?.sequence ?? null,
      login: this.account?.login ?? null,
      account_mode: this.account ? (modeNames.get(this.account.trade_mode) ?? null) : null,
      ...event,
    };
  }
}

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

/** Writes audit lines that carry the traded account and the journal's mark. */
export class AuditTrail {
  private account: Pick<AccountInfo, 'login' | 'trade_mode'> | null = null;
  private journal: MarkedJournal | null = null;

  constructor(
    private readonly file: AuditLog,
    private readonly log: AuditTrailLog,
  ) {}

  /** Sets the traded account for the lines that follow. */
  connected(account: AccountInfo): void {
    this.account = { login: account.login, trade_mode: account.trade_mode };
  }

  /** Sets the journal whose mark the following lines carry. */
  markWith(journal: MarkedJournal): void {
    this.journal = journal;
  }

  /** Writes one event; resolves once it is on disk, rejects if it could not be written. */
  async record(event: AuditEvent): Promise<void> {
    await this.file.append(this.marked(event));
  }

  /**
   * As {@link record}, for events that a failing disk must not prevent: writes the event to the process log at once,
   * and to the audit log as soon as that can be written.
   * @returns whether the line is on disk
   */
  async note(event: AuditEvent): Promise<boolean> {
    const isWritten = await this.file.keep(this.marked(event));
    if (!isWritten) this.log.error({ error: this.file.status.error, audit: event }, 'the audit log cannot be written');
    return isWritten;
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

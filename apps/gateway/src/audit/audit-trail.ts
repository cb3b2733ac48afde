import { AccountTradeMode, type AccountInfo } from '@libs/terminal-client';
import type { AuditEvent } from './audit-event';
import type { AuditLog } from './audit-log';

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

  constructor(
    private readonly file: AuditLog,
    private readonly log: AuditTrailLog,
  ) {}

  /** From now on this account is traded. */
  connected(account: AccountInfo): void {
    this.account = { login: account.login, trade_mode: account.trade_mode };
  }

  /** Writes one event; resolves when it is on disk, rejects when it could not be written. */
  async record(event: AuditEvent): Promise<void> {
    await this.file.append(this.ofAccount(event));
  }

  /**
   * As {@link record}, where a failing disk must not change what happens: the event goes to the process log, and to the
   * audit log as soon as that can be written.
   * @returns whether the line is on disk
   */
  async note(event: AuditEvent): Promise<boolean> {
    const isWritten = await this.file.keep(this.ofAccount(event));
    if (!isWritten) this.log.error({ error: this.file.status.error, audit: event }, 'the audit log cannot be written');
    return isWritten;
  }

  private ofAccount(event: AuditEvent): AuditEvent {
    return {
      login: this.account?.login ?? null,
      account_mode: this.account ? (modeNames.get(this.account.trade_mode) ?? null) : null,
      ...event,
    };
  }
}

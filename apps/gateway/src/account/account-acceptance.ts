import { Injectable, Logger } from '@nestjs/common';
import { ApiError, validationError } from '@libs/envelope';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { evidenceReport } from '../account-evidence/evidence-report';
import { AuditTrail } from '../audit/audit-trail';
import type { Caller } from '../audit/caller';
import { parseInstant } from '../server-time/utc-instant';
import { TradeWatcher } from '../streams/trade-watcher';
import { TerminalAccess } from '../terminal/terminal-access';
import type { AccountAcceptedResponse } from './account.response';

/** Accepts the account as the terminal shows it, on the operator's decision. */
@Injectable()
export class AccountAcceptance {
  private readonly logger = new Logger('account');

  constructor(
    private readonly evidence: AccountEvidence,
    private readonly watcher: TradeWatcher,
    private readonly terminal: TerminalAccess,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param since start of the state that the operator has seen
   * @throws ApiError validation_error if the state is another one; terminal_unavailable or reconnect_cooldown without a session;
   *   journal_unavailable if the audit log cannot be written
   */
  async accept(caller: Caller, since: string | number): Promise<AccountAcceptedResponse> {
    await this.terminal.connected();
    const before = evidenceReport(this.evidence.status);
    if (before.state !== 'unexplained') {
      const found = before.state === 'explained' ? 'is explained' : 'was not read yet in this session';
      return { ok: true, message: `the account ${found}: nothing to accept`, account_evidence: before };
    }
    if (parseInstant(since) !== parseInstant(before.since)) {
      throw validationError({ field: 'since', problem: `must be the start of the state, ${before.since}` });
    }
    await this.record(caller, before.unexplained.map(({ message }) => message).join('; '));
    await this.watcher.accept();
    this.logger.warn({ ...caller, unexplained: before.unexplained }, 'an operator accepted the account as it is shown');
    const message = 'the account is accepted as the terminal shows it';
    return { ok: true, message, account_evidence: evidenceReport(this.evidence.status) };
  }

  /** An acceptance without a record would hide that something of the account was never explained. */
  private async record(caller: Caller, reason: string): Promise<void> {
    try {
      const facts = { login: this.terminal.login, route: 'POST /account/accept', comment: reason };
      await this.audit.record({ event: 'account_accepted', ...caller, ...facts });
    } catch (cause) {
      throw new ApiError('journal_unavailable', 'the audit log cannot be written: the account is not accepted', {
        cause,
      });
    }
  }
}

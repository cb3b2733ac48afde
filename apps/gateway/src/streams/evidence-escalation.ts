import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { PeriodicWork } from '../schedule/periodic-work';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TradeJournal } from '../trade-journal/trade-journal';

const periodMs = 1_000;
/** How long the account may stay unexplained before each new session with the terminal; the last one repeats. */
const renewAfterMs = [10_000, 60_000, 300_000] as const;

/**
 * What is done about an account that stays unexplained: a new session with the terminal, and after that an operator. Some terminals
 * show a wrong list until a new session begins.
 */
@Injectable()
export class EvidenceEscalation implements OnModuleInit {
  private readonly logger = new Logger('account');
  /** Monotonic milliseconds; null while the account is explained. */
  private sinceMs: number | null = null;
  private renewals = 0;

  constructor(
    private readonly evidence: AccountEvidence,
    private readonly session: TerminalSession,
    private readonly journal: TradeJournal,
    private readonly periodic: PeriodicWork,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.evidence.onChange(({ state, unexplained }) => {
      if (state === 'unexplained') this.logger.warn(`the account is not explained: ${unexplained[0]?.message ?? ''}`);
      if (state === 'explained' && this.sinceMs !== null) this.logger.log('the account is explained again');
    });
    this.periodic.start('account-evidence', periodMs, () => this.step());
  }

  private async step(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (this.evidence.isExplained) {
      this.sinceMs = null;
      this.renewals = 0;
      return;
    }
    if (this.evidence.status.state !== 'unexplained') return;
    this.sinceMs ??= nowMs;
    const dueMs = renewAfterMs[this.renewals] ?? renewAfterMs[2] * (this.renewals - 1);
    if (nowMs - this.sinceMs < dueMs || !this.mayRenew()) return;
    this.renewals += 1;
    if (this.renewals > 1) {
      this.logger.error('the account stays unexplained: compare it with the broker, then POST /account/accept');
    }
    await this.session.renew();
  }

  /** A new session would lose the answer to a send that is under way, and at first also to one that is only late. */
  private mayRenew(): boolean {
    if (this.journal.running().length > 0) return false;
    return this.renewals > 0 || this.journal.unresolved().length === 0;
  }
}

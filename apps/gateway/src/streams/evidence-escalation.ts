import { Inject, Injectable, Logger, Optional, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { PeriodicWork } from '../schedule/periodic-work';
import { TerminalHost } from '../terminal-host/terminal-host';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TradeJournal } from '../trade-journal/trade-journal';
import { nextStep } from './evidence-steps';

const periodMs = 1_000;

/**
 * What is done about an account that stays unexplained: a new session with the terminal, its restart if that is allowed, and after that
 * an operator. Some terminals
 * show a wrong list until a new session begins.
 */
@Injectable()
export class EvidenceEscalation implements OnModuleInit {
  private readonly logger = new Logger('account');
  /** Monotonic milliseconds; null while the account is explained. */
  private sinceMs: number | null = null;
  /** Steps that were taken. */
  private steps = 0;
  /** When the last one was, monotonic milliseconds. */
  private steppedMs = -Infinity;

  constructor(
    private readonly evidence: AccountEvidence,
    private readonly session: TerminalSession,
    private readonly journal: TradeJournal,
    private readonly periodic: PeriodicWork,
    private readonly clock: Clock,
    @Inject(GATEWAY_SETTINGS) private readonly settings: Pick<GatewaySettings, 'TERMINAL_RESTART_UNEXPLAINED'>,
    @Optional() @Inject(TerminalHost) private readonly host: TerminalHost | undefined,
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
      this.steps = 0;
      return;
    }
    if (this.evidence.status.state !== 'unexplained') return;
    this.sinceMs ??= nowMs;
    const { next, afterMs, restMs, text } = nextStep(this.steps, this.mayRestart);
    this.evidence.expect(text);
    if (nowMs - this.sinceMs < afterMs || nowMs - this.steppedMs < restMs || !this.mayRenew()) return;
    if (next === 'restart' && this.host) {
      if (!this.host.mayRestart) return;
      this.took(nowMs);
      this.logger.error('the account stays unexplained: the terminal is restarted');
      return this.host.restart();
    }
    this.took(nowMs);
    if (this.steps > 1) {
      this.logger.error('the account stays unexplained: compare it with the broker, then POST /account/accept');
    }
    await this.session.renew();
  }

  private took(nowMs: number): void {
    this.steps += 1;
    this.steppedMs = nowMs;
  }

  private get mayRestart(): boolean {
    return this.settings.TERMINAL_RESTART_UNEXPLAINED && this.host !== undefined;
  }

  /** A new session would lose the answer to a send that is under way, and at first also to one that is only late. */
  private mayRenew(): boolean {
    if (this.journal.running().length > 0) return false;
    return this.steps > 0 || this.journal.unresolved().length === 0;
  }
}

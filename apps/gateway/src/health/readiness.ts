import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import { obstacleText } from '@libs/order-drafts';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { haltedText } from '../kill-switch/halted-error';
import { TerminalSession } from '../terminal-session/terminal-session';
import { Stopping } from '../stopping/stopping';
import { SafetyFiles, type SafetyFilesReport } from './safety-files';
import { TradeJournal } from '../trade-journal/trade-journal';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly killSwitchActive: boolean;
  /** By name: `up`, `down` with the reason, or `unknown` if it cannot be judged without a session. */
  readonly checks: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>;
}

/**
 * Ready means: connected, orders permitted by terminal and account, the account explained, the kill switch inactive and able to be engaged, the audit log writable, the journal able to
 * accept an order, and no shutdown in progress.
 */
@Injectable()
export class Readiness {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly files: SafetyFiles,
    private readonly session: TerminalSession,
    private readonly journal: TradeJournal,
    private readonly evidence: AccountEvidence,
    private readonly stopping: Stopping,
  ) {}

  async report(): Promise<ReadinessReport> {
    const files = await this.files.report();
    const result = await this.check(files);
    const checks = { ...result.details, ...this.unjudged(result.details) };
    return { ready: result.status === 'ok', killSwitchActive: files.kill_switch_active, checks };
  }

  /** Terminus reports a failed check by an exception with the same result. */
  private async check(files: SafetyFilesReport): Promise<HealthCheckResult> {
    try {
      return await this.health.check([
        async () => this.verdict('terminal', await this.disconnection()),
        () => this.verdict('trading', this.tradingProblem()),
        async () => this.verdict('account', await this.doubt()),
        () => this.verdict('kill_switch', files.kill_switch_active ? haltedText : null),
        () => this.verdict('kill_switch_file', problemOf(files.kill_switch_file)),
        () => this.verdict('audit', problemOf(files.audit)),
        async () => this.verdict('journal', await this.journalProblem()),
        () => this.verdict('process', this.stopping.isUnderWay ? 'the gateway is shutting down' : null),
      ]);
    } catch (error) {
      const result = healthResultOf(error);
      if (result === null) throw error;
      return result;
    }
  }

  /** Uses the session as a request does, so that a quiet gateway also notices a terminal without its broker. */
  private async disconnection(): Promise<string | null> {
    try {
      await this.session.requireConnected();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Why the terminal or the account takes no orders. */
  private tradingProblem(): string | null {
    if (!this.session.isConnected) return needsSession;
    const { tradingObstacle: obstacle } = this.session;
    return obstacle === null ? null : obstacleText(obstacle);
  }

  private async doubt(): Promise<string | null> {
    if (!this.session.isConnected) return needsSession;
    await this.evidence.read();
    return this.evidence.isExplained
      ? null
      : (this.evidence.error?.lastError.message ?? 'the account was not read yet');
  }

  private async journalProblem(): Promise<string | null> {
    const { state, reason } = await this.journal.room.look();
    if (state === 'ok') return null;
    if (state === 'unproven' && !this.session.isConnected) return needsSession;
    return reason ?? state;
  }

  private verdict(name: string, problem: string | null) {
    const check = this.indicator.check(name);
    return problem === null ? check.up() : check.down({ reason: problem });
  }

  /** What cannot be judged without a session is not shown as failed: only the terminal is. */
  private unjudged(checks: HealthCheckResult['details']): Record<string, { status: 'unknown'; reason: string }> {
    const names = Object.keys(checks).filter((name) => checks[name]?.['reason'] === needsSession);
    return Object.fromEntries(names.map((name) => [name, { status: 'unknown', reason: needsSession }]));
  }
}

const needsSession = 'not compared yet: this needs a session with the terminal';

function problemOf({ state, error }: { readonly state: string; readonly error: string | null }): string | null {
  return state === 'ok' ? null : (error ?? state);
}

function healthResultOf(error: unknown): HealthCheckResult | null {
  return error instanceof ServiceUnavailableException ? (error.getResponse() as HealthCheckResult) : null;
}

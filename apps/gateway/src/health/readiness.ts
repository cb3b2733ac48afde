import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { TerminalSession } from '../terminal-session/terminal-session';
import { Stopping } from '../stopping/stopping';
import { SafetyFiles, type SafetyFilesReport } from './safety-files';
import { TradeJournal } from '../trade-journal/trade-journal';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly killSwitchActive: boolean;
  readonly checks: HealthCheckResult['details'];
}

/**
 * Ready means: connected, the account explained, the kill switch inactive and able to be engaged, the audit log writable, the journal able to
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
    return { ready: result.status === 'ok', killSwitchActive: files.kill_switch_active, checks: result.details };
  }

  /** Terminus reports a failed check by an exception with the same result. */
  private async check(files: SafetyFilesReport): Promise<HealthCheckResult> {
    try {
      return await this.health.check([
        async () => this.verdict('terminal', await this.isConnected()),
        async () => this.verdict('account', await this.isExplained()),
        () => this.verdict('kill_switch', !files.kill_switch_active),
        () => this.verdict('kill_switch_file', files.kill_switch_file.state === 'ok'),
        () => this.verdict('audit', files.audit.state === 'ok'),
        async () => this.verdict('journal', (await this.journal.look()).state === 'ok'),
        () => this.verdict('process', !this.stopping.isUnderWay),
      ]);
    } catch (error) {
      const result = healthResultOf(error);
      if (result === null) throw error;
      return result;
    }
  }

  /** Uses the session as a request does, so that a quiet gateway also notices a terminal without its broker. */
  private async isConnected(): Promise<boolean> {
    try {
      await this.session.requireConnected();
      return true;
    } catch {
      return false;
    }
  }

  private async isExplained(): Promise<boolean> {
    if (!this.session.isConnected) return false;
    await this.evidence.read();
    return this.evidence.isExplained;
  }

  private verdict(name: string, isUp: boolean) {
    const check = this.indicator.check(name);
    return isUp ? check.up() : check.down();
  }
}

function healthResultOf(error: unknown): HealthCheckResult | null {
  return error instanceof ServiceUnavailableException ? (error.getResponse() as HealthCheckResult) : null;
}

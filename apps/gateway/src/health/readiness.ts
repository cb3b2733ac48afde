import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import { KillSwitch } from '../kill-switch/kill-switch';
import { TerminalSession } from '../terminal-session/terminal-session';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly killSwitchActive: boolean;
  readonly checks: HealthCheckResult['details'];
}

/**
 * Ready means: connected, the kill switch inactive and able to be engaged, and not about to shut down (spec: Readiness).
 */
@Injectable()
export class Readiness {
  private draining = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly killSwitch: KillSwitch,
    private readonly session: TerminalSession,
  ) {}

  /** From now on not ready, so that no new traffic is sent here while the sockets are still open. */
  drain(): void {
    this.draining = true;
  }

  async report(): Promise<ReadinessReport> {
    const killSwitchActive = await this.killSwitch.isActive();
    const result = await this.check(killSwitchActive);
    return { ready: result.status === 'ok', killSwitchActive, checks: result.details };
  }

  /** Terminus reports what is down by an exception that carries the same result. */
  private async check(killSwitchActive: boolean): Promise<HealthCheckResult> {
    try {
      return await this.health.check([
        async () => this.verdict('terminal', await this.isConnected()),
        () => this.verdict('kill_switch', !killSwitchActive),
        () => this.verdict('kill_switch_file', this.killSwitch.status.state === 'ok'),
        () => this.verdict('process', !this.draining),
      ]);
    } catch (error) {
      const result = healthResultOf(error);
      if (result === null) throw error;
      return result;
    }
  }

  /** Asks the session as a request would, so that a quiet gateway notices a terminal that lost its broker, too. */
  private async isConnected(): Promise<boolean> {
    try {
      await this.session.requireConnected();
      return true;
    } catch {
      return false;
    }
  }

  private verdict(name: string, isUp: boolean) {
    const check = this.indicator.check(name);
    return isUp ? check.up() : check.down();
  }
}

function healthResultOf(error: unknown): HealthCheckResult | null {
  return error instanceof ServiceUnavailableException ? (error.getResponse() as HealthCheckResult) : null;
}

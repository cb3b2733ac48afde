import { Inject, Injectable, Optional } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { single } from '@libs/envelope';
import { obstacleText } from '@libs/order-drafts';
import { version } from '../../../../package.json';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { evidenceReport } from '../account-evidence/evidence-report';
import { terminalStatus } from '../account-evidence/terminal-status';
import type { KeyRole } from '../audit/caller';
import { EntryLimitsReport } from '../entry-limits/entry-limits-report';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { OpenDifferences } from '../reconciliation/open-differences';
import { ServerTime } from '../server-time/server-time';
import { missingSettings } from '../terminal/session-settings';
import { TerminalHost } from '../terminal-host/terminal-host';
import { NOTIFIER, type Notifier } from '../notifier/notifier';
import { SIGNALS, type Signals } from '../signals/signals';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { HealthResponse } from './health.response';
import { SafetyFiles } from './safety-files';

/** Collects the state of all parts of the gateway for GET /health. */
@Injectable()
export class HealthReport {
  private readonly startedMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly session: TerminalSession,
    private readonly files: SafetyFiles,
    private readonly serverTime: ServerTime,
    private readonly entryLimits: EntryLimitsReport,
    private readonly journal: TradeJournal,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
    @Optional() @Inject(TerminalHost) private readonly host: TerminalHost | undefined,
    @Inject(NOTIFIER) private readonly notifier: Notifier | null,
    private readonly evidence: AccountEvidence,
    private readonly differences: OpenDifferences,
    @Inject(SIGNALS) private readonly signals: Signals | null,
  ) {
    this.startedMs = clock.monotonicMs();
  }

  private tradingProblem(): string | null {
    const { tradingObstacle: obstacle } = this.session;
    return obstacle === null ? null : obstacleText(obstacle);
  }

  /** @param keyRole role of the key that asks */
  async build(keyRole: KeyRole | null): Promise<HealthResponse> {
    const session = this.session.status();
    const journal = await this.journal.room.look();
    const files = await this.files.report();
    const isHealthy =
      session.state === 'connected' &&
      this.session.tradingObstacle === null &&
      this.evidence.isExplained &&
      !files.kill_switch_active &&
      files.kill_switch_file.state === 'ok' &&
      files.audit.state === 'ok' &&
      journal.state === 'ok' &&
      Boolean(this.settings.API_KEY);
    return single({
      status: isHealthy ? ('healthy' as const) : ('degraded' as const),
      terminal_status: terminalStatus(session.state, this.evidence),
      account: session.account,
      api_key: keyRole === 'readonly' ? ('read_only' as const) : ('full' as const),
      uptime_seconds: Math.floor((this.clock.monotonicMs() - this.startedMs) / 1_000),
      ...files,
      version,
      missing_settings: missingSettings(this.settings),
      last_error: session.lastError,
      connection: {
        driver: session.driver,
        since: session.since,
        attempts: session.attempts,
        cooldown_remaining_seconds: session.cooldownRemainingSeconds,
        verified_age_seconds: session.verifiedAgeSeconds,
        login_refusals: session.loginRefusals,
        problem: session.problem ?? this.tradingProblem(),
        terminal_build: session.terminalBuild,
      },
      account_facts: session.accountFacts,
      account_evidence: evidenceReport(this.evidence.status),
      differences: this.differences.rows,
      server_time: this.serverTime.report(),
      limits: await this.entryLimits.rows(),
      journal,
      terminal_host: this.host?.status() ?? null,
      notifications: this.notifier?.reports() ?? [],
      signals: this.signals?.reports() ?? [],
    });
  }
}

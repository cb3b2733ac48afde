import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Clock } from '@libs/clock';
import { ApiError, single } from '@libs/envelope';
import { version } from '../../../../package.json';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { LocalEndpoint, PublicEndpoint } from '../http/endpoint.decorators';
import { KillSwitch } from '../kill-switch/kill-switch';
import { ServerTime } from '../server-time/server-time';
import { TerminalSession } from '../terminal-session/terminal-session';
import { HealthResponse, LivenessResponse, ReadinessResponse } from './health.response';
import { Readiness } from './readiness';

const alive: LivenessResponse = { ok: true, status: 'alive' };

@ApiTags('health')
@Controller('health')
export class HealthController {
  private readonly startedMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly readiness: Readiness,
    private readonly session: TerminalSession,
    private readonly killSwitch: KillSwitch,
    private readonly serverTime: ServerTime,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.startedMs = clock.monotonicMs();
  }

  @Get('live')
  @PublicEndpoint({ summary: 'The process is alive; touches nothing else', response: LivenessResponse })
  live(): LivenessResponse {
    return alive;
  }

  @Get('ready')
  @LocalEndpoint({
    summary: 'Ready to trade: connected, and the kill switch inactive',
    response: ReadinessResponse,
    errors: ['not_ready'],
  })
  async ready(): Promise<ReadinessResponse> {
    const { ready, killSwitchActive, checks } = await this.readiness.report();
    const fields = {
      terminal_status: this.session.status().state,
      kill_switch_active: killSwitchActive,
      checks,
    };
    if (!ready) throw new ApiError('not_ready', 'not ready', { fields: { status: 'not_ready', ...fields } });
    return single({ status: 'ready' as const, ...fields });
  }

  @Get()
  @LocalEndpoint({ summary: 'The whole state of the gateway; 200 also when it is degraded', response: HealthResponse })
  async health(): Promise<HealthResponse> {
    const session = this.session.status();
    const killSwitchActive = await this.killSwitch.isActive();
    const isHealthy = session.state === 'connected' && !killSwitchActive && Boolean(this.settings.API_KEY);
    return single({
      status: isHealthy ? ('healthy' as const) : ('degraded' as const),
      terminal_status: session.state,
      account: session.account,
      uptime_seconds: Math.floor((this.clock.monotonicMs() - this.startedMs) / 1_000),
      kill_switch_active: killSwitchActive,
      version,
      last_error: session.lastError,
      connection: {
        driver: session.driver,
        since: session.since,
        attempts: session.attempts,
        cooldown_remaining_seconds: session.cooldownRemainingSeconds,
        verified_age_seconds: session.verifiedAgeSeconds,
      },
      server_time: this.serverTime.report(),
    });
  }
}

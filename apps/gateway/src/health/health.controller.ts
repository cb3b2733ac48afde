import { Controller, Get, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiError, single } from '@libs/envelope';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { terminalStatus } from '../account-evidence/terminal-status';
import { LocalEndpoint, PublicEndpoint } from '../http/endpoint.decorators';
import { TerminalSession } from '../terminal-session/terminal-session';
import { HealthReport } from './health-report';
import { HealthResponse, LivenessResponse, NotReadyResponse, ReadinessResponse } from './health.response';
import { Readiness } from './readiness';

const alive: LivenessResponse = { ok: true, status: 'alive' };

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly report: HealthReport,
    private readonly session: TerminalSession,
    private readonly evidence: AccountEvidence,
  ) {}

  @Get('live')
  @PublicEndpoint({ summary: 'The process is alive; nothing else is checked', response: LivenessResponse })
  getLiveness(): LivenessResponse {
    return alive;
  }

  @Get('ready')
  @LocalEndpoint({
    changes: false,
    summary: 'Ready to trade: connected, the account explained, and the kill switch inactive',
    response: ReadinessResponse,
    errors: ['not_ready'],
    errorBodies: { 503: NotReadyResponse },
  })
  async getReadiness(): Promise<ReadinessResponse> {
    const { ready, killSwitchActive, checks } = await this.readiness.report();
    const fields = {
      terminal_status: terminalStatus(this.session.status().state, this.evidence),
      kill_switch_active: killSwitchActive,
      checks,
    };
    if (!ready) throw new ApiError('not_ready', 'not ready', { fields: { status: 'not_ready', ...fields } });
    return single({ status: 'ready' as const, ...fields });
  }

  @Get()
  @LocalEndpoint({
    changes: false,
    summary: 'The complete state of the gateway; 200 even if it is degraded',
    response: HealthResponse,
  })
  getHealth(@Req() { keyRole }: FastifyRequest): Promise<HealthResponse> {
    return this.report.build(keyRole);
  }
}

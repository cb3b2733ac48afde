import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { AuditTrail } from '../audit/audit-trail';
import { KillSwitch } from '../kill-switch/kill-switch';
import { FlattenService } from '../positions/flatten.service';
import type { KillResponse, ReleaseResponse } from './control.response';

/** Halting and resuming. The switch comes first: whatever fails after it, no new risk is taken. */
@Injectable()
export class HaltService {
  private readonly logger = new Logger('kill-switch');

  constructor(
    private readonly killSwitch: KillSwitch,
    private readonly audit: AuditTrail,
    private readonly flattening: FlattenService,
  ) {}

  /** @throws ApiError of the flattening, saying that the switch is engaged all the same */
  async engage(requestId: string, flatten: boolean): Promise<KillResponse> {
    await this.killSwitch.engage();
    this.logger.warn({ request_id: requestId, flatten }, 'the kill switch was engaged');
    // Halting is never refused for want of a log line.
    await this.audit.note({ event: 'kill_engaged', request_id: requestId, route: 'POST /kill' });
    return {
      ok: true,
      message: 'trading is halted',
      kill_switch_active: true,
      flatten: flatten ? await this.flatten(requestId) : null,
    };
  }

  /** @throws ApiError journal_unavailable: resuming without a trace in the audit log would add risk nobody can see */
  async release(requestId: string): Promise<ReleaseResponse> {
    try {
      await this.audit.record({ event: 'kill_released', request_id: requestId, route: 'POST /kill/release' });
    } catch (cause) {
      throw new ApiError('journal_unavailable', 'the audit log cannot be written: trading stays halted', { cause });
    }
    await this.killSwitch.release();
    this.logger.warn({ request_id: requestId }, 'the kill switch was released');
    return { ok: true, message: 'trading resumes', kill_switch_active: false };
  }

  private async flatten(requestId: string) {
    try {
      return await this.flattening.flatten(requestId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ApiError(error.errorType, `trading is halted, but nothing could be flattened: ${error.message}`, {
        details: error.details,
        terminalError: error.terminalError,
        headers: error.headers,
        fields: { kill_switch_active: true, flatten: null },
        cause: error,
      });
    }
  }
}

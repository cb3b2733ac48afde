import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import { KillSwitch } from '../kill-switch/kill-switch';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TradeRefusals } from '../trade-journal/trade-refusals';
import { identityOf } from './identity-of';
import { idempotencyKeyOf } from './idempotency-key';
import { refusedRequest } from './refused-request';
import { routeFactsOf } from './route-facts';

/**
 * May risk be added now? Looked up for every trade request. A key the journal remembers passes: nothing is sent for it
 * again, and a client that lost the answer to an order must not be told "refused" about one that was executed.
 */
@Injectable()
export class KillSwitchGuard implements CanActivate {
  constructor(
    private readonly killSwitch: KillSwitch,
    private readonly journal: TradeJournal,
    private readonly refusals: TradeRefusals,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const facts = routeFactsOf(context.getHandler());
    if (!facts?.killGated || !(await this.killSwitch.isActive())) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(request);
    if (key !== null && this.journal.remembers(key)) return true;
    const refusal = new ApiError('kill_switch_active', 'the kill switch is active: trading is halted');
    this.journal.bind({ ...identityOf(request), clientOrderId: key });
    await this.refusals.note(refusedRequest(request, key), refusal);
    throw refusal;
  }
}

import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { haltedError } from '../kill-switch/halted-error';
import { KillSwitch } from '../kill-switch/kill-switch';
import { TradeJournal } from '../trade-journal/trade-journal';
import { GuardRefusal } from './guard-refusal';
import { idempotencyKeyOf } from './idempotency-key';
import { requestFactsOf, type RouteFacts } from './route-facts';

/**
 * Denies trade requests while trading is halted. The switch is read for each of them. A request with a used key passes:
 * nothing is sent for it again, and a client that lost the answer to an executed order must not receive a rejection.
 */
@Injectable()
export class KillSwitchGuard implements CanActivate {
  constructor(
    private readonly killSwitch: KillSwitch,
    private readonly journal: TradeJournal,
    private readonly refusal: GuardRefusal,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const facts = requestFactsOf(context.getHandler(), request.body);
    return facts?.killGated ? this.passes(request, facts) : true;
  }

  private async passes(request: FastifyRequest, facts: RouteFacts): Promise<boolean> {
    if (!(await this.killSwitch.isActive())) return true;
    const key = idempotencyKeyOf(request);
    if (key !== null && this.journal.remembers(key)) return true;
    throw await this.refusal.of(request, key, facts, haltedError());
  }
}

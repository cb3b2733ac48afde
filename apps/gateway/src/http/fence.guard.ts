import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TradeJournal } from '../trade-journal/trade-journal';
import { fenceProblem, namesFence, readableFence } from './fence-of';
import { GuardRefusal } from './guard-refusal';
import { idempotencyKeyOf } from './idempotency-key';
import { requestFactsOf, type RouteFacts } from './route-facts';

/**
 * Denies trade requests whose fence (X-Fence) does not allow them to trade, before anything binds their key. A request
 * with a used key passes, because nothing is sent for it again. The fence is checked again when the key is reserved, and
 * right before each send.
 */
@Injectable()
export class FenceGuard implements CanActivate {
  constructor(
    private readonly journal: TradeJournal,
    private readonly refusal: GuardRefusal,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const facts = requestFactsOf(context.getHandler(), request.body);
    return facts?.idempotent && namesFence(request) ? this.passes(request, facts) : true;
  }

  private async passes(request: FastifyRequest, facts: RouteFacts): Promise<boolean> {
    const { fences } = this.journal;
    const key = idempotencyKeyOf(request);
    if (key !== null && this.journal.remembers(key)) return true;
    const claim = readableFence(request);
    while (fences.isRaising(claim)) await fences.decided();
    const problem = fenceProblem(request, fences);
    if (!problem) return true;
    throw await this.refusal.unbound(request, key, facts, problem);
  }
}

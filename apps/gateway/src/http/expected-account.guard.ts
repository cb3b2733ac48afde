import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import { TerminalAccess } from '../terminal/terminal-access';
import { TradeJournal } from '../trade-journal/trade-journal';
import { expectedLoginOf } from './expected-login';
import { GuardRefusal } from './guard-refusal';
import { idempotencyKeyOf } from './idempotency-key';
import { routeFactsOf, type RouteFacts } from './route-facts';

type KeyedRequest = FastifyRequest<{ Params: { key?: string } }>;

/**
 * Checks that the logged-in account is the one that the request is meant for. A client that knows only an address sends
 * X-Expect-Login, and receives 412 from another account instead of its positions. A request with a used key passes,
 * because nothing is sent for it again. Sends are checked once more: `TerminalAccess`.
 */
@Injectable()
export class ExpectedAccountGuard implements CanActivate {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly journal: TradeJournal,
    private readonly refusal: GuardRefusal,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const facts = routeFactsOf(context.getHandler());
    const request = context.switchToHttp().getRequest<KeyedRequest>();
    if (!facts?.ofAccount || request.headers['x-expect-login'] === undefined) return true;
    return this.passes(request, facts);
  }

  private async passes(request: KeyedRequest, facts: RouteFacts): Promise<boolean> {
    const key = facts.idempotent ? idempotencyKeyOf(request) : (request.params.key ?? null);
    if (key !== null && this.journal.remembers(key)) return true;
    try {
      await this.terminal.connectedTo(expectedLoginOf(request));
      return true;
    } catch (error) {
      if (!facts.idempotent || !(error instanceof ApiError)) throw error;
      throw await this.refusal.of(request, key, facts, error);
    }
  }
}

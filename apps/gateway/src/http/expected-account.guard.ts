import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import { TerminalAccess } from '../terminal/terminal-access';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TradeRefusals } from '../trade-journal/trade-refusals';
import { expectedLoginOf } from './expected-login';
import { identityOf } from './identity-of';
import { idempotencyKeyOf } from './idempotency-key';
import { refusedRequest } from './refused-request';
import { routeFactsOf } from './route-facts';

/**
 * Is this the account the request is meant for? A client that knows only an address says so by X-Expect-Login, and is
 * told 412 by another account rather than its positions. A key the journal remembers passes: what is known of it was
 * asked of this gateway, and nothing is sent for it again. Sends are held against it once more: `TerminalAccess`.
 */
@Injectable()
export class ExpectedAccountGuard implements CanActivate {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly journal: TradeJournal,
    private readonly refusals: TradeRefusals,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const facts = routeFactsOf(context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: { key?: string } }>>();
    if (!facts?.ofAccount || request.headers['x-expect-login'] === undefined) return true;
    const key = facts.idempotent ? idempotencyKeyOf(request) : (request.params.key ?? null);
    if (key !== null && this.journal.remembers(key)) return true;
    try {
      await this.terminal.connectedTo(expectedLoginOf(request));
      return true;
    } catch (error) {
      if (facts.idempotent && error instanceof ApiError) {
        this.journal.bind({ ...identityOf(request), clientOrderId: key });
        await this.refusals.note(refusedRequest(request, key), error);
      }
      throw error;
    }
  }
}

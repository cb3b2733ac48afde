import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import { TerminalAccess } from '../terminal/terminal-access';
import { accountOf } from '../trade-core/known-key';
import { TradeJournal } from '../trade-journal/trade-journal';
import { expectedLoginOf, recordedOnOther } from './expected-login';
import { GuardRefusal } from './guard-refusal';
import { idempotencyKeyOf } from './idempotency-key';
import { requestFactsOf, type RouteFacts } from './route-facts';

type KeyedRequest = FastifyRequest<{ Params: { key?: string } }>;

/**
 * Checks that the logged-in account is the one that the request is meant for. A client that knows only an address sends
 * X-Expect-Login, and receives 412 from another account instead of its positions. Under a used key nothing is sent again:
 * the account of the recorded request counts, whichever is logged in. Sends are checked once more: `TradeSender`.
 */
@Injectable()
export class ExpectedAccountGuard implements CanActivate {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly journal: TradeJournal,
    private readonly refusal: GuardRefusal,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<KeyedRequest>();
    const facts = requestFactsOf(context.getHandler(), request.body);
    if (!facts?.ofAccount || request.headers['x-expect-login'] === undefined) return true;
    return this.passes(request, facts);
  }

  private async passes(request: KeyedRequest, facts: RouteFacts): Promise<boolean> {
    const key = facts.idempotent ? idempotencyKeyOf(request) : (request.params.key ?? null);
    try {
      await this.require(expectedLoginOf(request), key, facts.worksWithoutSession === true);
      return true;
    } catch (error) {
      if (!facts.idempotent || !(error instanceof ApiError)) throw error;
      throw await this.refusal.of(request, key, facts, error);
    }
  }

  /** @throws ApiError account_mismatch; reconnect_cooldown or terminal_unavailable if only the session can tell */
  private async require(expected: number | null, name: string | null, isLastEnough: boolean): Promise<void> {
    const known = name === null ? undefined : this.journal.lookUp(this.journal.keyNamed(name));
    const recorded = known ? accountOf(known) : null;
    if (recorded !== null && expected !== null) {
      if (recorded !== expected) throw recordedOnOther('the request under its key', expected, recorded);
      return;
    }
    // The record of an earlier version names no account: it is answered only while the expected one is logged in. That
    // nothing was done on it is not known otherwise, so it is not a 412.
    if (isLastEnough && this.terminal.login !== null) return this.terminal.refuseOther(expected);
    await this.terminal.connected();
    const actual = this.terminal.login;
    if (known && expected !== null && actual !== expected) throw unrecorded(expected, actual);
    await this.terminal.connectedTo(expected);
  }
}

function unrecorded(expected: number, actual: number | null): ApiError {
  const message = `the request under this key has no account on record, and account ${actual ?? 'unknown'} is logged in`;
  const guidance = `It may be of account ${expected}. Ask again while that account is logged in.`;
  return new ApiError('terminal_unavailable', message, { details: { expected, actual, guidance } });
}

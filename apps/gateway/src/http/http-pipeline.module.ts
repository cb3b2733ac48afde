import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { EnvelopeFilter, RouteMethods, type ApiError } from '@libs/envelope';
import type { FastifyRequest } from 'fastify';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { TerminalModule } from '../terminal/terminal.module';
import { retryField } from '../trade-journal/retry-key';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { BearerGuard } from './bearer.guard';
import { ExpectedAccountGuard } from './expected-account.guard';
import { FenceGuard } from './fence.guard';
import { GuardRefusal } from './guard-refusal';
import { idempotencyKeyOf } from './idempotency-key';
import { KillSwitchGuard } from './kill-switch.guard';
import { KnownQueryGuard } from './known-query.guard';

/**
 * Everything around a handler, in the order in which a request passes it:
 *
 * 1. hooks (request id, access log, HTTP metrics): `http-hooks.ts`
 * 2. guards: may this caller do this now? Bearer first, then the query's names, the fence, the expected
 *    account and the kill switch
 * 3. idempotency interceptor, on trade routes only: `@TradeEndpoint`
 * 4. body validation, on parameters that are a body: `@ValidBody`
 * 5. the controller
 * 6. the envelope filter, for any error thrown before
 */
@Module({
  imports: [KillSwitchModule, TerminalModule, TradeJournalModule],
  providers: [
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_GUARD, useClass: KnownQueryGuard },
    { provide: APP_GUARD, useClass: FenceGuard },
    { provide: APP_GUARD, useClass: ExpectedAccountGuard },
    { provide: APP_GUARD, useClass: KillSwitchGuard },
    GuardRefusal,
    RouteMethods,
    {
      provide: APP_FILTER,
      useFactory: (routes: RouteMethods) => new EnvelopeFilter(routes, undefined, retryFieldOf),
      inject: [RouteMethods],
    },
  ],
})
export class HttpPipelineModule {}

/** The field `retry_with` of an error of a trade route; empty on other routes and for a request without a key. */
function retryFieldOf(error: ApiError, request: FastifyRequest): object {
  if (request.routeOptions.config.idempotent !== true) return {};
  return hasKey(request) ? retryField(error) : {};
}

/** A key that cannot be read has to be corrected, like any other field. */
function hasKey(request: FastifyRequest): boolean {
  try {
    return idempotencyKeyOf(request) !== null;
  } catch {
    return true;
  }
}

import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { EnvelopeFilter, RouteMethods } from '@libs/envelope';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { BearerGuard } from './bearer.guard';
import { ExpectedAccountGuard } from './expected-account.guard';
import { FenceGuard } from './fence.guard';
import { GuardRefusal } from './guard-refusal';
import { retryFieldOf } from './retry-field';
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

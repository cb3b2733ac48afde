import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { EnvelopeFilter, RouteMethods } from '@libs/envelope';
import { MetricsModule } from '@libs/metrics';
import { CONTROL_TOKEN, ControlTokenGuard } from './control/control-token.guard';
import { KnownQueryGuard } from './control/known-query.guard';
import { DaemonMetrics } from './control/metrics/daemon-metrics';
import { BacktestController } from './control/backtest.controller';
import { EquityController } from './control/equity.controller';
import { HealthController } from './control/health.controller';
import { LatencyController } from './control/latency.controller';
import { ListController } from './control/list.controller';
import { LogsController } from './control/logs.controller';
import { MetricsController } from './control/metrics.controller';
import { StatusController } from './control/status.controller';
import { Daemon } from './daemon';
import { servesMetrics, type DaemonSettings } from './daemon.config';

/** The control surface: one controller a route, one guard, one filter. */
@Module({})
export class DaemonModule {
  static with(daemon: Daemon, settings: DaemonSettings): DynamicModule {
    return {
      module: DaemonModule,
      imports: [MetricsModule.register({ controller: servesMetrics(settings) ? MetricsController : null })],
      controllers: [
        ...[HealthController, ListController, StatusController, LatencyController],
        ...[LogsController, EquityController, BacktestController],
      ],
      providers: [
        { provide: Daemon, useValue: daemon },
        { provide: CONTROL_TOKEN, useValue: settings.DAEMON_CONTROL_TOKEN },
        DaemonMetrics,
        RouteMethods,
        { provide: APP_GUARD, useClass: ControlTokenGuard },
        { provide: APP_GUARD, useClass: KnownQueryGuard },
        {
          provide: APP_FILTER,
          useFactory: (routes: RouteMethods) => new EnvelopeFilter(routes, () => 'not found'),
          inject: [RouteMethods],
        },
      ],
    };
  }
}

import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { Clock, SystemClock } from '@libs/clock';
import { MetricsModule } from '@libs/metrics';
import { AccountModule } from './account/account.module';
import { ControlModule } from './control/control.module';
import { GATEWAY_SETTINGS, type GatewaySettings } from './gateway.config';
import { HealthModule } from './health/health.module';
import { HistoryModule } from './history/history.module';
import { HttpPipelineModule } from './http/http-pipeline.module';
import { MarketDataModule } from './market-data/market-data.module';
import { MetricsController } from './metrics/metrics.controller';
import { OrdersModule } from './orders/orders.module';
import { PositionsModule } from './positions/positions.module';
import { ReconciliationModule } from './reconciliation/reconciliation.module';
import { PeriodicWork } from './schedule/periodic-work';
import { StreamsModule } from './streams/streams.module';
import { TerminalHostModule } from './terminal-host/terminal-host.module';
import { SymbolsModule } from './symbols/symbols.module';

/** Settings, clock and periodic work, for every module. */
@Module({})
class CoreModule {
  static with(settings: GatewaySettings, clock: Clock): DynamicModule {
    const providers = [
      { provide: GATEWAY_SETTINGS, useValue: settings },
      { provide: Clock, useValue: clock },
      PeriodicWork,
    ];
    return { module: CoreModule, global: true, imports: [ScheduleModule.forRoot()], providers, exports: providers };
  }
}

/** The gateway: an HTTP API before one trading-terminal account. */
@Module({})
export class GatewayModule {
  static with(settings: GatewaySettings, logger: Logger, clock: Clock = new SystemClock()): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        CoreModule.with(settings, clock),
        // Requests are logged by a hook; the middleware that would do it halves the throughput of light reads.
        LoggerModule.forRoot({ pinoHttp: { logger, autoLogging: false }, forRoutes: [] }),
        MetricsModule.register({ controller: MetricsController }),
        HttpPipelineModule,
        HealthModule,
        ControlModule,
        AccountModule,
        SymbolsModule,
        ...(settings.TERMINAL_DRIVER === 'bridge' && settings.TERMINAL_HOST
          ? [{ module: TerminalHostModule, global: true }]
          : []),
        MarketDataModule,
        HistoryModule,
        OrdersModule,
        PositionsModule,
        ReconciliationModule,
        StreamsModule,
      ],
    };
  }
}

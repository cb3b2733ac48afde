import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { Clock } from '@libs/clock';
import { Files } from '@libs/files';
import { MetricsModule } from '@libs/metrics';
import { StoreEngine } from '@libs/store';
import { Spans } from '@libs/tracing';
import { AccountModule } from './account/account.module';
import { ConsoleModule } from './console/console.module';
import { ControlModule } from './control/control.module';
import { GATEWAY_SETTINGS, type GatewaySettings } from './gateway.config';
import { EDGE_RECORDING, EDGE_TERMINAL, NEW_ID, type GatewayEdge } from './gateway.edge';
import { HealthModule } from './health/health.module';
import { HistoryModule } from './history/history.module';
import { HttpPipelineModule } from './http/http-pipeline.module';
import { ReadBudget } from './http/read-budget';
import { MarketDataModule } from './market-data/market-data.module';
import { MetricsController } from './metrics/metrics.controller';
import { OrderSendModule } from './order-send/order-send.module';
import { OrdersModule } from './orders/orders.module';
import { PositionsModule } from './positions/positions.module';
import { ReconciliationModule } from './reconciliation/reconciliation.module';
import { Stopping } from './stopping/stopping';
import { PeriodicWork } from './schedule/periodic-work';
import { NotifierModule } from './notifier/notifier.module';
import { SignalsModule } from './signals/signals.module';
import { StreamsModule } from './streams/streams.module';
import { TerminalHostModule } from './terminal-host/terminal-host.module';
import { SymbolsModule } from './symbols/symbols.module';

/** Settings, the edge and periodic work, for every module. */
@Module({})
class CoreModule implements OnApplicationShutdown {
  constructor(private readonly spans: Spans) {}

  static with(settings: GatewaySettings, edge: GatewayEdge, spans: Spans): DynamicModule {
    const providers = [
      { provide: GATEWAY_SETTINGS, useValue: settings },
      { provide: Clock, useValue: edge.clock },
      { provide: StoreEngine, useValue: edge.stores },
      { provide: Files, useValue: edge.files },
      { provide: NEW_ID, useValue: edge.newId },
      { provide: EDGE_TERMINAL, useValue: edge.terminal },
      { provide: EDGE_RECORDING, useValue: edge.recording },
      { provide: Spans, useValue: spans },
      PeriodicWork,
      ReadBudget,
      Stopping,
    ];
    return { module: CoreModule, global: true, imports: [ScheduleModule.forRoot()], providers, exports: providers };
  }

  /** After the last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.spans.close();
  }
}

/** The gateway: an HTTP API in front of one trading-terminal account. */
@Module({})
export class GatewayModule {
  static with(settings: GatewaySettings, logger: Logger, edge: GatewayEdge, spans: Spans): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        CoreModule.with(settings, edge, spans),
        // Requests are logged by a hook; middleware would halve the throughput of light reads.
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
        OrderSendModule,
        ReconciliationModule,
        StreamsModule,
        NotifierModule,
        SignalsModule,
        ConsoleModule,
      ],
    };
  }
}

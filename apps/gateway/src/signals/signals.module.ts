import { join } from 'node:path';
import {
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Clock, within } from '@libs/clock';
import { StoreEngine } from '@libs/store';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { OrdersModule } from '../orders/orders.module';
import { PositionsModule } from '../positions/positions.module';
import { EventLog } from '../streams/event-log';
import { StreamsModule } from '../streams/streams.module';
import { TradeWatcher } from '../streams/trade-watcher';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { SignalEvents } from './signal-events';
import { SignalFactsReader } from './signal-facts-reader';
import { SignalRequests } from './signal-requests';
import { SignalsController } from './signals.controller';
import { SignalMetrics, signalMetrics } from './signals.metrics';
import { SignalSources } from './signals.config';
import { SignalsStore } from './signals.store';
import { SIGNALS, Signals } from './signals';

/** Longest wait for a request that is under way at shutdown; the next start finds its outcome. */
const stopLimitMs = 5_000;
/** Ended alerts that are kept. */
const keptSignals = 20_000;

/** Alerts of TradingView and of any other program, executed through the API's own routes. */
@Module({
  imports: [TerminalModule, OrdersModule, PositionsModule, StreamsModule, TradeJournalModule],
  controllers: [SignalsController],
  providers: [
    SignalSources,
    SignalMetrics,
    ...signalMetrics,
    SignalRequests,
    SignalFactsReader,
    {
      provide: SIGNALS,
      useFactory: (
        { sources }: SignalSources,
        settings: GatewaySettings,
        stores: StoreEngine,
        clock: Clock,
        metrics: SignalMetrics,
        requests: SignalRequests,
        facts: SignalFactsReader,
        events: EventLog,
        watcher: TradeWatcher,
      ) => {
        if (sources.size === 0) return null;
        const log = new Logger('signals');
        const store = new SignalsStore(stores, join(settings.STATE_DIR, 'signals'), keptSignals, events.lastSignal);
        const account = (): TradeWatcher['account'] => watcher.account;
        const complain = (problem: string): void => log.warn(`alerts are not in the event log yet: ${problem}`);
        return new Signals({
          sources,
          clock,
          metrics,
          log,
          store,
          events: new SignalEvents({ store, log: events, sources, clock, account, complain }),
          market: {
            readFacts: (signal, symbol, source, orders) => facts.read(signal, symbol, source, orders),
            attempt: (step, key, source) => requests.attempt(step, key, source),
            isKnown: (key) => requests.isKnown(key),
            isAccepted: (key) => requests.isAccepted(key),
          },
        });
      },
      inject: [
        SignalSources,
        GATEWAY_SETTINGS,
        StoreEngine,
        Clock,
        SignalMetrics,
        SignalRequests,
        SignalFactsReader,
        EventLog,
        TradeWatcher,
      ],
    },
  ],
  exports: [SIGNALS],
})
export class SignalsModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(
    @Inject(SIGNALS) private readonly signals: Signals | null,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.signals?.start();
  }

  /** While the routes still answer. */
  async onModuleDestroy(): Promise<void> {
    if (this.signals) await within(this.clock, stopLimitMs, this.signals.stop());
  }

  /** After the sockets are closed, because alerts may come until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.signals?.close();
  }
}

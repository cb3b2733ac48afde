import { Inject, Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { Clock } from '@libs/clock';
import { MetricsRegistry, histogramBuckets } from '@libs/metrics';
import { Simulator, simulatorOptions } from '@libs/simulator';
import { LinkClient, TerminalClient } from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { TerminalSession } from '../terminal-session/terminal-session';
import { BrokerClock } from './broker-clock';
import { TerminalAccess } from './terminal-access';
import { missingSettings, sessionOptions } from './session-settings';
import { TerminalMetrics } from './terminal.metrics';
import { timedTerminal } from './timed-terminal';

/** The embedded broker, or null when a bridge stands behind the API. Injectable by {@link EMBEDDED_SIMULATOR}. */
export const EMBEDDED_SIMULATOR = Symbol('EMBEDDED_SIMULATOR');

/** The terminal, its session and its clock: what every resource module reads from. */
@Module({
  providers: [
    {
      provide: EMBEDDED_SIMULATOR,
      useFactory: (settings: GatewaySettings, clock: Clock) =>
        settings.TERMINAL_DRIVER === 'simulator' ? new Simulator(simulatorOptions(settings), clock) : null,
      inject: [GATEWAY_SETTINGS, Clock],
    },
    {
      provide: TerminalClient,
      useFactory: (settings: GatewaySettings, clock: Clock, simulator: Simulator | null, registry: MetricsRegistry) => {
        const histogram = new Histogram({
          name: 'terminal_call_duration_seconds',
          help: 'Time from a call to the terminal to its answer.',
          labelNames: ['method'] as const,
          buckets: histogramBuckets,
          registers: [registry],
        });
        return timedTerminal(simulator?.connect() ?? bridgeClient(settings, clock), histogram);
      },
      inject: [GATEWAY_SETTINGS, Clock, EMBEDDED_SIMULATOR, MetricsRegistry],
    },
    {
      provide: TerminalSession,
      useFactory: (settings: GatewaySettings, terminal: TerminalClient, clock: Clock) =>
        new TerminalSession(sessionOptions(settings), terminal, clock, new Logger('terminal-session')),
      inject: [GATEWAY_SETTINGS, TerminalClient, Clock],
    },
    {
      provide: BrokerClock,
      useFactory: (clock: Clock, simulator: Simulator | null) => new BrokerClock(clock, simulator),
      inject: [Clock, EMBEDDED_SIMULATOR],
    },
    TerminalAccess,
    TerminalMetrics,
  ],
  exports: [EMBEDDED_SIMULATOR, TerminalClient, TerminalSession, TerminalAccess, BrokerClock],
})
export class TerminalModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(EMBEDDED_SIMULATOR) private readonly simulator: Simulator | null,
    private readonly session: TerminalSession,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const missing = missingSettings(this.settings);
    if (missing.length > 0) {
      const consequence = missing.includes('API_KEY') ? 'protected routes answer 401' : 'log in by hand';
      new Logger('terminal-session').warn(`not set: ${missing.join(', ')}; ${consequence}`);
    }
    await this.simulator?.start();
    this.simulator?.setAlgoTrading(this.settings.TERMINAL_ENABLE_ALGO_TRADING);
    this.session.start();
  }

  /** After the sockets are closed, so that requests under way still find their terminal. */
  async onApplicationShutdown(): Promise<void> {
    await this.session.stop();
    await this.simulator?.stop();
  }
}

function bridgeClient(settings: GatewaySettings, clock: Clock): TerminalClient {
  return new LinkClient(
    {
      address: settings.TERMINAL_BRIDGE_ADDR,
      token: settings.TERMINAL_BRIDGE_TOKEN ?? '',
      callTimeoutMs: settings.TERMINAL_CALL_TIMEOUT_MS,
      tradeTimeoutMs: settings.TERMINAL_TRADE_TIMEOUT_MS,
    },
    clock,
  );
}

import { randomBytes } from 'node:crypto';
import { Inject, Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { DurationHistogram, MetricsRegistry } from '@libs/metrics';
import {
  historyFolder,
  ScratchFolder,
  type ServedFaults,
  serveFaults,
  Simulator,
  simulatorOptions,
} from '@libs/simulator';
import { LinkClient, TerminalClient } from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { EDGE_TERMINAL, NEW_ID, type NewId } from '../gateway.edge';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { AccountNotices } from '../account-evidence/account-notices';
import { evidenceMetrics } from '../account-evidence/evidence.metrics';
import { evidentTerminal } from '../account-evidence/evident-terminal';
import { tidyTerminal } from '../account-evidence/tidy-rows';
import { PeriodicWork } from '../schedule/periodic-work';
import { TerminalSession } from '../terminal-session/terminal-session';
import { BadPrices } from './bad-prices';
import { BrokerClock } from './broker-clock';
import { SymbolDigits } from './symbol-digits';
import { TerminalAccess } from './terminal-access';
import { missingSettings, sessionOptions } from './session-settings';
import { SHOWN_TERMINAL } from './shown-terminal';
import { terminalMetrics } from './terminal.metrics';
import { timedTerminal } from './timed-terminal';

/** The embedded broker, or null if the API uses a bridge. Injectable by {@link EMBEDDED_SIMULATOR}. */
export const EMBEDDED_SIMULATOR = Symbol('EMBEDDED_SIMULATOR');

/**
 * Names the books of the embedded broker if it begins anew with each start, so that they are not compared with those of an earlier
 * one; empty for a broker that keeps its books.
 */
export const BROKER_BOOKS = Symbol('BROKER_BOOKS');

/** The terminal, its session and its clock, which every resource module uses. */
@Module({
  providers: [
    {
      provide: EMBEDDED_SIMULATOR,
      useFactory: (settings: GatewaySettings, clock: Clock) =>
        settings.TERMINAL_DRIVER === 'simulator'
          ? new Simulator(
              simulatorOptions(settings),
              clock,
              new ScratchFolder(historyFolder(settings), new Logger('simulator')),
            )
          : null,
      inject: [GATEWAY_SETTINGS, Clock],
    },
    { provide: AccountEvidence, useFactory: (clock: Clock) => new AccountEvidence(clock), inject: [Clock] },
    {
      provide: SHOWN_TERMINAL,
      useFactory: (
        settings: GatewaySettings,
        clock: Clock,
        simulator: Simulator | null,
        given: TerminalClient | null,
        registry: MetricsRegistry,
      ) => {
        const histogram = new DurationHistogram({
          name: 'terminal_call_duration_seconds',
          help: 'Time from a call to the terminal to its answer.',
          labelNames: ['method'] as const,
          registers: [registry],
        });
        const simulated = simulator?.connect({ tradeTimeoutMs: settings.TERMINAL_TRADE_TIMEOUT_MS });
        return tidyTerminal(timedTerminal(given ?? simulated ?? bridgeClient(settings, clock), histogram, clock));
      },
      inject: [GATEWAY_SETTINGS, Clock, EMBEDDED_SIMULATOR, EDGE_TERMINAL, MetricsRegistry],
    },
    {
      provide: TerminalClient,
      useFactory: (shown: TerminalClient, evidence: AccountEvidence) => evidentTerminal(shown, evidence),
      inject: [SHOWN_TERMINAL, AccountEvidence],
    },
    {
      provide: AccountNotices,
      useFactory: (session: TerminalSession, evidence: AccountEvidence) => new AccountNotices({ session, evidence }),
      inject: [TerminalSession, AccountEvidence],
    },
    {
      provide: BROKER_BOOKS,
      useFactory: (
        settings: GatewaySettings,
        simulator: Simulator | null,
        given: TerminalClient | null,
        newId: NewId,
      ) => (simulator !== null && given === null && simulatorOptions(settings).stateFile === undefined ? newId() : ''),
      inject: [GATEWAY_SETTINGS, EMBEDDED_SIMULATOR, EDGE_TERMINAL, NEW_ID],
    },
    {
      provide: TerminalSession,
      useFactory: (settings: GatewaySettings, terminal: TerminalClient, periodic: PeriodicWork) => {
        const clock = periodic.clockOf('look-for-login');
        return new TerminalSession(sessionOptions(settings), terminal, clock, new Logger('terminal-session'));
      },
      inject: [GATEWAY_SETTINGS, TerminalClient, PeriodicWork],
    },
    {
      provide: BrokerClock,
      useFactory: (clock: Clock, simulator: Simulator | null) => new BrokerClock(clock, simulator),
      inject: [Clock, EMBEDDED_SIMULATOR],
    },
    TerminalAccess,
    SymbolDigits,
    BadPrices,
    ...terminalMetrics,
    ...evidenceMetrics,
  ],
  exports: [
    AccountNotices,
    EMBEDDED_SIMULATOR,
    BROKER_BOOKS,
    SHOWN_TERMINAL,
    AccountEvidence,
    TerminalClient,
    TerminalSession,
    TerminalAccess,
    SymbolDigits,
    BadPrices,
    BrokerClock,
  ],
})
export class TerminalModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private faults: ServedFaults | null = null;

  constructor(
    @Inject(EMBEDDED_SIMULATOR) private readonly simulator: Simulator | null,
    private readonly session: TerminalSession,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const missing = missingSettings(this.settings);
    if (missing.length > 0) {
      const consequence = missing.includes('API_KEY') ? 'protected routes answer 401' : 'log in manually';
      new Logger('terminal-session').warn(`not set: ${missing.join(', ')}; ${consequence}`);
    }
    await this.simulator?.start();
    this.simulator?.setAlgoTrading(this.settings.TERMINAL_ENABLE_ALGO_TRADING);
    if (this.simulator && this.settings.SIM_FAULTS) await this.allowFaults(this.simulator);
    this.session.start();
  }

  /** After the sockets are closed, so that requests in progress still have their terminal. */
  async onApplicationShutdown(): Promise<void> {
    await this.session.stop();
    await this.faults?.stop();
    await this.simulator?.stop();
  }

  private async allowFaults(simulator: Simulator): Promise<void> {
    const token = randomBytes(24).toString('base64url');
    this.faults = await serveFaults(simulator, { token, stateDir: this.settings.STATE_DIR }, this.clock);
    const where = `127.0.0.1:${this.faults.port}`;
    new Logger('simulator').warn(`SIM_FAULTS is on: \`npm run simulator:fault\` makes this broker fail (${where})`);
  }
}

function bridgeClient(settings: GatewaySettings, clock: Clock): TerminalClient {
  return new LinkClient(
    {
      address: settings.TERMINAL_LINK_ADDR ?? settings.TERMINAL_BRIDGE_ADDR,
      token: settings.TERMINAL_BRIDGE_TOKEN ?? '',
      callTimeoutMs: settings.TERMINAL_CALL_TIMEOUT_MS,
      tradeTimeoutMs: settings.TERMINAL_TRADE_TIMEOUT_MS,
    },
    clock,
  );
}

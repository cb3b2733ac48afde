import { join } from 'node:path';
import type { Clock, Timer } from '@libs/clock';
import { StateLock } from '@libs/state-lock';
import type { Logger } from 'pino';
import { CommandFolder, type Command, type CommandResult } from './commands/command-folder';
import type { DaemonFile } from './daemon-file/daemon-file';
import { AccountMoney } from './gateways/account-money';
import type { Member } from './gateways/account-report';
import { GatewaySession } from './gateways/gateway-session';
import { LatencyBook } from './latency/latency-book';
import { LogBook } from './logs/log-book';
import { MarketHub } from './market-data/market-hub';
import { Portfolio } from './portfolios/portfolio';
import { Pruner } from './state/pruner';
import { StateStore } from './state/state-store';
import type { GatewayServices, Services } from './strategies/services';
import { bundleWorker } from './strategies/strategy-bundler';
import { StrategyRunner } from './strategies/strategy-runner';
import { AccountSync } from './trading/account-sync';
import { IdempotencyKeys } from './trading/idempotency-keys';

export interface DaemonOptions {
  readonly file: DaemonFile;
  readonly stateDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reads the key a gateway's `apiKeyEnv` names. */
  readonly apiKey: (variable: string) => string;
  readonly tracksLatency: boolean;
  readonly watchdogMs: number;
  readonly maxHeapMb: number;
  /** How long what is over is remembered. */
  readonly keepStateDays: number;
}

/** How often the account is looked at when nothing else calls for it. */
const lookEveryMs = 1_000;
/** How often commands left in the state directory are taken up. */
const serveCommandsMs = 250;
/** How long the requests on their way may take at shutdown. */
const shutdownMs = 8_000;

/** The daemon: its gateways, its strategies, its memory. */
export class Daemon {
  readonly gateways: readonly GatewayServices[];
  readonly strategies: readonly StrategyRunner[];
  readonly portfolios: readonly Portfolio[];
  readonly latency: LatencyBook;
  readonly logs: LogBook;
  private stopping = false;
  private readonly timers: Timer[] = [];
  private readonly pruner: Pruner;
  private readonly startedMs: number;

  private constructor(
    private readonly options: DaemonOptions,
    private readonly lock: StateLock,
    private readonly store: StateStore,
    workerEntry: string,
  ) {
    const { clock, file, stateDir, keepStateDays } = options;
    this.pruner = new Pruner({ store, clock, keepDays: keepStateDays });
    this.startedMs = clock.monotonicMs();
    this.latency = new LatencyBook(options.tracksLatency);
    this.logs = new LogBook(join(stateDir, 'logs'), clock);
    const gateways = file.gateways.map(({ name }) => name);
    this.gateways = file.gateways.map((spec) => {
      const session = new GatewaySession(spec, options.apiKey(spec.apiKeyEnv));
      const sync = new AccountSync(session, store, clock);
      const hub = new MarketHub(session, sync, clock, (text) => options.logger.warn(text));
      const members = (): readonly Member[] => this.strategies.map(memberOf);
      const money = new AccountMoney({ session, sync, store, clock, members, gateways });
      return { session, sync, hub, money };
    });
    const services: Services = {
      clock,
      store,
      logs: this.logs,
      latency: this.latency,
      keys: new IdempotencyKeys(),
      workerEntry,
      watchdogMs: options.watchdogMs,
      maxHeapMb: options.maxHeapMb,
      gateway: (name) => this.gateway(name),
      specs: () => file.strategies,
      isStopping: () => this.stopping,
    };
    this.strategies = file.strategies.map((spec) => new StrategyRunner(spec, services));
    this.portfolios = file.portfolios.map((spec) => {
      const children = this.strategies.filter((strategy) => strategy.spec.portfolio === spec.name);
      return new Portfolio(spec, children, store, clock);
    });
  }

  /** Takes the state directory and reads what is in it. @throws StateDirLockedError, StateOpenError */
  static async open(options: DaemonOptions): Promise<Daemon> {
    const lock = await StateLock.take(options.stateDir, 'daemon');
    try {
      return new Daemon(options, lock, StateStore.open(options.stateDir, options.clock), await bundleWorker());
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  get uptimeMs(): number {
    return Math.round(this.options.clock.monotonicMs() - this.startedMs);
  }

  /** Looks at each gateway's account once; one that is away is tried again with its strategies. */
  async verifyGateways(): Promise<void> {
    await Promise.all(
      this.gateways.map(async ({ session }) => {
        try {
          const { login, server } = await session.verify();
          this.options.logger.info({ gateway: session.name, login, server }, 'gateway verified');
        } catch (error) {
          this.options.logger.error({ gateway: session.name, problem: String(error) }, 'gateway not verified');
        }
      }),
    );
  }

  /** Deploys the strategies one by one and keeps the account in sight. */
  async deploy(): Promise<void> {
    const { clock, logger } = this.options;
    for (const { money } of this.gateways) {
      const look = (): void => {
        money.look().catch((error: unknown) => logger.error({ err: error }, 'a look at the account failed'));
      };
      this.timers.push(clock.every(lookEveryMs, look));
    }
    const watch = (): void => this.portfolios.forEach((portfolio) => portfolio.watch());
    this.timers.push(clock.every(lookEveryMs, watch));
    this.pruner.start();
    const commands = new CommandFolder(this.options.stateDir);
    let serving = false;
    const serve = (): void => {
      if (serving) return;
      serving = true;
      commands
        .serve((command) => this.carryOut(command))
        .catch((error: unknown) => logger.error({ err: error }, 'a command could not be served'))
        .finally(() => (serving = false));
    };
    this.timers.push(clock.every(serveCommandsMs, serve));
    for (const strategy of this.strategies) {
      if (this.stopping) return;
      await strategy.start();
      logger.info({ strategy: strategy.spec.name, state: strategy.state }, 'strategy deployed');
    }
  }

  /** No new entries; what is on its way is waited for, and everything is on disk when this resolves. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) timer.cancel();
    for (const { hub } of this.gateways) hub.stop();
    const orderly = Promise.all(this.strategies.map((strategy) => strategy.stop()));
    await Promise.race([orderly, this.options.clock.sleep(shutdownMs)]);
    await this.logs.flushed();
    await this.pruner.stop();
    await this.store.close();
    await this.lock.release();
  }

  private async carryOut({ name }: Command): Promise<CommandResult> {
    const portfolio = this.portfolios.find(({ spec }) => spec.name === name);
    const strategy = this.strategies.find(({ spec }) => spec.name === name);
    const record = portfolio?.record ?? strategy?.book.record;
    if (!record) return { ok: false, message: `no strategy ${name}` };
    if (record.halt === null) return { ok: false, message: `${name} is not halted` };
    await (portfolio?.resume() ?? strategy?.account.resume());
    return { ok: true, message: `${name} resumed` };
  }

  private gateway(name: string): GatewayServices {
    const found = this.gateways.find(({ session }) => session.name === name);
    if (!found) throw new Error(`gateway ${name} is not configured`);
    return found;
  }
}

function memberOf({ spec, book, trading }: StrategyRunner): Member {
  return { name: spec.name, book, inFlight: trading.desk.inFlight, unreadable: trading.unreadable };
}

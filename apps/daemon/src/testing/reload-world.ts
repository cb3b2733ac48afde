import { SimulatedDisk } from '@libs/simulated-disk';
import type { Strategy } from '@libs/strategy';
import { pino } from 'pino';
import type { StrategySpec } from '../core/strategy-spec';
import type { Daemon } from '../daemon';
import { createDaemon, type DaemonApp } from '../daemon.app';
import { readDaemonSettings } from '../daemon.config';
import type { DaemonFile } from '../daemon-file/daemon-file';
import type { ReloadReport } from '../runtime/reload-report';
import type { StrategyRunner } from '../strategies/strategy-runner';
import { Clockwork } from './clockwork';
import { ContractGateway } from './contract-gateway';
import { spec } from '../core/testing/spec';
import { InlineStrategies } from './inline-strategies';

const stateDir = '/state';
const startMs = Date.UTC(2024, 0, 2, 10);
const barMs = 60_000;
const prices = { open: 1.1, high: 1.1, low: 1.1, close: 1.1, tick_volume: 1 };

/** A daemon on virtual time before a gateway; its configuration and the texts of its strategies change during a test. */
export class ReloadWorld {
  readonly work = new Clockwork(startMs);
  /** What a request waits for on its way to the gateway. */
  onTheWay: (path: string) => Promise<void> = () => Promise.resolve();
  /** How often an account was to be verified. */
  attempts = 0;
  private app: DaemonApp | null = null;
  private bars = 0;
  private strategies: readonly StrategySpec[] = [];

  private constructor(
    readonly gateway: ContractGateway,
    readonly threads: InlineStrategies,
  ) {}

  /** @param known the strategies, by the texts of their files */
  static async start(
    known: Readonly<Record<string, Strategy>>,
    ...specs: readonly Partial<StrategySpec>[]
  ): Promise<ReloadWorld> {
    const world = new ReloadWorld(await ContractGateway.start(), new InlineStrategies(known));
    world.addBar();
    world.addBar();
    world.configure(...specs);
    for (const { module } of world.strategies) world.threads.files.set(module, 'first');
    await world.work.inTime(world.open());
    await world.work.inTime(world.daemon.deploy());
    return world;
  }

  get daemon(): Daemon {
    if (!this.app) throw new Error('no daemon runs');
    return this.app.daemon;
  }

  get lastReload(): ReloadReport | null {
    return this.daemon.configuration.lastReload;
  }

  strategy(name: string): StrategyRunner {
    const found = this.daemon.strategies.find((strategy) => strategy.spec.name === name);
    if (!found) throw new Error(`no strategy ${name}`);
    return found;
  }

  /** Writes the configuration file. Each strategy has a file of its own. */
  configure(...specs: readonly Partial<StrategySpec>[]): void {
    this.strategies = specs.map((one) => ({ ...spec, module: `/${one.name}.ts`, ...one }));
  }

  reload(): Promise<ReloadReport> {
    return this.work.inTime(this.daemon.reload());
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) await this.work.run(1_000);
  }

  /** A minute closes. */
  addBar(): void {
    const timeMs = startMs + this.bars++ * barMs;
    const time = new Date(timeMs).toISOString().replace('.000Z', 'Z');
    Object.assign(this.gateway.tick, { time_msc: timeMs, time_utc: time });
    this.gateway.bars.push({ ...prices, time, time_server: timeMs / 1_000 });
  }

  /** Nothing reads the gateway from now on, or everything again. */
  setReadable(isReadable: boolean): void {
    const refused = { ok: false, error: 'away', error_type: 'terminal_unavailable', request_id: 'r' };
    this.gateway.always = isReadable ? null : { status: 503, body: refused };
  }

  async stop(): Promise<void> {
    const { app } = this;
    this.app = null;
    if (app) await this.work.inTime(Promise.all([app.daemon.stop(), app.control.close()]));
    await this.gateway.stop();
  }

  private async open(): Promise<void> {
    const { clock } = this.work;
    const disk = new SimulatedDisk(clock, () => 0.5);
    const configured = { readFile: () => this.file, apiKey: () => 'k' };
    const start = { settings: readDaemonSettings({}), configured, stateDir, host: '127.0.0.1' };
    this.app = await createDaemon(start, pino({ level: 'silent' }), {
      ...{ clock, stores: disk.view.stores, files: disk.view.files, strategies: this.threads },
      network: {
        fetch: (url, init) => this.fetch(url, init),
        setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
      },
      hold: () => Promise.resolve({ release: () => Promise.resolve() }),
      ports: () => ({ open: () => Promise.resolve(), close: () => undefined }),
      newSession: () => 'session',
    });
  }

  private async fetch(url: string, init: RequestInit): Promise<Response> {
    const { pathname } = new URL(url);
    if (pathname === '/account' && !new Headers(init.headers).has('x-expect-login')) this.attempts++;
    await this.onTheWay(pathname);
    return fetch(url, init);
  }

  private get file(): DaemonFile {
    const gateway = {
      ...{ name: 'demo', url: this.gateway.url, apiKeyEnv: 'K', maxClockSkewMs: null },
      expect: { login: null, tradeMode: null },
    };
    return { gateways: [gateway], strategies: this.strategies, portfolios: [] };
  }
}

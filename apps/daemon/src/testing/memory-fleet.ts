import { VirtualClock } from '@libs/clock';
import type { RaiseFenceRequest } from '@libs/gateway-client';
import { ConfigurationTable, FleetTable, type CommandName, type FleetDatabase } from '@libs/postgres';
import { SimulatedDisk } from '@libs/simulated-disk';
import { SimulatedPostgres } from '@libs/simulated-postgres';
import { pino } from 'pino';
import type { StrategySpec } from '../core/strategy-spec';
import type { Daemon } from '../daemon';
import { createDaemon, type DaemonApp } from '../daemon.app';
import { readDaemonSettings } from '../daemon.config';
import type { DaemonFile } from '../daemon-file/daemon-file';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import { spec } from '../core/testing/spec';

const leaseSeconds = 10;
const gateway = {
  ...{ name: 'demo', url: 'http://demo.test', apiKeyEnv: 'K', maxClockSkewMs: null },
  expect: { login: null, tradeMode: null },
};

/** A configuration of strategies that trade on one gateway. */
export function fileOf(
  ...strategies: readonly (Pick<StrategySpec, 'name' | 'magic'> & Partial<StrategySpec>)[]
): DaemonFile {
  return { gateways: [gateway], strategies: strategies.map((one) => ({ ...spec, ...one })), portfolios: [] };
}

/**
 * Daemons of a fleet in memory, on one clock, with a simulated PostgreSQL. Their gateway raises fences and answers nothing
 * else, so that their strategies never trade. A configuration in the database is the JSON of a {@link DaemonFile}.
 */
export class MemoryFleet {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  readonly server = new SimulatedPostgres(this.clock);
  readonly raised: string[] = [];
  /** The token that each fence has already. */
  stored = 0;
  /** Requests other than those that raise fences. */
  requests = 0;
  /** What a request takes that the gateway does not answer, in milliseconds. */
  failsAfterMs = 0;
  /** Whether the gateway has no request under any key, and makes it void; otherwise it answers nothing about keys. */
  voidsKeys = false;
  private readonly hosts: MemoryHost[] = [];

  async apply(version: number, file: DaemonFile): Promise<void> {
    await new ConfigurationTable(this.server.connect()).apply({ version, text: JSON.stringify(file) });
  }

  /** Opens a host. @param file without it, the configuration is that of the database */
  async open(name: string, file: DaemonFile | null = null): Promise<MemoryHost> {
    const host = new MemoryHost(name, this, file);
    this.hosts.push(host);
    await this.inTime(host.open());
    return host;
  }

  /** Opens a host, deploys, and lets it take its units. */
  async start(name: string, file: DaemonFile | null = null): Promise<MemoryHost> {
    const host = await this.open(name, file);
    await this.inTime(host.daemon.deploy());
    await this.clock.advance(leaseSeconds * 1_000);
    return host;
  }

  async end(): Promise<void> {
    for (const host of this.hosts) await host.stop();
  }

  /** Another host, which is not one of these, takes a lease at once, also one that is held, and never renews it. */
  takeElsewhere(unit: string, forMs = 5_000): void {
    this.server.execute('announce', { names: [unit] });
    this.server.expire(unit);
    const holder = 'elsewhere';
    this.server.execute('take', { names: [unit], limit: 1, holder, leaseMs: forMs, version: null });
  }

  /** Names of the hosts that are known. */
  async knownHosts(): Promise<readonly string[]> {
    return (await new FleetTable(this.server.connect()).hosts()).map(({ name }) => name);
  }

  /** Whether a host holds the lease of a unit. */
  isHeld(unit: string): boolean {
    return this.server.execute('leases', {}).some(({ name, holder }) => name === unit && holder !== null);
  }

  /** Has the clock run until something is done. */
  async inTime<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => undefined);
    while (!isDone) await this.clock.advance(100);
    return work;
  }
}

/** One daemon of a {@link MemoryFleet}. */
export class MemoryHost {
  /** Why it refuses each configuration that it reads; null if it does not. */
  refusal: string | null = null;
  readonly lines: string[] = [];
  /** What a command takes before the server carries it out. */
  before: (command: CommandName) => Promise<void> = () => Promise.resolve();
  /** How long the port of a strategy takes to open, in milliseconds. */
  opensAfterMs = 0;
  /** How long it takes to listen, in milliseconds. */
  listensAfterMs = 0;
  /** Whether a connection is lost while it is about to listen. */
  losesListening = false;
  /** How the way from this host to the gateway is broken; null while it is not. */
  isolation: 'refusing' | 'silent' | null = null;
  /** How often it tried to listen. */
  listens = 0;
  /** Connections that listen. */
  listening = 0;
  private app: DaemonApp | null = null;

  constructor(
    private readonly name: string,
    private readonly fleet: MemoryFleet,
    public file: DaemonFile | null,
  ) {}

  get daemon(): Daemon {
    if (!this.app) throw new Error(`${this.name} has not started`);
    return this.app.daemon;
  }

  /** Units that may run here. */
  get units(): readonly string[] {
    return this.daemon.units?.part.strategies.map(({ name }) => name) ?? [];
  }

  /** Strategies that were started, by the log. */
  get deployed(): readonly string[] {
    const lines = this.lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly strategy: string });
    return lines.filter(({ msg }) => msg === 'strategy deployed').map(({ strategy }) => strategy);
  }

  async open(): Promise<void> {
    const { clock } = this.fleet;
    const settings = readDaemonSettings({
      ...{ DAEMON_DATABASE_URL: 'postgres://simulated@localhost/trading', DAEMON_HOST_NAME: this.name },
      DAEMON_LEASE_SECONDS: String(leaseSeconds),
    });
    const configured = { readFile: () => this.read(JSON.stringify(this.file)), apiKey: () => 'k' };
    const readText = this.file === null ? (_name: string, text: string) => this.read(text) : null;
    const disk = new SimulatedDisk(clock, () => 0.5);
    const logger = pino({ level: 'info' }, { write: (line: string) => void this.lines.push(line) });
    const start = { settings, configured, stateDir: `/${this.name}`, host: '127.0.0.1', readText };
    this.app = await createDaemon(start, logger, {
      ...{ clock, stores: disk.view.stores, files: disk.view.files },
      network: {
        fetch: (url, init) => this.fetch(url, init),
        setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
      },
      openDatabase: () => Promise.resolve(this.database()),
      strategies: {
        bundle: () => Promise.reject(new Error('no such file')),
        threads: () => Promise.resolve({ start: () => Promise.reject(new Error('no threads')) as never }),
      },
      hold: () => Promise.resolve({ release: () => Promise.resolve() }),
      ports: () => ({ open: () => clock.sleep(this.opensAfterMs), close: () => undefined }),
      newSession: () => this.name,
    });
  }

  async stop(): Promise<void> {
    const { app } = this;
    this.app = null;
    if (app) await this.fleet.inTime(Promise.all([app.daemon.stop(), app.control.close()]));
  }

  private read(text: string): DaemonFile {
    if (this.refusal !== null) throw new DaemonFileError('configuration', [this.refusal]);
    return JSON.parse(text) as DaemonFile;
  }

  private database(): FleetDatabase {
    const connection = this.fleet.server.connect();
    return {
      ...connection,
      listen: async (...listener) => {
        this.listens++;
        await this.fleet.clock.sleep(this.listensAfterMs);
        if (this.losesListening) {
          const [, onLost] = listener;
          onLost();
          throw new Error('Connection terminated unexpectedly');
        }
        const end = await connection.listen(...listener);
        this.listening++;
        return () => {
          this.listening--;
          end();
        };
      },
      call: async (name, args) => {
        await this.before(name);
        return connection.call(name, args);
      },
    };
  }

  private async fetch(url: string, { method, body, signal }: RequestInit): Promise<Response> {
    if (this.isolation === 'refusing') throw new TypeError('fetch failed');
    if (this.isolation === 'silent') await cancellation(signal);
    const [, strategy] = /\/fences\/(\w+)$/.exec(url) ?? [];
    if (strategy !== undefined && method === 'GET') {
      return Response.json({ ok: false, ts: 0, error: 'no such fence', error_type: 'not_found' }, { status: 404 });
    }
    if (this.fleet.voidsKeys && /\/(trade_requests\/|health$)/.test(url)) return keyAnswer(url, method);
    if (strategy === undefined || typeof body !== 'string') {
      this.fleet.requests++;
      if (this.fleet.failsAfterMs > 0) await this.fleet.clock.sleep(this.fleet.failsAfterMs);
      throw new TypeError('fetch failed');
    }
    const { token, magics = [] } = JSON.parse(body) as RaiseFenceRequest;
    const { stored } = this.fleet;
    if (token <= stored) {
      const conflict = { ok: false, ts: 0, error: 'lower', error_type: 'fence_conflict', details: { stored } };
      return Response.json(conflict, { status: 409 });
    }
    this.fleet.raised.push(`${strategy} ${token}`);
    return Response.json({ ok: true, ts: 0, strategy, token, magics, state: 'raised', raised_at: null });
  }
}

/** Rejects when a request is cancelled: its answer never comes. */
function cancellation(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}

/** The answer of a gateway with the journal `j`, which has no requests. */
function keyAnswer(url: string, method: string | undefined): Response {
  if (method === 'PUT') return Response.json({ ok: true, ts: 0, status: 'void' });
  if (!url.endsWith('/health')) {
    return Response.json({ ok: false, ts: 0, error: 'no such key', error_type: 'not_found' }, { status: 404 });
  }
  const journal = { id: 'j', state: 'ok', reason: null, sequence: 1 };
  const health = { status: 'ok', terminal_status: 'connected', account: null, kill_switch_active: false, journal };
  return Response.json({ ok: true, ts: 0, ...health });
}

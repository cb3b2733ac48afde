import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { VirtualClock } from '@libs/clock';
import { RouteMethods } from '@libs/envelope';
import type { Daemon } from '../../apps/daemon/src/daemon';
import { createDaemon } from '../../apps/daemon/src/daemon.app';
import { readDaemonSettings } from '../../apps/daemon/src/daemon.config';
import type { DaemonFile } from '../../apps/daemon/src/daemon-file/daemon-file';
import { ContractGateway } from '../../apps/daemon/src/testing/contract-gateway';
import { spec } from '../../apps/daemon/src/core/testing/spec';
import { answered, turnsOfDisk } from './answered';
import type { Operation, Parameter } from './documented-operations';
import { parsedJson, type FuzzAnswer, type FuzzRequest } from './fuzz-request';
import { fuzzKey } from './fuzzed-gateway';
import { KnownThings } from './known-things';
import { overSocket, requestBytes } from './raw-request';
import { injected, type Observation, type Plant, type Subject } from './subject';

/** The daemon's two kinds of HTTP servers. */
export type Port = 'control port' | 'strategy port';

const strategyPaths = ['/health', '/status', '/latency', '/events'];
/** What a route that only reads may answer. */
const statuses = [200, 400, 401, 403, 404, 405, 408, 429, 431];

/** The daemon with a portfolio and a strategy, before they run, and a gateway that counts what it is asked to trade. */
export class FuzzedDaemon implements Subject {
  readonly key = fuzzKey;
  readonly known = new KnownThings();
  private readonly clients = new Set<Socket>();
  readonly operations: readonly Operation[];

  private constructor(
    private readonly parts: Parts,
    private readonly port: Port,
  ) {
    this.operations = (port === 'control port' ? controlRoutes(parts.app) : strategyPaths).map(operationOf);
  }

  /** Starts it and reads the gateway once. @param plant a defect for a test to find */
  static async start(seed: number, port: Port, plant: Plant = () => undefined): Promise<FuzzedDaemon> {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    const gateway = await ContractGateway.start();
    const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
    const logger = pino({ level: 'silent' });
    const settings = readDaemonSettings({
      ...{ DAEMON_CONTROL_TOKEN: fuzzKey, DAEMON_LATENCY_TRACKING: String(seed % 2), DAEMON_WATCHDOG_MS: '1000' },
      ...{ DAEMON_MAX_HEAP_MB: '32', DAEMON_BAR_WAIT_SECONDS: '0' },
    });
    const configured = { readFile: () => daemonFile(gateway.url), apiKey: () => 'gateway-key' };
    const start = { settings, configured, stateDir: folder, host: '127.0.0.1' };
    const { daemon, control: app } = await createDaemon(start, logger, { clock });
    await daemon.verifyGateways();
    plant(app.getHttpAdapter().getInstance());
    await app.listen(0, '127.0.0.1');
    await daemon.openPorts();
    for (const { log } of daemon.strategies) for (let line = 0; line < 300; line++) log.info('a line', { line });
    await daemon.logs.flushed();
    return new FuzzedDaemon({ clock, gateway, folder, daemon, app }, port);
  }

  nowMs(): number {
    return this.parts.clock.nowMs();
  }

  async observe(request: FuzzRequest): Promise<Observation> {
    const { clock, gateway, daemon } = this.parts;
    await clock.advance(request.waitMs);
    const sent = gateway.sends.length;
    const strategies = daemon.strategies.length;
    const answers = [await answered(clock, this.send(request), turnsOfDisk)];
    const changes = [
      ...(gateway.sends.length === sent ? [] : ['requests to trade']),
      ...(daemon.strategies.length === strategies ? [] : ['the strategies']),
    ];
    return { request, answers, sends: [], changes };
  }

  undocumented({ method }: FuzzRequest, { status, headers, text }: FuzzAnswer): readonly string[] {
    const type = headers['content-type']?.split(';', 1)[0];
    const isRead = status === 200 && method !== 'HEAD';
    const isKnownType = type === 'text/plain' || type === 'text/event-stream' || type === 'application/json';
    return [
      ...(statuses.includes(status) ? [] : [`${status} is not an answer of a route that reads`]),
      ...(isKnownType ? [] : [`the content type is ${type}`]),
      ...(isRead && type === 'application/json' && parsedJson(text) === undefined ? ['the body is not JSON'] : []),
    ];
  }

  problemsAtEnd(): Promise<readonly string[]> {
    const { sends } = this.parts.gateway;
    return Promise.resolve(sends.length === 0 ? [] : ['reading has sent requests to trade']);
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.destroy();
    const { clock, app, daemon, gateway, folder } = this.parts;
    await answered(clock, daemon.stop(), turnsOfDisk);
    await answered(clock, app.close(), turnsOfDisk);
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  private send(request: FuzzRequest): Promise<FuzzAnswer | null> {
    const { app, daemon } = this.parts;
    if (this.port === 'strategy port')
      return overSocket(daemon.strategies[0]?.port ?? 0, requestBytes(request), this.clients);
    if (request.way === 'inject') return injected(app, request);
    const address = app.getHttpServer().address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return overSocket(port, requestBytes(request), this.clients);
  }
}

interface Parts {
  readonly clock: VirtualClock;
  readonly gateway: ContractGateway;
  readonly folder: string;
  readonly daemon: Daemon;
  readonly app: NestFastifyApplication;
}

/** The paths of the router itself, with parameters in braces. */
function controlRoutes(app: NestFastifyApplication): readonly string[] {
  return app.get(RouteMethods).routes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'));
}

/** The daemon has no OpenAPI document: its parameters are stated here. */
function operationOf(path: string): Operation {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
  const isLog = path.startsWith('/logs');
  return {
    ...{ method: 'GET', path, takesKey: false, body: null },
    isPublic: path === '/health',
    // Following a log has no end.
    isStream: isLog || path === '/events',
    parameters: [...inPath, ...(isLog ? logParameters : [])],
  };
}

const logParameters: readonly Parameter[] = [
  { name: 'lines', in: 'query', required: false, schema: { type: 'integer', minimum: 0 } },
  { name: 'since', in: 'query', required: false, schema: { type: 'string', format: 'date-time' } },
  { name: 'level', in: 'query', required: false, schema: { enum: ['debug', 'info', 'warn', 'warning', 'error'] } },
  { name: 'follow', in: 'query', required: false, schema: { enum: ['true', 'false'] } },
];

function daemonFile(url: string): DaemonFile {
  const maxClockSkewMs = null;
  const expect = { login: null, tradeMode: null };
  const strategy = (name: string, magic: number, portfolio: string | null) => ({ ...spec, name, magic, portfolio });
  const children = ['book/a', 'book/b'];
  return {
    gateways: [{ name: 'demo', url, apiKeyEnv: 'K', maxClockSkewMs, expect }],
    strategies: [strategy('solo', 1, null), ...children.map((name, at) => strategy(name, 2 + at, 'book'))],
    portfolios: [{ name: 'book', capital: 10_000, risk: { maxDailyLoss: null, maxDrawdownPct: null }, children }],
  };
}

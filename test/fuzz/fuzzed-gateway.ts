import type { Socket } from 'node:net';
import pino from 'pino';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { readSettings } from '@libs/settings';
import { catalogue, Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { createGateway } from '../../apps/gateway/src/gateway.app';
import { readGatewaySettings, type GatewaySettings } from '../../apps/gateway/src/gateway.config';
import { gatewayDocument } from '../../apps/gateway/src/gateway.docs';
import { TerminalSession } from '../../apps/gateway/src/terminal-session/terminal-session';
import { DocumentedAnswers } from '../../apps/gateway/src/testing/documented-answers';
import { SeededRandom } from '../simulation/seeded-random';
import { answered } from './answered';
import { documentedOperations, type Operation } from './documented-operations';
import { fuzzedSymbols } from './fitting-values';
import type { FuzzAnswer, FuzzRequest } from './fuzz-request';
import { KnownThings } from './known-things';
import { overSocket, requestBytes } from './raw-request';
import { recordedSends, type Send } from './recorded-sends';
import { routedUrl } from './routed-url';
import { injected, type Observation, type Plant, type Subject } from './subject';

export const fuzzKey = 'fuzz-key';

const account = { login: 100_001, password: 'simulator', server: 'Simulator-Demo' } as const;
const paths = { audit: '/log/order-audit.jsonl', killSwitch: '/log/kill-switch', state: '/state' } as const;
/** A trading day, in the morning. */
const startMs = Date.UTC(2026, 0, 7, 10);

/** One for all runs of a process: the document is the same whatever the settings are, and its schemas take long to compile. */
let documented: DocumentedAnswers | undefined;

/** The whole gateway on a simulated broker, disk and clock, without faults. */
export class FuzzedGateway implements Subject {
  readonly key = fuzzKey;
  readonly known = new KnownThings();
  private readonly clients = new Set<Socket>();
  readonly operations: readonly Operation[];

  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly clock: VirtualClock,
    private readonly disk: SimulatedDisk,
    private readonly simulator: Simulator,
    private readonly sends: Send[],
    private readonly port: number,
  ) {
    const document = gatewayDocument(app);
    this.operations = documentedOperations(document);
    documented ??= new DocumentedAnswers(document);
  }

  /** Starts it and waits for the terminal session. @param plant a defect for a test to find */
  static async start(seed: number, plant: Plant = () => undefined): Promise<FuzzedGateway> {
    const random = new SeededRandom(`gateway ${seed}`);
    const clock = new VirtualClock(startMs);
    const disk = new SimulatedDisk(clock, () => random.next());
    disk.setPace({ operationMs: 0, syncMs: 0, commitMs: 0 });
    const simulator = new Simulator(optionsOf(seed, random), clock);
    await simulator.start();
    const sends: Send[] = [];
    let ids = 0;
    const edge = { clock, ...disk.view, newId: () => `id-${seed}-${++ids}` };
    const terminal = recordedSends(simulator.connect(), sends);
    const created = createGateway(settings(random), pino({ level: 'silent' }), { ...edge, terminal });
    const app = await answered(clock, created);
    const fastify = app.getHttpAdapter().getInstance();
    plant(fastify);
    await answered(clock, app.listen(0, '127.0.0.1'));
    const session = app.get(TerminalSession);
    while (session.status().state !== 'connected') await clock.advance(10);
    const port = Number(new URL(await app.getUrl()).port);
    const gateway = new FuzzedGateway(app, clock, disk, simulator, sends, port);
    for (const symbol of fuzzedSymbols) await gateway.ask(`/symbol_info_tick/${symbol}`);
    return gateway;
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  async observe(request: FuzzRequest): Promise<Observation> {
    if (request.waitMs > 0) await this.clock.advance(request.waitMs);
    const sent = this.sends.length;
    const before = this.state();
    const answers = await answered(
      this.clock,
      Promise.all(Array.from({ length: request.copies }, () => this.send(request))),
    );
    for (const answer of answers) if (answer) this.known.learn(answer);
    const { positions, orders } = this.simulator.terminal.brokerNow().book;
    this.known.set('position', positions.keys());
    this.known.set('order', orders.keys());
    return { request, answers, sends: this.sends.slice(sent), changes: changesOf(before, this.state()) };
  }

  undocumented(request: FuzzRequest, answer: FuzzAnswer): readonly string[] {
    const { method } = request;
    const url = routedUrl(request.url);
    const contentType = answer.headers['content-type'];
    return documented?.problems({ method, url, contentType, status: answer.status, text: answer.text }) ?? [];
  }

  /** No request under way and none with an unknown outcome, no listener left, and the health is good. */
  async problemsAtEnd(): Promise<readonly string[]> {
    await this.ask('/kill/release', 'POST');
    await this.clock.advance(5_000);
    const ready = await this.ask('/health/ready');
    const { text } = await this.ask('/metrics');
    const listeners = text.split('\n').filter((line) => /^stream_listeners\{.*\} [1-9]/.test(line));
    const ids = this.sends.map(({ intentId }) => intentId);
    return [
      ...(ready.status === 200 ? [] : [`/health/ready answers ${ready.status}: ${ready.text}`]),
      ...listeners.map((line) => `a stream is open that no client reads: ${line}`),
      ...(new Set(ids).size === ids.length ? [] : ['an intent was sent twice']),
    ];
  }

  async stop(): Promise<void> {
    // The gateway waits for what it has to answer, as long as a client does.
    for (const client of this.clients) client.destroy();
    await answered(this.clock, this.app.close());
    await this.simulator.stop();
  }

  /** Requests that the broker did, for figures. */
  get doneSends(): number {
    return this.sends.filter(({ isDone }) => isDone).length;
  }

  private send(request: FuzzRequest): Promise<FuzzAnswer | null> {
    return request.way === 'inject' ? injected(this.app, request) : this.overSocket(request);
  }

  private overSocket(request: FuzzRequest): Promise<FuzzAnswer | null> {
    return overSocket(this.port, requestBytes(request), this.clients);
  }

  private async ask(url: string, method = 'GET'): Promise<FuzzAnswer> {
    const headers = [['authorization', `Bearer ${this.key}`]] as const;
    const rest = { body: null, credential: 'right', way: 'inject', waitMs: 0, copies: 1 } as const;
    const answer = await answered(this.clock, injected(this.app, { number: 0, method, url, headers, ...rest }));
    this.known.learn(answer);
    return answer;
  }

  /** The broker's books, and what the gateway has written. */
  private state(): State {
    const { book } = this.simulator.terminal.brokerNow();
    const positions = [...book.positions.values()].map(({ ticket, volume, sl, tp }) => [ticket, volume, sl, tp]);
    const orders = [...book.orders.values()].map((each) => [
      ...[each.ticket, each.volume_current, each.price_open, each.price_stoplimit],
      ...[each.sl, each.tp, each.time_expiration],
    ]);
    return {
      'the clock': this.clock.monotonicMs(),
      positions: JSON.stringify(positions),
      orders: JSON.stringify(orders),
      'the kill switch': this.disk.list(paths.killSwitch).length,
    };
  }
}

type State = Readonly<Record<string, string | number>>;

/** While time passes, the market changes positions and orders. */
function changesOf(before: State, after: State): readonly string[] {
  const isSameInstant = before['the clock'] === after['the clock'];
  return Object.keys(before).filter(
    (name) => before[name] !== after[name] && (isSameInstant ? name !== 'the clock' : name === 'the kill switch'),
  );
}

/** What differs between runs: limits are set in half of them. */
function settings(random: SeededRandom): GatewaySettings {
  const limits = {
    MAX_ORDERS_PER_MINUTE: '30',
    MAX_OPEN_VOLUME: '5',
    SYMBOL_WHITELIST: 'EURUSD,USDJPY',
    MAX_DAILY_LOSS: '5000',
  };
  return readGatewaySettings({
    API_KEY: fuzzKey,
    TERMINAL_DRIVER: 'bridge',
    TERMINAL_LOGIN: String(account.login),
    TERMINAL_PASSWORD: account.password,
    TERMINAL_SERVER: account.server,
    TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    ORDER_AUDIT_FILE: paths.audit,
    KILL_SWITCH_FILE: paths.killSwitch,
    STATE_DIR: paths.state,
    SHUTDOWN_DRAIN_SECONDS: '0',
    ...(random.chance(0.5) ? limits : {}),
    ...(random.chance(0.5) ? { CORS_ORIGINS: 'http://desk.example' } : {}),
  });
}

function optionsOf(seed: number, random: SeededRandom): ConstructorParameters<typeof Simulator>[0] {
  const options = simulatorOptions(
    readSettings(simulatorSettings, {
      ...{ SIM_SEED: String(seed), SIM_HISTORY_DAYS: '3', SIM_BALANCE: '1000000', SIM_HOURS: 'always' },
      SIM_MARGIN_MODE: random.chance(0.7) ? 'hedging' : 'netting',
    }),
  );
  return { ...options, symbols: catalogue.filter(({ name }) => fuzzedSymbols.includes(name)), pumpMs: 5_000 };
}

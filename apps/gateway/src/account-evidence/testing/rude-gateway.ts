import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings, type AccountOptions } from '@libs/simulator';
import {
  OrderType,
  Retcode,
  TradeAction,
  tradeRequest,
  type AccountInfo,
  type JournaledRequest,
  type LateOutcome,
  type OrderSendResult,
  type SendOutcome,
  type TradeRequest,
  type Unsubscribe,
  type SymbolInfo,
  type TerminalClient,
  type TerminalInfo,
  type BarColumns,
  type Tick,
  type TradePosition,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { withCalls } from '../replaced-calls';
import type { GatewayEdge } from '../../gateway.edge';
import { gatewayUnderTest, type GatewayUnderTest } from '../../testing/gateway-under-test';

/** A list of the terminal, by the call that reads it. */
export type ListName = 'positionsGet' | 'ordersGet' | 'historyOrdersGet' | 'historyDealsGet';
type Row = Readonly<Record<string, unknown>> & { readonly ticket: number };
/** What a terminal makes of the rows of a list. */
export type Habit = (list: ListName, rows: Row[]) => Row[];

const env = { SIM_HOURS: 'always', SIM_STATE_FILE: '' };

/** Habits of real terminals, by name. */
export const habits = {
  'lists are empty': () => [],
  'half of the positions is not loaded': (list, rows) =>
    list === 'positionsGet' ? rows.slice(0, Math.floor(rows.length / 2)) : rows,
  'the history has no deals': (list, rows) => (list === 'historyDealsGet' ? [] : rows),
} satisfies Record<string, Habit>;

/** The part of the edge that keeps files. */
type Disk = Pick<GatewayEdge, 'stores' | 'files'>;

export interface RudeAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A gateway whose terminal shows its lists with habits. Virtual time passes by itself. */
export class RudeGateway {
  habit: Habit | null = null;
  /** Called when the gateway begins a session. */
  onConnect: () => void = () => undefined;
  hasServer = true;
  /** What the next send is answered, which does not reach the broker. */
  answerToNext: SendOutcome | null = null;
  /** The intents of the sends, the latest last. */
  readonly sent: string[] = [];
  /** What the record of the account shows instead. */
  account: Partial<AccountInfo> | ((shown: AccountInfo) => Partial<AccountInfo>) = {};
  /** What quotes show instead. */
  quote: Partial<Tick> | null = {};
  /** Whether the last bar has a close of 0. */
  hasZeroBar = false;
  /** What records of symbols show instead. */
  terms: Partial<SymbolInfo> = {};
  private isRunning = true;
  private frozen = new Map<string, unknown>();
  private readonly lateListeners = new Set<(intentId: string, late: LateOutcome) => void>();
  gateway: GatewayUnderTest;

  private constructor(
    readonly clock: VirtualClock,
    readonly simulator: Simulator,
    public disk: Disk,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** @param makeDisk where the gateway keeps its files, also over restarts */
  static async start(
    makeDisk: (clock: VirtualClock) => Disk,
    settings: Readonly<Record<string, string>> = {},
    account: Partial<AccountOptions> = {},
  ): Promise<RudeGateway> {
    const clock = new VirtualClock();
    const options = simulatorOptions(readSettings(simulatorSettings, env));
    const simulator = new Simulator({ ...options, account: { ...options.account, ...account } }, clock);
    await simulator.start();
    const rude = new RudeGateway(clock, simulator, makeDisk(clock), settings);
    void rude.passTime();
    await rude.startGateway();
    return rude;
  }

  /** Stops the gateway and starts it again on the same disk. */
  async restart(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.gateway.stop();
    await meanwhile();
    await this.startGateway();
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    this.isRunning = false;
    await this.simulator.stop();
  }

  post(url: string, payload: object, key?: string): Promise<RudeAnswer> {
    return this.send('POST', url, payload, key);
  }

  async send(method: 'POST' | 'PUT' | 'DELETE', url: string, payload: object, key?: string): Promise<RudeAnswer> {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const body = method === 'DELETE' ? {} : { payload };
    const answer = await this.gateway.call({ method, url, headers, ...body });
    return { status: answer.statusCode, body: JSON.parse(answer.body) as Record<string, unknown> };
  }

  async get(url: string): Promise<RudeAnswer> {
    const { statusCode, body } = await this.gateway.call({ method: 'GET', url });
    return { status: statusCode, body: JSON.parse(body) as Record<string, unknown> };
  }

  /** Buys at market. @returns the ticket of the position */
  async buy(fields: object = {}): Promise<number> {
    const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7, ...fields };
    const { status, body } = await this.post('/order', order);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return Number((body.result as { order: number }).order);
  }

  /** Answers a send after its deadline. */
  answerLate(intentId: string, result: Partial<OrderSendResult>): void {
    const done = { ...{ retcode: Retcode.DONE, deal: 0, order: 0, volume: 0, price: 0, bid: 0, ask: 0 }, comment: '' };
    const answer = { ...done, request_id: 0, retcode_external: 0, ...result };
    for (const listener of this.lateListeners) listener(intentId, { kind: 'answered', result: answer });
  }

  /** The positions in the broker's books. */
  async atBroker(): Promise<TradePosition[]> {
    return this.simulator.direct().positionsGet();
  }

  /** Trades past the gateway, as a person at the terminal does: buys 0.1 lots of a symbol unless more is asked. */
  async byHand(symbol: string, fields: Partial<TradeRequest> = {}): Promise<void> {
    const session = this.simulator.connect();
    await session.connect();
    const request = { action: TradeAction.DEAL, symbol, volume: 0.1, type: OrderType.BUY, ...fields };
    await session.orderSend(sealRequest('by hand', tradeRequest(request)));
    await session.shutdown();
  }

  private async startGateway(): Promise<void> {
    const options = { clock: this.clock, ...this.disk, terminal: this.terminal(), folder: '/disk' };
    const settings = { ...env, TERMINAL_TRADE_TIMEOUT_MS: '2000', ...this.settings };
    this.gateway = await gatewayUnderTest({ ...options, env: settings });
    await this.clock.sleep(3_000);
  }

  private async passTime(): Promise<void> {
    while (this.isRunning) await this.clock.advance(20);
  }

  /** A terminal that is polled, with its habits. */
  private terminal(): TerminalClient {
    const terminal = this.simulator.connect();
    const list =
      <Args extends unknown[], R extends { readonly ticket: number }>(
        name: ListName,
        read: (...args: Args) => Promise<R[]>,
      ) =>
      async (...args: Args): Promise<R[]> => {
        const rows = await this.frozenOr(`${name}${JSON.stringify(args)}`, () => read.apply(terminal, args));
        return (this.habit ? this.habit(name, rows as unknown[] as Row[]) : rows) as unknown[] as R[];
      };
    const rude = withCalls(terminal, {
      connect: async (): Promise<void> => {
        await terminal.connect();
        this.onConnect();
      },
      terminalInfo: async (): Promise<TerminalInfo> => ({
        ...(await terminal.terminalInfo()),
        connected: this.hasServer,
      }),
      accountInfo: async (): Promise<AccountInfo | null> => {
        const account = await this.frozenOr('account', () => terminal.accountInfo());
        const habit = this.account;
        return account && { ...account, ...(typeof habit === 'function' ? habit(account) : habit) };
      },
      symbolInfo: async (symbol: string): Promise<SymbolInfo | null> => {
        const info = await terminal.symbolInfo(symbol);
        return info && { ...info, ...this.terms };
      },
      symbolInfoTick: async (symbol: string): Promise<Tick | null> => {
        const tick = await terminal.symbolInfoTick(symbol);
        return tick && this.quote && { ...tick, ...this.quote };
      },
      copyRatesFromPos: async (...args: Parameters<TerminalClient['copyRatesFromPos']>): Promise<BarColumns | null> => {
        const bars = await terminal.copyRatesFromPos(...args);
        return bars && this.hasZeroBar ? { ...bars, close: [...Array.from(bars.close).slice(0, -1), 0] } : bars;
      },
      orderSend: (request: JournaledRequest): Promise<SendOutcome> => {
        this.sent.push(request.intentId);
        const answer = this.answerToNext;
        this.answerToNext = null;
        return answer ? Promise.resolve(answer) : terminal.orderSend(request);
      },
      onLateAnswer: (listener: (intentId: string, late: LateOutcome) => void): Unsubscribe => {
        this.lateListeners.add(listener);
        return () => this.lateListeners.delete(listener);
      },
      positionsGet: list('positionsGet', terminal.positionsGet.bind(terminal)),
      ordersGet: list('ordersGet', terminal.ordersGet.bind(terminal)),
      historyOrdersGet: list('historyOrdersGet', terminal.historyOrdersGet.bind(terminal)),
      historyDealsGet: list('historyDealsGet', terminal.historyDealsGet.bind(terminal)),
    });
    return new Proxy(rude, { get: (target, name): unknown => (name === 'pushes' ? null : Reflect.get(target, name)) });
  }

  /** While the server is lost, everything is as it was before. */
  private async frozenOr<T>(key: string, read: () => Promise<T>): Promise<T> {
    if (this.hasServer) this.frozen = new Map();
    const known = this.frozen.get(key);
    if (known !== undefined) return known as T;
    const value = await read();
    if (!this.hasServer) this.frozen.set(key, value);
    return value;
  }
}

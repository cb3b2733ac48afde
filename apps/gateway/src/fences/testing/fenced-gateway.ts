import type { VirtualClock } from '@libs/clock';
import { Simulator, simulatorOptions } from '@libs/simulator';
import type { TerminalClient, TradeRequest } from '@libs/terminal-client';
import { readGatewaySettings } from '../../gateway.config';
import type { GatewayEdge } from '../../gateway.edge';
import { gatewayUnderTest, type GatewayUnderTest } from '../../testing/gateway-under-test';

/** A simulated disk. */
export interface DiskUnderTest {
  readonly view: Pick<GatewayEdge, 'files' | 'stores'>;
  crash(kind: 'process' | 'power'): unknown;
  setPace(pace: { readonly operationMs?: number; readonly syncMs?: number; readonly commitMs?: number }): void;
}

export interface FencedAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A send as the broker's side of the terminal sees it. */
export interface SeenSend {
  readonly request: TradeRequest;
  isAnswered: boolean;
}

const market = { SIM_HOURS: 'always', SIM_STATE_FILE: '' };

/** A gateway on a simulated disk and with a broker that outlives it, on virtual time that advances automatically. */
export class FencedGateway<Disk extends DiskUnderTest> {
  readonly broker: Simulator;
  /** Every send, in the order in which they left the gateway. */
  readonly sends: SeenSend[] = [];
  private gateway: GatewayUnderTest | null = null;
  private isRunning = true;
  private runs = 0;

  /** @param sees is called in the step of each send */
  constructor(
    readonly clock: VirtualClock,
    readonly disk: Disk,
    private readonly sees: (send: SeenSend) => void = () => undefined,
  ) {
    this.broker = new Simulator(simulatorOptions(readGatewaySettings(market)), clock);
  }

  async start(): Promise<void> {
    await this.broker.start();
    void this.passTime();
    await this.open();
  }

  get app(): GatewayUnderTest['app'] {
    if (!this.gateway) throw new Error('the gateway does not run');
    return this.gateway.app;
  }

  /** Grows with each crash; answers of an earlier run do not come. */
  get run(): number {
    return this.runs;
  }

  /** Ends the program like a kill or a loss of power, and starts another one on what the disk kept. */
  async crash(kind: 'process' | 'power'): Promise<void> {
    this.runs++;
    this.disk.crash(kind);
    // The dead program is not stopped: it would wait for its disk forever.
    await this.open();
  }

  async ask(method: 'GET' | 'POST' | 'PUT', url: string, payload: object, headers = {}): Promise<FencedAnswer> {
    if (!this.gateway) throw new Error('the gateway does not run');
    const { statusCode, json } = await this.gateway.call({ method, url, payload, headers });
    return { status: statusCode, body: json<FencedAnswer['body']>() };
  }

  raise(name: string, token: number): Promise<FencedAnswer> {
    return this.ask('PUT', `/fences/${name}`, { token });
  }

  buy(fence: string, key: string, fields: object = {}): Promise<FencedAnswer> {
    const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, ...fields };
    return this.ask('POST', '/order', order, { 'x-fence': fence, 'idempotency-key': key });
  }

  async stop(): Promise<void> {
    this.disk.setPace({ operationMs: 0, syncMs: 0, commitMs: 0 });
    this.broker.faults.clear();
    await this.gateway?.stop();
    this.isRunning = false;
    await this.broker.stop();
  }

  private async open(): Promise<void> {
    const terminal = watched(this.broker.connect(), (request) => {
      const send = { request, isAnswered: false };
      this.sends.push(send);
      this.sees(send);
      return send;
    });
    const { clock } = this;
    this.gateway = await gatewayUnderTest({ clock, terminal, ...this.disk.view, folder: '/disk', env: market });
  }

  private async passTime(): Promise<void> {
    while (this.isRunning) await this.clock.advance(5);
  }
}

function watched(client: TerminalClient, sees: (request: TradeRequest) => SeenSend): TerminalClient {
  return new Proxy(client, {
    get(target, name) {
      if (name === 'orderSend') {
        return async (sealed: Parameters<TerminalClient['orderSend']>[0]) => {
          const send = sees(sealed.request);
          const outcome = await target.orderSend(sealed);
          send.isAnswered = true;
          return outcome;
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

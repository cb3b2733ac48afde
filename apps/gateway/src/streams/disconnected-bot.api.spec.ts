import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { VirtualClock } from '@libs/clock';
import { GatewayClient, type TradeEventRecord } from '@libs/gateway-client';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';
import { TradeWatcher } from './trade-watcher';

/** A line to the gateway that can be cut. */
class Line {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(port: number): Promise<Line> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = new Line(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (near) => line.join(near, connect(port, '127.0.0.1')));
    return line;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (this.isCut) near.destroy();
    near.pipe(far).pipe(near);
  }
}

describe('a bot that is disconnected for a minute while it trades', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
  let gateway: GatewayUnderTest;
  let line: Line;
  let requests = 0;

  beforeAll(async () => {
    gateway = await gatewayUnderTest({ clock });
    await gateway.app.listen(0, '127.0.0.1');
    line = await Line.to(Number(new URL(await gateway.app.getUrl()).port));
  });

  afterAll(async () => {
    await line.close();
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const post = async (url: string, payload: object): Promise<number> => {
    const headers = { 'idempotency-key': `cut-off-${requests++}` };
    const response = await gateway.call({ method: 'POST', url, headers, payload });
    expect(response.statusCode).toBe(200);
    return response.json<{ result: { order: number } }>().result.order;
  };
  /** Advances time and takes two snapshots: the one that may be running, and one that starts after it. */
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await gateway.app.get(TradeWatcher).look();
    await gateway.app.get(TradeWatcher).look();
  };
  /** Ten seconds of trading: one position opened, protected, reduced and closed, one left open. */
  const trade = async (): Promise<void> => {
    const ticket = await post('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.2 });
    await post('/order', { symbol: 'EURUSD', type: 'SELL', volume: 0.1 });
    await pass(3_000);
    await post('/modify_sl_tp', { position: ticket, sl: 0.5 });
    await pass(3_000);
    await post('/close_position', { position: { ticket, volume: 0.1 } });
    await pass(2_000);
    await post('/close_position', { position: { ticket } });
    await pass(2_000);
  };

  it('receives every trade event exactly once', async () => {
    const told: TradeEventRecord[] = [];
    const kinds: string[] = [];
    const abort = new AbortController();
    const client = new GatewayClient({ baseUrl: line.url, apiKey: testKey });
    const stream = client.streams.trades({ signal: abort.signal, backoffMs: 5 });
    expect((await stream.next()).value).toEqual({ kind: 'connected' });
    const bot = (async () => {
      for await (const message of stream) {
        kinds.push(message.kind);
        if (message.kind === 'event') told.push(message.event);
      }
    })();

    await trade();
    while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
    line.cut();
    for (let turn = 0; turn < 6; turn++) await trade();
    while (!kinds.includes('disconnected')) await new Promise((resolve) => setImmediate(resolve));
    line.mend();
    await trade();

    const log = (await gateway.call('/events?limit=1000')).json<{ data: TradeEventRecord[]; last_seq: number }>();
    while (told.at(-1)?.seq !== log.last_seq) await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    await bot;
    expect(told).toEqual(log.data);
    expect(kinds).not.toContain('resync');
    const positions = log.data.filter(({ event }) => event === 'position').map(({ action }) => action);
    expect(positions.filter((action) => action === 'opened')).toHaveLength(16);
    expect(positions.filter((action) => action === 'partially_closed')).toHaveLength(8);
    expect(positions.filter((action) => action === 'closed')).toHaveLength(8);
  });
});

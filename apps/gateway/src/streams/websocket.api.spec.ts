import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { WebSocket } from 'ws';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';
import { SseReader } from './testing/sse-reader';
import { StreamConnections } from './stream-connections';
import { closeCodeIn, frame, many, parsed, received } from './testing/websocket-bytes';
import { WebSocketReader } from './testing/websocket-reader';
import { TradeWatcher } from './trade-watcher';

const bearer = { authorization: `Bearer ${testKey}` };
const isPosition = ({ event }: { readonly event?: string | undefined }) => event === 'position';
const encoded = (key: string) => Buffer.from(key).toString('base64url');

describe('a stream as a WebSocket', () => {
  let clock: VirtualClock;
  let gateway: GatewayUnderTest;
  let url: string;
  const opened: { close(): void }[] = [];

  beforeAll(async () => {
    clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
    const env = { CORS_ORIGINS: 'https://desk.example', API_KEY_READONLY: 'only-reads' };
    gateway = await gatewayUnderTest({ clock, env });
    await gateway.app.listen(0, '127.0.0.1');
    url = await gateway.app.getUrl();
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) each.close();
    while (gateway.app.get(StreamConnections).count > 0) await new Promise((resolve) => setImmediate(resolve));
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const keep = <T extends { close(): void }>(reader: T): T => {
    opened.push(reader);
    return reader;
  };
  const open = async (path: string, headers: Record<string, string> = bearer, protocols: string[] = []) =>
    keep(await WebSocketReader.open({ url: `${url}${path}`, headers, protocols }));
  const buy = async (magic = 5): Promise<number> => {
    const payload = { symbol: 'EURUSD', type: 'BUY', volume: 0.01, magic };
    const answer = await gateway.call({ method: 'POST', url: '/order', payload });
    await gateway.app.get(TradeWatcher).look();
    return answer.json<{ result: { order: number } }>().result.order;
  };
  const metric = async (pattern: RegExp) => Number(pattern.exec((await gateway.call('/metrics')).payload)?.[1] ?? 0);
  const listeners = () => gateway.app.get(StreamConnections).count;
  const refusal = (path: string, headers: Record<string, string>, protocols: string[] = []) =>
    open(path, headers, protocols).then(
      () => 'accepted',
      (error: Error) => error.message,
    );

  it('sends the events of the server-sent stream, with the same numbers', async () => {
    const sse = keep(await SseReader.open({ url: `${url}/stream/trades`, key: testKey }));
    const socket = await open('/stream/trades');
    const ticket = await buy();
    const event = await sse.first(isPosition);
    expect(await socket.first(isPosition)).toMatchObject({ id: Number(event.id), data: { ticket } });
    expect(socket.messages).toEqual(
      sse.messages.map((message) => ({ event: message.event, id: Number(message.id), data: JSON.parse(message.data) })),
    );
  });

  it('sends the quotes of the server-sent stream, with the same numbers', async () => {
    const sse = keep(await SseReader.open({ url: `${url}/stream/ticks?symbols=EURUSD,GBPUSD`, key: testKey }));
    const socket = await open('/stream/ticks?symbols=EURUSD,GBPUSD');
    await clock.advance(5_000);
    const last = sse.messages.filter(({ event }) => event === 'tick').at(-1);
    if (!last?.id) throw new Error('no quote arrived');
    await socket.first(({ id }) => id === Number(last.id));
    for (const { event, id, data } of sse.messages)
      expect(socket.messages).toContainEqual({ event, id: Number(id), data: JSON.parse(data) });
  });

  it('continues after a number', async () => {
    const first = await open('/stream/trades');
    await buy();
    const { id = 0 } = await first.first(isPosition);
    first.close();
    const ticket = await buy();
    const second = await open(`/stream/trades?since=${id}`);
    await second.first(({ event, data }) => isPosition({ event }) && data['ticket'] === ticket);
    expect(second.messages.map((message) => message.id)).toEqual(second.messages.map((_each, index) => id + 1 + index));
    const strange = await open('/stream/trades?since=17');
    expect((await strange.first(({ event }) => event === 'resync')).data).toMatchObject({ reason: 'too_old' });
  });

  it('takes the key from a page as a subprotocol, and never repeats it', async () => {
    for (const key of [testKey, 'only-reads']) {
      const socket = await open('/stream/trades', {}, ['trading-gateway', `bearer.${encoded(key)}`]);
      expect(socket.socket.protocol).toBe('trading-gateway');
      await socket.first(({ event }) => event === 'ready');
    }
  });

  it('is followed without a gap by the page in docs/http.md', async () => {
    const [script = ''] = /(?<=```js\n)[^]*?(?=```)/.exec(readFileSync(join('docs', 'http.md'), 'utf8')) ?? [];
    const sockets: WebSocket[] = [];
    class PageSocket extends WebSocket {
      constructor(address: string, protocols: string[]) {
        super(address, protocols);
        sockets.push(this);
        keep({ close: () => this.terminate() });
      }
    }
    const shown: unknown[] = [];
    const reconnects: (() => void)[] = [];
    const page = { gateway: url.replace('http', 'ws'), key: testKey, WebSocket: PageSocket, btoa };
    const environment = {
      ...page,
      setTimeout: (reconnect: () => void) => reconnects.push(reconnect),
      show: (event: string, data: { readonly seq: number }) => shown.push([event, data.seq]),
    };
    runInNewContext(script, environment);
    const until = async (isReached: () => boolean) => {
      while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
    };
    await until(() => shown.length === 1);
    await buy();
    await until(() => shown.length === 4);
    sockets[0]?.terminate();
    await until(() => reconnects.length === 1);
    await buy();
    reconnects[0]?.();
    await until(() => shown.length === 7);
    const { data } = (await gateway.call('/events?limit=1000')).json<{ data: { event: string; seq: number }[] }>();
    expect(shown.slice(1)).toEqual(data.slice(-6).map(({ event, seq }) => [event, seq]));
  });

  it.each([
    ['no key', {}, [], 401],
    ['a wrong key', { authorization: 'Bearer wrong' }, [], 401],
    ['a wrong key as a subprotocol', {}, ['trading-gateway', `bearer.${encoded('wrong')}`], 401],
    ['an empty key as a subprotocol', {}, ['trading-gateway', 'bearer.'], 401],
    ['a wrong key beside the right one', { authorization: 'Bearer wrong' }, [`bearer.${encoded(testKey)}`], 401],
    ['only the key as a subprotocol', {}, [`bearer.${encoded(testKey)}`], 400],
    ['another page', { ...bearer, origin: 'https://evil.example' }, [], 403],
    ['a page without an origin', { ...bearer, origin: 'null' }, [], 403],
    ['an unknown account', { ...bearer, 'x-expect-login': '7' }, [], 412],
  ])('refuses %s', async (_case, headers, protocols, status) => {
    expect(await refusal('/stream/trades', headers, protocols)).toBe(`Unexpected server response: ${status}`);
  });

  it('accepts pages of CORS_ORIGINS and of the gateway itself', async () => {
    for (const origin of ['https://desk.example', url]) await open('/stream/trades', { ...bearer, origin });
    expect(listeners()).toBe(2);
  });

  it.each([
    ['/stream/ticks', 400],
    ['/stream/ticks?symbols=NOSUCH', 404],
    ['/stream/trades?since=x', 400],
  ])('answers %s in the envelope', async (path, status) => {
    expect(await refusal(path, bearer)).toBe(`Unexpected server response: ${status}`);
  });

  it.each([
    ['Sec-WebSocket-Version', { 'Sec-WebSocket-Version': '12' }],
    ['Sec-WebSocket-Key', { 'Sec-WebSocket-Key': 'short' }],
    ['Sec-WebSocket-Protocol', { 'Sec-WebSocket-Protocol': 'a, a' }],
  ])('names a wrong %s', async (field, headers) => {
    const { status, body } = parsed(await raw({ headers: { ...headers, Connection: 'Upgrade, close' } }));
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error_type: 'validation_error', details: [{ field }] });
  });

  it('counts as a request in the metrics, and carries a request id', async () => {
    const before = await metric(/^http_request_duration_seconds_count\{[^}]*status="101"[^}]*\} (\d+)$/m);
    expect(parsed(await raw({ until: '\r\n\r\n' })).head).toMatch(/^x-request-id: \S+$/im);
    expect(await metric(/^http_request_duration_seconds_count\{[^}]*status="101"[^}]*\} (\d+)$/m)).toBe(before + 1);
  });

  it('sends a heartbeat every 15 seconds, as a message and as a ping', async () => {
    const socket = await open('/stream/trades');
    await clock.advance(15_100);
    await socket.pinged();
    expect(await socket.first(({ event }) => event === 'heartbeat')).toEqual({ event: 'heartbeat', data: {} });
  });

  it('disconnects a client that answers no ping for a minute', async () => {
    const live = await open('/stream/trades');
    const dead = rawSocket().resume();
    while (listeners() < 2) await new Promise((resolve) => setImmediate(resolve));
    const gone = new Promise((resolve) => dead.once('close', resolve));
    for (let beat = 1; beat <= 6; beat++) {
      await clock.advance(15_000);
      while (live.pings.length < beat) await new Promise((resolve) => setImmediate(resolve));
      // The pong of a client that is alive takes a turn of both loops.
      await gateway.call('/health/live');
    }
    await gone;
    expect(live.closeCode).toBeNull();
  });

  describe('whose client sends', () => {
    const text = frame({ opcode: 1, payload: Buffer.from('{"magic":1}') });
    it.each([
      ['a message', text, 1_008],
      ['a binary message', frame({ opcode: 2, payload: Buffer.from([1]) }), 1_008],
      [
        'a message in parts',
        Buffer.concat([frame({ opcode: 1, fin: false }), frame({ opcode: 0, payload: Buffer.from('x') })]),
        1_008,
      ],
      [
        'too many parts',
        Buffer.concat([frame({ opcode: 1, fin: false }), many(20, frame({ opcode: 0, fin: false }))]),
        1_008,
      ],
      ['too large a message', frame({ opcode: 1, payload: Buffer.alloc(1_025, 'x') }), 1_009],
      ['the head of an enormous message', Buffer.from('81ff7fffffffffffffff00000000', 'hex'), 1_009],
      ['text that is not UTF-8', frame({ opcode: 1, payload: Buffer.from([0xff, 0xfe]) }), 1_007],
      ['an unmasked frame', Buffer.from([0x81, 0x01, 0x61]), 1_002],
      ['a compressed frame', frame({ opcode: 1, rsv1: true, payload: Buffer.from('x') }), 1_002],
      ['an unknown opcode', frame({ opcode: 3 }), 1_002],
      ['a continuation of nothing', frame({ opcode: 0 }), 1_002],
      ['too long a ping', frame({ opcode: 9, payload: Buffer.alloc(126) }), 1_002],
    ])('%s is disconnected with the code for it, and no other client', async (_case, bytes, code) => {
      const other = await open('/stream/trades');
      const received = await raw({ then: bytes });
      expect(closeCodeIn(received)).toBe(code);
      const ticket = await buy();
      await other.first(({ event, data }) => isPosition({ event }) && data['ticket'] === ticket);
      expect(other.closeCode).toBeNull();
    });

    it('thousands of pings is cut off or answered, and no other client notices', async () => {
      const other = await open('/stream/trades');
      const flood = many(20_000, frame({ opcode: 9, payload: Buffer.from('ping') }));
      await raw({ then: Buffer.concat([flood, frame({ opcode: 8, payload: Buffer.from([3, 232]) })]) });
      const ticket = await buy();
      await other.first(({ data }) => data['ticket'] === ticket);
      expect(other.closeCode).toBeNull();
    });
  });

  it('offers no compression', async () => {
    const headers = { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' };
    expect(parsed(await raw({ headers, until: '\r\n\r\n' })).head).not.toMatch(/extensions/i);
  });

  it('closes in order when the gateway stops', async () => {
    const [trades, ticks] = [await open('/stream/trades'), await open('/stream/ticks?symbols=EURUSD')];
    await gateway.app.close();
    expect([await trades.closed(), await ticks.closed()]).toEqual([1_001, 1_001]);
  });

  interface Raw {
    readonly headers?: Readonly<Record<string, string>>;
    /** Sent after the answer to the handshake. */
    readonly then?: Buffer;
    /** Ends the connection after this. */
    readonly until?: string;
  }
  const rawSocket = (headers: Readonly<Record<string, string>> = {}) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    keep({ close: () => socket.destroy() });
    socket.on('error', () => undefined);
    const all = {
      ...{ Host: 'gateway', Upgrade: 'websocket', Connection: 'Upgrade', Authorization: bearer.authorization },
      ...{ 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /stream/trades HTTP/1.1\r\n${lines.join('')}\r\n`);
    return socket;
  };
  /** Everything that the server sends on a connection, until its close frame, its end, or `until`. */
  const raw = ({ headers, then, until }: Raw): Promise<Buffer> => received(rawSocket(headers), then, until);
});

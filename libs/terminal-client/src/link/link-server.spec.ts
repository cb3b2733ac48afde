import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import fc from 'fast-check';
import { tradeRequest } from '../trade-request';
import { LinkServer } from './link-server';
import type { LinkServerOptions } from './link-server-options';
import { rawClient, type RawPeer } from './testing/raw-peer';

const hello = { id: 1, method: 'hello', params: { token: 'secret', protocol: 1 } };
const buy = tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1, type: 0, comment: 'once' });

let clock: VirtualClock;
let simulator: Simulator;
let server: LinkServer;
let port: number;

async function serve(options: Partial<LinkServerOptions> = {}): Promise<void> {
  server = new LinkServer(
    { token: 'secret', port: 0, driver: 'simulator', build: 5_000, ...options },
    () => simulator.connect(),
    clock,
  );
  port = await server.listen();
}

beforeEach(async () => {
  clock = new VirtualClock(Date.UTC(2024, 4, 14, 10));
  const settings = readSettings(simulatorSettings, { SIM_HISTORY_DAYS: '2' });
  simulator = new Simulator({ ...simulatorOptions(settings), pumpMs: 0 }, clock);
  await simulator.start();
  simulator.loginByHand();
});
afterEach(async () => {
  await server.close();
  await simulator.stop();
});

async function attached(): Promise<RawPeer> {
  const peer = await rawClient(port);
  peer.say(hello);
  await peer.next();
  peer.say({ id: 2, method: 'connect', params: [] });
  await peer.next();
  return peer;
}

async function positions(): Promise<number> {
  const session = simulator.connect();
  await session.connect();
  return (await session.positionsGet()).length;
}

describe('the greeting', () => {
  it('names the driver and the build', async () => {
    await serve();
    const peer = await rawClient(port);
    peer.say(hello);
    expect(await peer.next()).toMatchObject({ id: 1, result: { driver: 'simulator', build: 5_000 } });
  });

  it.each([
    ['a wrong token', { token: 'guess', protocol: 1 }, 'unauthorised'],
    ['an empty token', { token: '', protocol: 1 }, 'unauthorised'],
    ['no token', { protocol: 1 }, 'unauthorised'],
    ['no parameters', null, 'unauthorised'],
    ['another protocol', { token: 'secret', protocol: 2 }, 'protocol'],
  ])('with %s is an error and the end of the connection', async (_what, params, kind) => {
    await serve();
    const peer = await rawClient(port);
    peer.say({ id: 1, method: 'hello', params });
    expect(await peer.next()).toMatchObject({ id: 1, error: { data: { kind } } });
    expect(await peer.closed).toBe('closed');
  });

  it('must come first', async () => {
    await serve();
    const peer = await rawClient(port);
    peer.say({ id: 1, method: 'orderSend', params: ['intent', buy] });
    expect(await peer.next()).toMatchObject({ error: { data: { kind: 'unauthorised' } } });
    expect(await peer.closed).toBe('closed');
    expect(await positions()).toBe(0);
  });

  it('must arrive within ten seconds', async () => {
    await serve();
    const peer = await rawClient(port);
    // A first peer that is served proves that the second has been accepted.
    await attached();
    await clock.advance(10_000);
    expect(await peer.closed).toBe('closed');
  });
});

describe('a conversation', () => {
  it('is parsed for any chunk boundaries', async () => {
    await serve();
    const calls = [
      hello,
      { id: 2, method: 'connect', params: [] },
      { id: 3, method: 'accountInfo', params: [] },
      { id: 4, method: 'symbolInfoTick', params: ['EURUSD'] },
      { id: 5, method: 'symbolInfo', params: ['Ünknown €'] },
      { id: 6, method: 'ping', params: [] },
      { id: 7, method: 'positionsGet', params: [{ symbol: 'EURUSD' }] },
    ];
    const bytes = Buffer.from(calls.map((call) => `${JSON.stringify({ jsonrpc: '2.0', ...call })}\n`).join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }), async (cuts) => {
        const peer = await rawClient(port);
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (const [index, end] of edges.slice(1).entries()) {
          peer.socket.write(bytes.subarray(edges[index], end));
          await new Promise((resolve) => setImmediate(resolve));
        }
        const answers = new Map<number, unknown>();
        while (answers.size < calls.length) {
          const answer = await peer.next();
          answers.set(Number(answer?.id), answer?.result);
        }
        peer.socket.destroy();
        expect([...answers.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
        expect(answers.get(3)).toMatchObject({ login: 100_001 });
        expect([answers.get(5), answers.get(6), answers.get(7)]).toEqual([null, 'pong', []]);
      }),
      { numRuns: 25 },
    );
  });

  it('survives any data from a peer, and serves the next peer normally', async () => {
    await serve();
    const nonsense = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(`${text}\n`)),
      fc
        .record({
          id: fc.integer(),
          method: fc.constantFrom('login', 'ticks', 'orderSend', '__proto__', 'toString', 'x'),
        })
        .chain((call) =>
          fc.jsonValue().map((params) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...call, params })}\n`)),
        ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(nonsense, { maxLength: 8 }), async (chunks) => {
        const peer = await attached();
        for (const chunk of chunks) peer.socket.write(chunk);
        peer.socket.end();
        await peer.closed;
        const next = await attached();
        next.say({ id: 3, method: 'accountInfo', params: [] });
        expect(await next.next()).toMatchObject({ id: 3, result: { login: 100_001 } });
        next.socket.destroy();
      }),
      { numRuns: 40 },
    );
    expect(await positions()).toBe(0);
  });

  it.each([
    ['an unknown method', { method: 'hasOwnProperty', params: [] }],
    ['parameters by name', { method: 'symbolInfo', params: { symbol: 'EURUSD' } }],
    ['a parameter of the wrong kind', { method: 'symbolInfo', params: [7] }],
    ['an unknown timeframe', { method: 'copyRatesFromPos', params: ['EURUSD', 7, 0, 1] }],
    ['a request with a field missing', { method: 'orderSend', params: ['intent', { ...buy, volume: undefined }] }],
  ])('answers %s with an error and continues', async (_what, call) => {
    await serve();
    const peer = await attached();
    peer.say({ id: 3, ...call });
    expect(await peer.next()).toMatchObject({ id: 3, error: { data: { kind: 'protocol' } } });
    peer.say({ id: 4, method: 'ping' });
    expect(await peer.next()).toMatchObject({ id: 4, result: 'pong' });
    expect(await positions()).toBe(0);
  });

  it('answers with an error if the result does not fit in a line', async () => {
    await serve({ maxAnswerBytes: 2_000 });
    const peer = await attached();
    peer.say({ id: 3, method: 'symbolsGet', params: [null] });
    expect(await peer.next()).toMatchObject({ id: 3, error: { code: -3, data: { kind: 'failed' } } });
    peer.say({ id: 4, method: 'symbolInfoTick', params: ['EURUSD'] });
    expect(await peer.next()).toMatchObject({ id: 4, result: { bid: expect.any(Number) } });
  });

  it('disconnects a peer that sends a line without an end', async () => {
    await serve();
    const peer = await attached();
    peer.socket.write('x'.repeat(33 * 1024 * 1024));
    expect(await peer.closed).toBe('closed');
  });

  it('answers its extensions while the link is interrupted', async () => {
    const extensions = { 'test.end': async () => 'ended' };
    await serve({ extensions, interrupt: () => 'no-answer' });
    const peer = await rawClient(port);
    peer.say(hello);
    await peer.next();
    peer.say({ id: 2, method: 'symbolInfoTick', params: ['EURUSD'] });
    peer.say({ id: 3, method: 'test.end', params: [] });
    expect(await peer.next()).toMatchObject({ id: 3, result: 'ended' });
  });

  it('rejects the methods of the port if it serves only extensions', async () => {
    await serve({ extensions: { 'test.end': async () => 'ended' }, extensionsOnly: true });
    const peer = await rawClient(port);
    peer.say(hello);
    await peer.next();
    peer.say({ id: 2, method: 'orderSend', params: ['intent', buy, 20_000] });
    expect(await peer.next()).toMatchObject({ id: 2, error: { data: { kind: 'protocol' } } });
    peer.say({ id: 3, method: 'test.end' });
    expect(await peer.next()).toMatchObject({ id: 3, result: 'ended' });
  });

  it('disconnects a peer that does not read', async () => {
    const text = 'x'.repeat(8 * 1024 * 1024);
    await serve({ extensions: { 'test.bulk': async () => text } });
    const peer = await attached();
    peer.socket.pause();
    for (let id = 3; id < 23; id++) peer.say({ id, method: 'test.bulk', params: [] });
    const other = await attached();
    other.say({ id: 3, method: 'ping' });
    expect(await other.next()).toMatchObject({ result: 'pong' });
    peer.socket.resume();
    expect(await peer.closed).toBe('closed');
  });

  it('disconnects a peer that is silent for three periods', async () => {
    await serve();
    const peer = await attached();
    await clock.advance(15_000);
    expect(await peer.closed).toBe('closed');
  });
});

describe('a send', () => {
  it('overtakes waiting reads, and is sent once', async () => {
    await serve();
    const peer = await attached();
    simulator.faults.set({ kind: 'latency', ms: 1_000 });
    for (const id of [3, 4, 5]) peer.say({ id, method: 'symbolInfoTick', params: ['EURUSD'] });
    peer.say({ id: 6, method: 'orderSend', params: ['intent', buy, 20_000] });
    peer.say({ id: 7, method: 'ping' });
    // The answer to the ping proves that all earlier calls have arrived.
    expect(await peer.next()).toMatchObject({ id: 7 });
    const order: (number | null | undefined)[] = [];
    while (order.length < 4) {
      const answer = peer.next();
      await clock.advance(1_000);
      order.push((await answer)?.id);
    }
    expect(order).toEqual([3, 6, 4, 5]);
    simulator.faults.clear();
    expect(await positions()).toBe(1);
  });

  it('that waited beyond its deadline is refused and never sent', async () => {
    await serve();
    const peer = await attached();
    simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'reads' });
    peer.say({ id: 3, method: 'symbolInfoTick', params: ['EURUSD'] });
    peer.say({ id: 4, method: 'orderSend', params: ['intent', buy, 500] });
    peer.say({ id: 5, method: 'ping' });
    await peer.next();
    await clock.advance(1_000);
    expect(await peer.next()).toMatchObject({ id: 3 });
    expect(await peer.next()).toMatchObject({ id: 4, error: { data: { kind: 'refused' } } });
    simulator.faults.clear();
    expect(await positions()).toBe(0);
  });

  it('that still waits when its caller is gone is never sent', async () => {
    await serve();
    const peer = await attached();
    simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'reads' });
    peer.say({ id: 3, method: 'symbolInfoTick', params: ['EURUSD'] });
    peer.say({ id: 4, method: 'orderSend', params: ['intent', buy, 20_000] });
    peer.say({ id: 5, method: 'ping' });
    await peer.next();
    peer.socket.destroy();
    await attached().then((other) => other.socket.destroy());
    await clock.advance(5_000);
    simulator.faults.clear();
    expect(await positions()).toBe(0);
  });
});

describe('reads', () => {
  it('beyond the bound are rejected at once, and the lane recovers', async () => {
    await serve({ maxWaiting: 4 });
    const peer = await attached();
    simulator.faults.set({ kind: 'latency', ms: 1_000 });
    for (let id = 3; id < 13; id++) peer.say({ id, method: 'symbolInfoTick', params: ['EURUSD'] });
    const busy = [await peer.next(), await peer.next(), await peer.next(), await peer.next(), await peer.next()];
    expect(busy.map((answer) => answer?.error?.data?.kind)).toEqual(Array(5).fill('busy'));
    expect(busy.map((answer) => answer?.id)).toEqual([8, 9, 10, 11, 12]);
    simulator.faults.clear();
    await clock.advance(1_000);
    for (const id of [3, 4, 5, 6, 7])
      expect(await peer.next()).toMatchObject({ id, result: { bid: expect.any(Number) } });
  });
});

describe('the connection to the terminal', () => {
  it('is reported when it breaks behind the link', async () => {
    await serve();
    const peer = await attached();
    simulator.faults.set({ kind: 'disconnected' });
    expect(await peer.next()).toMatchObject({ method: 'connection', params: { state: 'down' } });
  });
});

import { VirtualClock } from '@libs/clock';
import fc from 'fast-check';
import { TerminalUnavailableError } from '../last-error';
import { sealRequest } from '../sealing';
import type { LinkEvent } from '../terminal-client';
import { tradeRequest } from '../trade-request';
import { LinkClient } from './link-client';
import { type RawPeer, RawServer } from './testing/raw-peer';

const result = {
  ...{ retcode: 10_009, deal: 5, order: 6, volume: 0.1, price: 1.1, bid: 1.1, ask: 1.1002, comment: 'Done' },
  ...{ request_id: 1, retcode_external: 0 },
};
const buy = sealRequest('intent-1', tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1 }));

let server: RawServer;
let clock: VirtualClock;
let client: LinkClient;
let links: string[];
let lateAnswers: [string, number | string][];

beforeEach(async () => {
  server = await RawServer.listen();
  clock = new VirtualClock();
  client = new LinkClient(
    { address: `127.0.0.1:${server.port}`, token: 'secret', callTimeoutMs: 1_000, tradeTimeoutMs: 2_000 },
    clock,
  );
  // Local, because a client of an earlier test may still receive its end.
  const heard: string[] = [];
  const late: [string, number | string][] = [];
  client.onLink((event: LinkEvent) => heard.push(event.state));
  client.onLateAnswer((intentId, outcome) => {
    late.push([intentId, outcome.kind === 'answered' ? outcome.result.order : outcome.lastError.message]);
  });
  links = heard;
  lateAnswers = late;
});
afterEach(() => server.close());

async function connected(): Promise<RawPeer> {
  const connecting = client.connect();
  const peer = await server.accept();
  await peer.greet();
  await peer.answer(null);
  await connecting;
  return peer;
}

/** The failure of a read, or `answered`. */
async function failureOf(read: Promise<unknown>): Promise<string> {
  try {
    await read;
    return 'answered';
  } catch (error) {
    if (!(error instanceof TerminalUnavailableError)) throw error;
    return `${error.failure} ${error.lastError.code}`;
  }
}

/** Waits for something from the network; the test's own deadline ends a futile wait. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const tick = { time: 1, bid: 1.5, ask: 1.6, last: 0, volume: 0, time_msc: 1_000, flags: 6, volume_real: 0 };

describe('opening the link', () => {
  it('greets with token and protocol, then starts the terminal', async () => {
    const connecting = client.connect();
    const peer = await server.accept();
    expect(await peer.greet()).toMatchObject({ method: 'hello', params: { token: 'secret', protocol: 1 } });
    expect(await peer.answer(null)).toMatchObject({ method: 'connect', params: [] });
    await connecting;
    expect(links).toEqual(['up']);
  });

  it('fails if the token is rejected', async () => {
    const connecting = failureOf(client.connect());
    const peer = await server.accept();
    const hello = await peer.next();
    peer.say({ id: hello?.id, error: { code: -6, message: 'not authorised', data: { kind: 'unauthorised' } } });
    expect(await connecting).toBe('disconnected -6');
  });

  it('fails if no server listens', async () => {
    await server.close();
    expect(await failureOf(client.connect())).toBe('disconnected -10004');
    server = await RawServer.listen();
  });

  it('fails at its deadline if the peer accepts and then sends nothing', async () => {
    const connecting = failureOf(client.connect());
    const peer = await server.accept();
    await peer.next();
    await clock.advance(1_000);
    expect(await connecting).toBe('disconnected -10005');
    await peer.closed;
  });

  it('waits longer for the terminal than its package, which takes up to 102 s for a cold start', async () => {
    let heard = 0;
    client.onTick(() => (heard += 1));
    const connecting = client.connect();
    const peer = await server.accept();
    await peer.greet();
    const request = await peer.next();
    for (let second = 5; second <= 105; second += 5) {
      await clock.advance(5_000);
      // Any line shows that the peer is alive, as the pongs of the bridge do.
      peer.say({ method: 'tick', params: { symbol: 'EURUSD', tick } });
      await until(() => heard === second / 5);
    }
    peer.say({ id: request?.id, result: null });
    await connecting;
    expect(links).toEqual(['up']);
  });

  it('happens once for simultaneous callers, and again after a loss', async () => {
    const both = [client.connect(), client.connect()];
    const peer = await server.accept();
    await peer.greet();
    await peer.answer(null);
    await peer.answer(null);
    await Promise.all(both);
    peer.socket.destroy();
    await until(() => links.length === 2);
    await connected();
    expect(links).toEqual(['up', 'down', 'up']);
  });
});

describe('answers', () => {
  it('are matched to their calls in any order', async () => {
    const peer = await connected();
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), async (order) => {
        const reads = order.map((number) => client.orderCalcMargin(0, 'EURUSD', number, 1));
        const requests = await Promise.all(order.map(() => peer.next()));
        for (const index of order) {
          const request = requests[index];
          peer.say({ id: request?.id, result: (request?.params as number[])[2] });
        }
        expect(await Promise.all(reads)).toEqual(order);
      }),
      { numRuns: 20 },
    );
  });

  it('without a matching call are ignored', async () => {
    const peer = await connected();
    const read = client.orderCalcMargin(0, 'EURUSD', 1, 1);
    const request = await peer.next();
    peer.say({ id: 999_999, result: 1 });
    peer.say({ id: null, error: { code: -1, message: 'what?' } });
    peer.say({ id: request?.id, result: 42 });
    peer.say({ id: request?.id, result: 43 });
    expect(await read).toBe(42);
    expect(links).toEqual(['up']);
  });

  it('that are not valid records are failures, never used and never empty', async () => {
    const peer = await connected();
    for (const nonsense of [null, 'none', [{ ticket: '7' }], [null], {}]) {
      const read = failureOf(client.positionsGet());
      await peer.answer(nonsense);
      expect(await read).toBe('failed -1');
    }
    const bars = failureOf(client.copyRatesFromPos('EURUSD', 1, 0, 2));
    const column = [1, 2];
    await peer.answer({
      ...{ time: [1], open: column, high: column, low: column, close: column },
      ...{ tick_volume: column, spread: column, real_volume: column },
    });
    expect(await bars).toBe('failed -1');
  });

  it.each([
    [-10_001, undefined, 'disconnected -10001'],
    [-10_005, 'timeout', 'disconnected -10005'],
    [-1, 'failed', 'failed -1'],
    [-1, 'busy', 'busy -1'],
    [-10_004, 'disconnected', 'disconnected -10004'],
  ])('of error %d (%s) fail a read as "%s"', async (code, kind, failure) => {
    const peer = await connected();
    const read = failureOf(client.accountInfo());
    const request = await peer.next();
    peer.say({ id: request?.id, error: { code, message: 'said', data: { kind } } });
    expect(await read).toBe(failure);
  });
});

describe('a send', () => {
  it('returns the result of the terminal', async () => {
    const peer = await connected();
    const sending = client.orderSend(buy);
    const request = await peer.answer({ kind: 'answered', result });
    expect(request).toMatchObject({
      method: 'orderSend',
      params: ['intent-1', { symbol: 'EURUSD', volume: 0.1 }, 2_000],
    });
    expect(await sending).toEqual({ kind: 'answered', result });
  });

  it('is refused if the link is down before the write', async () => {
    expect(await client.orderSend(buy)).toMatchObject({ kind: 'refused', lastError: { code: -10_004 } });
    const peer = await connected();
    peer.socket.destroy();
    await until(() => links.length === 2);
    expect(await client.orderSend(buy)).toMatchObject({ kind: 'refused' });
  });

  it('is unknown if the link breaks after the write', async () => {
    const peer = await connected();
    const sending = client.orderSend(buy);
    await peer.next();
    peer.socket.destroy();
    expect(await sending).toMatchObject({ kind: 'unknown', lastError: { code: -10_004 } });
  });

  it('is unknown after its deadline, and a late answer goes to the journal once', async () => {
    const peer = await connected();
    const sending = client.orderSend(buy);
    const request = await peer.next();
    await clock.advance(2_000);
    expect(await sending).toMatchObject({ kind: 'unknown', lastError: { code: -10_005 } });
    peer.say({ id: request?.id, result: { kind: 'answered', result } });
    peer.say({ id: request?.id, result: { kind: 'answered', result } });
    const next = client.accountInfo();
    await peer.answer(null);
    await next;
    expect(lateAnswers).toEqual([['intent-1', 6]]);
  });

  it.each([
    ['an outcome', { result: { kind: 'refused', lastError: { code: -8, message: 'off' } } }, ['intent-1', 'off']],
    ['an error', { error: { code: -1, message: 'late', data: { kind: 'refused' } } }, ['intent-1', 'late']],
    ['no proof', { error: { code: -10_002, message: 'IPC recv failed' } }, null],
    ['an unknown outcome', { result: { kind: 'unknown', lastError: { code: -1, message: 'none' } } }, null],
  ])('a late refusal that is %s goes to the journal if it is proven', async (_what, answer, told) => {
    const peer = await connected();
    const sending = client.orderSend(buy);
    const request = await peer.next();
    await clock.advance(2_000);
    expect((await sending).kind).toBe('unknown');
    peer.say({ id: Number(request?.id) + 1_000, ...answer });
    peer.say({ id: request?.id, ...answer });
    const next = client.accountInfo();
    await peer.answer(null);
    await next;
    expect(lateAnswers).toEqual(told === null ? [] : [told]);
  });

  it('ignores late refusals on another connection', async () => {
    const peer = await connected();
    // Call numbers restart with each connection; the send has a number that the next connection does not reach.
    for (let call = 0; call < 5; call++) {
      const read = client.accountInfo();
      await peer.answer(null);
      await read;
    }
    const sending = client.orderSend(buy);
    const request = await peer.next();
    await clock.advance(2_000);
    await sending;
    peer.socket.destroy();
    await until(() => links.includes('down'));
    const again = await connected();
    again.say({ id: request?.id, result: { kind: 'refused', lastError: { code: -8, message: 'off' } } });
    const next = client.accountInfo();
    await again.answer(null);
    await next;
    expect(lateAnswers).toEqual([]);
  });

  it.each([
    ['an error -2', { error: { code: -2, message: 'Invalid "comment" argument' } }, 'refused'],
    ['a busy far side', { error: { code: -1, message: 'full', data: { kind: 'busy' } } }, 'refused'],
    [
      'a deadline that passed in the queue',
      { error: { code: -1, message: 'late', data: { kind: 'refused' } } },
      'refused',
    ],
    ['a broken pipe', { error: { code: -10_002, message: 'IPC recv failed' } }, 'unknown'],
    ['an unforeseen error', { error: { code: -1, message: 'bug', data: { kind: 'failed' } } }, 'unknown'],
    ['an outcome of its own', { result: { kind: 'unknown', lastError: { code: -1, message: 'none' } } }, 'unknown'],
    ['a refusal of its own', { result: { kind: 'refused', lastError: { code: -2, message: 'no' } } }, 'refused'],
    ['nonsense', { result: { kind: 'answered', result: { retcode: '10009' } } }, 'unknown'],
    ['nothing', { result: null }, 'unknown'],
  ])('that meets %s is classified by what is proven', async (_what, answer, kind) => {
    const peer = await connected();
    const sending = client.orderSend(buy);
    const request = await peer.next();
    peer.say({ id: request?.id, ...answer });
    expect((await sending).kind).toBe(kind);
  });

  it('never waits behind reads, and is never written twice', async () => {
    const peer = await connected();
    const reads = Array.from({ length: 300 }, () => failureOf(client.accountInfo()));
    const sending = client.orderSend(buy);
    const seen: string[] = [];
    while (!seen.includes('orderSend')) seen.push((await peer.next())?.method ?? 'gone');
    expect(seen.length).toBeLessThanOrEqual(17);
    peer.socket.destroy();
    expect((await sending).kind).toBe('unknown');
    const failures = await Promise.all(reads);
    expect(failures.filter((failure) => failure === 'busy -1')).toHaveLength(300 - 16 - 256);
    expect(failures.filter((failure) => failure === 'disconnected -10004')).toHaveLength(16 + 256);
  });
});

describe('a read', () => {
  it('ends at its deadline, and ignores the late answer', async () => {
    const peer = await connected();
    const read = failureOf(client.accountInfo());
    const request = await peer.next();
    await clock.advance(1_000);
    expect(await read).toBe('timeout -10005');
    peer.say({ id: request?.id, result: null });
    const next = client.accountInfo();
    await peer.answer(null);
    expect(await next).toBeNull();
    expect(links).toEqual(['up']);
  });
});

describe('a bad peer', () => {
  it.each([
    ['garbage', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['a message of another protocol', '{"jsonrpc":"1.0","id":1,"result":1}\n'],
    ['a line without an end', 'x'.repeat(33 * 1024 * 1024)],
  ])('that sends %s loses the connection, and the next one works', async (_what, text) => {
    const peer = await connected();
    const read = failureOf(client.accountInfo());
    peer.socket.write(text);
    expect(await read).toBe('disconnected -10004');
    await connected();
    expect(links).toEqual(['up', 'down', 'up']);
  });

  it('that sends half a line and disconnects gives no answer', async () => {
    const peer = await connected();
    const read = failureOf(client.accountInfo());
    const request = await peer.next();
    peer.socket.end(`{"jsonrpc":"2.0","id":${request?.id},"result":nu`);
    expect(await read).toBe('disconnected -10004');
  });

  it('that falls silent is dead after two missed pings; any answer keeps it alive', async () => {
    const peer = await connected();
    for (let period = 0; period < 6; period++) {
      await clock.advance(5_000);
      const read = client.accountInfo();
      await peer.answer(null);
      await read;
    }
    await clock.advance(14_999);
    expect(links).toEqual(['up']);
    await clock.advance(1);
    expect(links).toEqual(['up', 'down']);
  });
});

describe('notifications', () => {
  it('report a lost terminal while the link is up', async () => {
    const peer = await connected();
    peer.say({ method: 'connection', params: { state: 'down', reason: 'the terminal was closed' } });
    await until(() => links.length === 2);
    expect(links).toEqual(['up', 'down']);
  });

  it('deliver quotes, and drop invalid ones', async () => {
    const peer = await connected();
    const seen: string[] = [];
    client.onTick(({ symbol, tick }) => seen.push(`${symbol} ${tick.bid}`));
    peer.say({ method: 'tick', params: { symbol: 'EURUSD', tick } });
    peer.say({ method: 'tick', params: { symbol: 'EURUSD', tick: { bid: 'high' } } });
    peer.say({ method: 'tick', params: 7 });
    const read = client.accountInfo();
    await peer.answer(null);
    await read;
    expect(seen).toEqual(['EURUSD 1.5']);
  });
});

import fc from 'fast-check';
import { dealFields, orderFields, positionFields, symbolFields, type Fields } from '@libs/records';
import type { LinkClient } from './link-client';
import { failureOf, LinkRig, until } from './testing/link-rig';
import { RawServer } from './testing/raw-peer';

const tick = { time: 1, bid: 1.5, ask: 1.6, last: 0, volume: 0, time_msc: 1_000, flags: 6, volume_real: 0 };

let rig: LinkRig;
beforeEach(async () => {
  rig = await LinkRig.listen();
});
afterEach(() => rig.server.close());

describe('opening the link', () => {
  it('greets with token and protocol, then starts the terminal', async () => {
    const connecting = rig.client.connect();
    const peer = await rig.server.accept();
    expect(await peer.greet()).toMatchObject({ method: 'hello', params: { token: 'secret', protocol: 1 } });
    expect(await peer.answer(null)).toMatchObject({ method: 'connect', params: [] });
    await connecting;
    expect(rig.links).toEqual(['up']);
  });

  it('fails if the token is rejected', async () => {
    const connecting = failureOf(rig.client.connect());
    const peer = await rig.server.accept();
    const hello = await peer.next();
    peer.say({ id: hello?.id, error: { code: -6, message: 'not authorised', data: { kind: 'unauthorised' } } });
    expect(await connecting).toBe('disconnected -6');
  });

  it('fails if no server listens', async () => {
    await rig.server.close();
    expect(await failureOf(rig.client.connect())).toBe('disconnected -10004');
    rig.server = await RawServer.listen();
  });

  it('fails at its deadline if the peer accepts and then sends nothing', async () => {
    const connecting = failureOf(rig.client.connect());
    const peer = await rig.server.accept();
    await peer.next();
    await rig.clock.advance(1_000);
    expect(await connecting).toBe('disconnected -10005');
    await peer.closed;
  });

  it('waits longer for the terminal than its package, which takes up to 102 s for a cold start', async () => {
    let heard = 0;
    rig.client.onTick(() => (heard += 1));
    const connecting = rig.client.connect();
    const peer = await rig.server.accept();
    await peer.greet();
    const request = await peer.next();
    for (let second = 5; second <= 105; second += 5) {
      await rig.clock.advance(5_000);
      // Any line shows that the peer is alive, as the pongs of the bridge do.
      peer.say({ method: 'tick', params: { symbol: 'EURUSD', tick } });
      await until(() => heard === second / 5);
    }
    peer.say({ id: request?.id, result: null });
    await connecting;
    expect(rig.links).toEqual(['up']);
  });

  it('happens once for simultaneous callers, and again after a loss', async () => {
    const both = [rig.client.connect(), rig.client.connect()];
    const peer = await rig.server.accept();
    await peer.greet();
    await peer.answer(null);
    await peer.answer(null);
    await Promise.all(both);
    peer.socket.destroy();
    await until(() => rig.links.length === 2);
    await rig.connected();
    expect(rig.links).toEqual(['up', 'down', 'up']);
  });
});

describe('answers', () => {
  it('are matched to their calls in any order', async () => {
    const peer = await rig.connected();
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), async (order) => {
        const reads = order.map((number) => rig.client.orderCalcMargin(0, 'EURUSD', number, 1));
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
    const peer = await rig.connected();
    const read = rig.client.orderCalcMargin(0, 'EURUSD', 1, 1);
    const request = await peer.next();
    peer.say({ id: 999_999, result: 1 });
    peer.say({ id: null, error: { code: -1, message: 'what?' } });
    peer.say({ id: request?.id, result: 42 });
    peer.say({ id: request?.id, result: 43 });
    expect(await read).toBe(42);
    expect(rig.links).toEqual(['up']);
  });

  it('that are not valid records are failures, never used and never empty', async () => {
    const peer = await rig.connected();
    for (const nonsense of [null, 'none', [{ ticket: '7' }], [null], {}]) {
      const read = failureOf(rig.client.positionsGet());
      await peer.answer(nonsense);
      expect(await read).toBe('failed -1');
    }
    const bars = failureOf(rig.client.copyRatesFromPos('EURUSD', 1, 0, 2));
    const column = [1, 2];
    await peer.answer({
      ...{ time: [1], open: column, high: column, low: column, close: column },
      ...{ tick_volume: column, spread: column, real_volume: column },
    });
    expect(await bars).toBe('failed -1');
  });

  it.each<[string, (client: LinkClient) => Promise<unknown>, (whole: string) => string]>([
    ['position', (client) => client.positionsGet(), (whole) => `[${example(positionFields, { identifier: whole })}]`],
    ['order', (client) => client.ordersGet(), (whole) => `[${example(orderFields, { magic: whole })}]`],
    [
      'deal',
      (client) => client.historyDealsGet({ ticket: 7 }),
      (whole) => `[${example(dealFields, { order: whole })}]`,
    ],
    ['symbol', (client) => client.symbolInfo('EURUSD'), (whole) => example(symbolFields, { session_deals: whole })],
    [
      'list of bars',
      (client) => client.copyRatesFromPos('EURUSD', 1, 0, 1),
      (whole) =>
        `{"time":[1],"open":[1],"high":[1],"low":[1],"close":[1],"tick_volume":[1],"spread":[1],"real_volume":[${whole}]}`,
    ],
  ])('with a whole number that a double does not hold fail the read of a %s', async (_what, read, answer) => {
    const peer = await rig.connected();
    const sayTo = async (whole: string): Promise<void> => {
      peer.socket.write(`{"jsonrpc":"2.0","id":${(await peer.next())?.id},"result":${answer(whole)}}\n`);
    };
    const exact = failureOf(read(rig.client));
    await sayTo('9007199254740991');
    expect(await exact).toBe('answered');
    for (const whole of ['9007199254740993', '1152921504606846977', '-9007199254740993', '7.5']) {
      const failure = failureOf(read(rig.client));
      await sayTo(whole);
      expect([whole, await failure]).toEqual([whole, 'failed -1']);
    }
  });

  it.each([
    [-10_001, undefined, 'disconnected -10001'],
    [-10_005, 'timeout', 'disconnected -10005'],
    [-1, 'failed', 'failed -1'],
    [-1, 'busy', 'busy -1'],
    [-10_004, 'disconnected', 'disconnected -10004'],
  ])('of error %d (%s) fail a read as "%s"', async (code, kind, failure) => {
    const peer = await rig.connected();
    const read = failureOf(rig.client.accountInfo());
    const request = await peer.next();
    peer.say({ id: request?.id, error: { code, message: 'said', data: { kind } } });
    expect(await read).toBe(failure);
  });
});

describe('a read', () => {
  it('ends at its deadline, and ignores the late answer', async () => {
    const peer = await rig.connected();
    const read = failureOf(rig.client.accountInfo());
    const request = await peer.next();
    await rig.clock.advance(1_000);
    expect(await read).toBe('timeout -10005');
    peer.say({ id: request?.id, result: null });
    const next = rig.client.accountInfo();
    await peer.answer(null);
    expect(await next).toBeNull();
    expect(rig.links).toEqual(['up']);
  });
});

describe('a bad peer', () => {
  it.each([
    ['garbage', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['a message of another protocol', '{"jsonrpc":"1.0","id":1,"result":1}\n'],
    ['a line without an end', 'x'.repeat(33 * 1024 * 1024)],
  ])('that sends %s loses the connection, and the next one works', async (_what, text) => {
    const peer = await rig.connected();
    const read = failureOf(rig.client.accountInfo());
    peer.socket.write(text);
    expect(await read).toBe('disconnected -10004');
    await rig.connected();
    expect(rig.links).toEqual(['up', 'down', 'up']);
  });

  it('that sends half a line and disconnects gives no answer', async () => {
    const peer = await rig.connected();
    const read = failureOf(rig.client.accountInfo());
    const request = await peer.next();
    peer.socket.end(`{"jsonrpc":"2.0","id":${request?.id},"result":nu`);
    expect(await read).toBe('disconnected -10004');
  });

  it('that falls silent is dead after two missed pings; any answer keeps it alive', async () => {
    const peer = await rig.connected();
    for (let period = 0; period < 6; period++) {
      await rig.clock.advance(5_000);
      const read = rig.client.accountInfo();
      await peer.answer(null);
      await read;
    }
    await rig.clock.advance(14_999);
    expect(rig.links).toEqual(['up']);
    await rig.clock.advance(1);
    expect(rig.links).toEqual(['up', 'down']);
  });
});

describe('notifications', () => {
  it('report a lost terminal while the link is up', async () => {
    const peer = await rig.connected();
    peer.say({ method: 'connection', params: { state: 'down', reason: 'the terminal was closed' } });
    await until(() => rig.links.length === 2);
    expect(rig.links).toEqual(['up', 'down']);
  });

  it('deliver quotes, and drop invalid ones', async () => {
    const peer = await rig.connected();
    const seen: string[] = [];
    rig.client.onTick(({ symbol, tick }) => seen.push(`${symbol} ${tick.bid}`));
    peer.say({ method: 'tick', params: { symbol: 'EURUSD', tick } });
    peer.say({ method: 'tick', params: { symbol: 'EURUSD', tick: { bid: 'high' } } });
    peer.say({ method: 'tick', params: 7 });
    const read = rig.client.accountInfo();
    await peer.answer(null);
    await read;
    expect(seen).toEqual(['EURUSD 1.5']);
  });
});

/** A record as JSON with its example values, and some others as they are written. */
function example(fields: Fields, others: Readonly<Record<string, string>>): string {
  const members = Object.entries(fields).map(([name, field]) => [name, others[name] ?? JSON.stringify(field.example)]);
  return `{${members.map(([name, value]) => `"${name}":${value}`).join()}}`;
}

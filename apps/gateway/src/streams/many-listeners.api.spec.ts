import { get } from 'node:http';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';
import { SseReader } from './testing/sse-reader';

const readingListeners = 400;
const silentListeners = 100;

interface PositionEvent {
  readonly ticket: number;
}

describe('a gateway with 500 listeners, of which 100 read nothing', () => {
  let gateway: GatewayUnderTest;
  let url: string;
  const closes: (() => void)[] = [];

  beforeAll(async () => {
    gateway = await gatewayUnderTest({ clock: new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20)) });
    await gateway.app.listen(0, '127.0.0.1');
    url = await gateway.app.getUrl();
  });
  afterAll(async () => {
    for (const close of closes) close();
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const reader = async (): Promise<SseReader> => {
    const opened = await SseReader.open({ url: `${url}/stream/trades`, key: testKey });
    closes.push(() => opened.close());
    return opened;
  };
  /** Leaves the answer unread. */
  const silent = () =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${testKey}` };
      const request = get(`${url}/stream/trades`, { headers, agent: false }, () => resolve());
      request.on('error', reject);
      closes.push(() => request.on('error', () => undefined).destroy());
    });
  /** Some at a time: without a credential, an address may have 128 connections. */
  const inBatches = async <T>(count: number, open: () => Promise<T>): Promise<T[]> => {
    const all: T[] = [];
    while (all.length < count) all.push(...(await Promise.all(Array.from({ length: 50 }, open))));
    return all;
  };

  it('answers reads and orders, and sends each trade to every listener that reads', async () => {
    await inBatches(silentListeners, silent);
    const readers = await inBatches(readingListeners, reader);
    expect((await gateway.call('/metrics')).payload).toMatch(/^stream_listeners\{[^}]*trades[^}]*\} 500$/m);
    const tickets: number[] = [];
    for (let order = 0; order < 3; order++) {
      const payload = { symbol: 'EURUSD', type: 'BUY', volume: 0.1 };
      const answer = await gateway.call({ method: 'POST', url: '/order', payload });
      tickets.push(answer.json<{ result: { order: number } }>().result.order);
    }
    expect((await gateway.call('/get_positions')).json()).toMatchObject({ total: 3 });
    const last = tickets.at(-1);
    for (const each of readers) {
      await each.first(({ event, data }) => event === 'position' && JSON.parse(data).ticket === last);
      const opened = each.messages
        .filter(({ event }) => event === 'position')
        .map(({ data }) => (JSON.parse(data) as PositionEvent).ticket);
      expect(opened).toEqual(tickets);
    }
  });
});

import type { EventSourceMessage } from 'eventsource-parser';
import { VirtualClock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';
import { EMBEDDED_SIMULATOR } from '../terminal/terminal.module';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';
import { SseReader } from './testing/sse-reader';
import { TradeWatcher } from './trade-watcher';

describe('the event streams of the gateway', () => {
  let clock: VirtualClock;
  let gateway: GatewayUnderTest;
  let url: string;
  let readers: SseReader[];
  let orders = 0;

  beforeEach(async () => {
    clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
    gateway = await gatewayUnderTest({ clock, env: { TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' } });
    await gateway.app.listen(0, '127.0.0.1');
    url = await gateway.app.getUrl();
    readers = [];
    await look();
  });

  afterEach(async () => {
    for (const reader of readers) reader.close();
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const open = async (path: string, headers: Record<string, string> = {}): Promise<SseReader> => {
    const reader = await SseReader.open({ url: `${url}${path}`, key: testKey, headers });
    readers.push(reader);
    return reader;
  };
  const look = () => gateway.app.get(TradeWatcher).look();
  const post = async (path: string, payload: object): Promise<unknown> => {
    const headers = { 'idempotency-key': `streams-${orders++}` };
    const response = await gateway.call({ method: 'POST', url: path, headers, payload });
    expect(response.json()).toMatchObject({ ok: true });
    return response.json();
  };
  const buy = async (magic = 5): Promise<number> => {
    const answer = (await post('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic })) as {
      result: { order: number };
    };
    await look();
    return answer.result.order;
  };
  const listeners = async (stream: string): Promise<string> => {
    const { payload } = await gateway.call('/metrics');
    return new RegExp(`^stream_listeners\\{[^}]*stream="${stream}"[^}]*\\} (\\d+)$`, 'm').exec(payload)?.[1] ?? 'none';
  };
  const dataOf = ({ data }: EventSourceMessage) => JSON.parse(data) as Record<string, unknown>;
  const isPosition = ({ event }: EventSourceMessage) => event === 'position';
  const ids = ({ messages }: SseReader) => messages.map(({ id }) => Number(id));

  it('send a trade to every listener, with the ids of the log', async () => {
    const [one, two] = [await open('/stream/trades'), await open('/stream/trades')];
    const ticket = await buy();
    const event = await one.first(isPosition);
    expect(JSON.parse(event.data)).toMatchObject({ seq: Number(event.id), action: 'opened', ticket });
    await two.first(isPosition);
    expect(two.messages).toEqual(one.messages);
    const { data } = (await gateway.call('/events')).json();
    expect(one.messages.slice(1).map(dataOf)).toEqual(data);
  });

  it('emit a trade of the gateway and its close without a poll interval', async () => {
    const reader = await open('/stream/trades');
    const { result } = (await post('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.1 })) as {
      result: { order: number };
    };
    expect(dataOf(await reader.first(isPosition))).toMatchObject({ action: 'opened', ticket: result.order });
    await post('/close_position', { position: result.order });
    await reader.first((message) => isPosition(message) && dataOf(message)['action'] === 'closed');
  });

  it('send a reconnecting listener exactly what it missed', async () => {
    const first = await open('/stream/trades');
    await buy();
    const seen = await first.first(isPosition);
    first.close();
    const ticket = await buy();
    await post('/close_position', { position: ticket });
    await look();
    const second = await open('/stream/trades', { 'last-event-id': seen.id ?? '' });
    await second.first(({ data }) => JSON.parse(data).action === 'closed' && JSON.parse(data).event === 'position');
    expect(ids(second)).toEqual(ids(second).map((_, index) => Number(seen.id) + 1 + index));
    expect(second.messages.map(({ event }) => event)).not.toContain('ready');
  });

  it('let a listener reconnect to its starting point, before any event', async () => {
    const first = await open('/stream/trades');
    const ready = await first.first(({ event }) => event === 'ready');
    first.close();
    await buy();
    const second = await open(`/stream/trades?since=${ready.id}`);
    await second.first(isPosition);
    expect(ids(second)[0]).toBe(Number(ready.id) + 1);
  });

  it('send resync for an id of another log', async () => {
    await buy();
    const reader = await open('/stream/trades', { 'last-event-id': '17' });
    const event = await reader.first(({ event }) => event === 'resync');
    const { last_seq } = (await gateway.call('/events')).json();
    expect(JSON.parse(event.data)).toMatchObject({ reason: 'too_old', since: 17, last_seq });
    expect(event.id).toBe(String(last_seq));
    expect(reader.messages).toHaveLength(1);
  });

  it('omit events of another magic', async () => {
    const reader = await open('/stream/trades?magic=8');
    await buy(5);
    await buy(8);
    await reader.first(isPosition);
    expect(reader.messages.slice(1).map((message) => dataOf(message).magic)).toEqual([8, 8, 8]);
  });

  it('page through the log', async () => {
    await buy();
    await buy();
    const first = (await gateway.call('/events?limit=4')).json();
    expect(first).toMatchObject({ ok: true, total: 4, resync: false });
    const second = (await gateway.call(`/events?since=${first.next_since}`)).json();
    expect(second.data).toHaveLength(2);
    expect(second.data[0].seq).toBe(first.data[3].seq + 1);
    const end = (await gateway.call(`/events?since=${second.next_since}`)).json();
    expect(end).toMatchObject({ data: [], next_since: second.next_since, resync: false });
    expect((await gateway.call('/events?since=3')).json()).toMatchObject({ resync: true, total: 6 });
  });

  it('send quotes as they change, one poll for all listeners', async () => {
    const [one, two] = [await open('/stream/ticks?symbols=EURUSD'), await open('/stream/ticks?symbols=GBPUSD,EURUSD')];
    await clock.advance(5_000);
    const tick = await two.first(({ event, data }) => event === 'tick' && JSON.parse(data).symbol === 'EURUSD');
    expect(JSON.parse(tick.data)).toMatchObject({ symbol: 'EURUSD', time_utc: expect.stringMatching(/Z$/) });
    await one.first(({ id }) => id === tick.id);
    await two.first(({ data }) => JSON.parse(data).symbol === 'GBPUSD');
    expect(one.messages.every(({ data }) => JSON.parse(data).symbol === 'EURUSD')).toBe(true);
    expect(await listeners('ticks')).toBe('2');
  });

  it('send a quote of a terminal in this process at the millisecond at which it changes', async () => {
    const shown = async () => (await gateway.call('/symbol_info_tick/EURUSD')).json<{ time_msc: number }>().time_msc;
    const reader = await open('/stream/ticks?symbols=EURUSD');
    await clock.advance(1_000);
    const before = await shown();
    while ((await shown()) === before) await clock.advance(1);
    const changed = await shown();
    // No time passes, so that the event cannot come from a later poll.
    const tick = await reader.first(({ data }) => JSON.parse(data).time_msc === changed);
    expect(tick.event).toBe('tick');
  });

  it('number the quotes of each symbol without gaps, so that a listener can detect lost ones', async () => {
    const numbers = ({ messages }: SseReader, symbol: string) =>
      messages.map(dataOf).flatMap((data) => (data['symbol'] === symbol ? [Number(data['symbol_seq'])] : []));
    const both = await open('/stream/ticks?symbols=GBPUSD,EURUSD');
    const away = await open('/stream/ticks?symbols=EURUSD');
    await clock.advance(20_000);
    await away.first(({ data }) => JSON.parse(data).symbol_seq === 2);
    away.close();
    while ((await listeners('ticks')) !== '1') await new Promise((resolve) => setImmediate(resolve));
    const last = numbers(away, 'EURUSD').at(-1) ?? 0;
    await clock.advance(20_000);
    const back = await open('/stream/ticks?symbols=EURUSD');
    await back.first(({ event }) => event === 'tick');
    await both.first(({ data }) => JSON.parse(data).symbol_seq === numbers(back, 'EURUSD')[0]);
    expect(numbers(back, 'EURUSD')[0]).toBeGreaterThan(last + 1);
    for (const symbol of ['GBPUSD', 'EURUSD']) {
      const seen = numbers(both, symbol);
      expect(seen).toEqual(seen.map((_number, index) => index + 1));
    }
  });

  it('skip a number for a pause without listeners in which the quote changed', async () => {
    const before = await open('/stream/ticks?symbols=EURUSD');
    await clock.advance(500);
    const first = dataOf(await before.first(({ event }) => event === 'tick'));
    before.close();
    while ((await listeners('ticks')) !== '0') await new Promise((resolve) => setImmediate(resolve));
    const still = await open('/stream/ticks?symbols=EURUSD');
    const same = dataOf(await still.first(({ event }) => event === 'tick'));
    expect(same).toMatchObject({ symbol_seq: first['symbol_seq'], time_msc: first['time_msc'] });
    still.close();
    while ((await listeners('ticks')) !== '0') await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(60_000);
    const after = await open('/stream/ticks?symbols=EURUSD');
    const next = dataOf(await after.first(({ event }) => event === 'tick'));
    expect(next['symbol_seq']).toBe(Number(first['symbol_seq']) + 2);
  });

  it('read the account only after a change; else four times a second while trades have a listener, or once', async () => {
    const looks = async (): Promise<number> =>
      Number(
        /terminal_call_duration_seconds_count\{[^}]*method="positionsGet"[^}]*\} (\d+)/.exec(
          (await gateway.call('/metrics')).payload,
        )?.[1],
      );
    await clock.advance(2_000);
    const still = await looks();
    await clock.advance(10_000);
    expect(await looks()).toBe(still);
    // While a fault is in force, the terminal cannot report its changes.
    gateway.simulator.faults.set({ kind: 'slippage', points: 1 });
    const before = await looks();
    await clock.advance(10_000);
    expect((await looks()) - before).toBe(10);
    await open('/stream/trades');
    await clock.advance(1_000);
    const listening = await looks();
    await clock.advance(10_000);
    expect((await looks()) - listening).toBe(40);
  });

  it('poll quotes only while they have a listener', async () => {
    const polls = async (): Promise<string | undefined> =>
      /terminal_call_duration_seconds_count\{[^}]*method="ticks"[^}]*\} (\d+)/.exec(
        (await gateway.call('/metrics')).payload,
      )?.[1];
    const before = await polls();
    await clock.advance(10_000);
    expect(await polls()).toBe(before);
    const reader = await open('/stream/ticks?symbols=EURUSD');
    await clock.advance(1_000);
    await reader.first(({ event }) => event === 'tick');
    const during = await polls();
    expect(Number(during)).toBeGreaterThan(Number(before ?? 0));
    reader.close();
    while ((await listeners('ticks')) !== '0') await new Promise((resolve) => setImmediate(resolve));
    const after = await polls();
    await clock.advance(10_000);
    expect(await polls()).toBe(after);
  });

  it('notify listeners of quotes when the terminal disconnects and reconnects', async () => {
    const reader = await open('/stream/ticks?symbols=EURUSD');
    await clock.advance(500);
    const { faults } = gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
    faults.set({ kind: 'failed-reads', methods: ['ticks'] });
    await clock.advance(500);
    const lost = await reader.first(({ event }) => event === 'connection');
    expect(JSON.parse(lost.data)).toMatchObject({ event: 'connection', connected: false, reason: 'unreachable' });
    faults.clear();
    await clock.advance(500);
    await reader.first(({ data }) => JSON.parse(data).connected === true);
  });

  it('send a heartbeat every 15 seconds and count their listeners', async () => {
    const reader = await open('/stream/trades');
    expect(await listeners('trades')).toBe('1');
    await clock.advance(14_900);
    expect(reader.comments).toEqual([]);
    await clock.advance(200);
    await reader.heartbeat();
    expect(reader.comments).toEqual(['heartbeat']);
    reader.close();
    while ((await listeners('trades')) !== '0') await new Promise((resolve) => setImmediate(resolve));
  });

  it('have the quotes of the other symbols if the broker does not have one, which they name first', async () => {
    const ticks = await open('/stream/ticks?symbols=EURUSD,NOSUCH');
    await ticks.first(({ event }) => event === 'tick');
    const [first, ...others] = ticks.messages;
    expect(first).toMatchObject({ event: 'unknown_symbols', data: '{"event":"unknown_symbols","symbols":["NOSUCH"]}' });
    expect(others.every(({ event }) => event === 'tick')).toBe(true);
  });

  it('end in order when the gateway stops', async () => {
    const [trades, ticks] = [await open('/stream/trades'), await open('/stream/ticks?symbols=EURUSD')];
    await gateway.app.close();
    await trades.ended();
    await ticks.ended();
    expect(trades.hasEnded && ticks.hasEnded).toBe(true);
  });

  it('answer HEAD and end', async () => {
    const response = await fetch(`${url}/stream/trades`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${testKey}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  });

  it('reject invalid requests like every other route', async () => {
    expect((await gateway.call('/stream/ticks')).json().details[0]).toMatchObject({ field: 'symbols' });
    expect((await gateway.call('/stream/ticks?symbols=NOSUCH,NEITHER')).json()).toMatchObject({
      error_type: 'not_found',
      error: 'the broker has no symbols NOSUCH, NEITHER',
    });
    const headers = { 'last-event-id': 'latest' };
    expect((await gateway.call({ url: '/stream/trades', headers })).statusCode).toBe(400);
    expect((await gateway.call('/events?limit=1001')).statusCode).toBe(400);
  });
});

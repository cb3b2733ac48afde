import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';
import { OrderType, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { EMBEDDED_SIMULATOR } from '../terminal/terminal.module';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

interface Deal {
  readonly ticket: number;
  readonly position_id: number;
  readonly time_utc: string;
  readonly magic: number;
  readonly client_order_id: string | null;
}

interface Body {
  readonly data: readonly Deal[];
  readonly total: number;
}

/** Half past nine in the evening in London is half past six in the morning of the next day on this broker's server. */
const env = { SIM_SERVER_TIME_ZONE: 'Asia/Tokyo', TERMINAL_SERVER_TIME_ZONE: 'Asia/Tokyo' };

describe('the history routes', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 21, 30));
  let gateway: GatewayUnderTest;
  let closed: number;
  let open: number;
  let cancelled: number;
  /** Keys of the requests, in order. */
  const keys: string[] = [];

  const call = async <T = Body>(path: string) => (await gateway.call(path)).json<T>();
  const post = async (url: string, payload: object, method: 'POST' | 'DELETE' = 'POST') => {
    const key = `history-${Math.round(clock.nowMs())}-${url}`;
    keys.push(key);
    const headers = { 'idempotency-key': key };
    const response = await gateway.call({ method, url, headers, ...(method === 'POST' ? { payload } : {}) });
    expect(response.json()).toMatchObject({ ok: true });
    await clock.advance(60_000);
    return response.json<{ result: { order: number } }>();
  };
  const order = async (magic: number, more: object = { type: 'BUY' }) =>
    (await post('/order', { symbol: 'EURUSD', volume: 0.2, magic, ...more })).result.order;

  beforeAll(async () => {
    gateway = await gatewayUnderTest({ clock, env });
    closed = await order(1);
    open = await order(2);
    await post('/close_position', { position: { ticket: closed, volume: 0.1 } });
    await post('/close_position', { position: { ticket: closed } });
    cancelled = await order(3, { type: 'BUY_LIMIT', price: 0.9 });
    await post(`/orders/${cancelled}`, {}, 'DELETE');
  });

  afterEach(() => gateway.app.get<Simulator>(EMBEDDED_SIMULATOR).faults.clear());

  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  it('return the deals of one order, and the orders of one position', async () => {
    const { data } = await call(`/history_deals_get?order=${closed}`);
    expect(data).toMatchObject([{ position_id: closed, order: closed, entry: 0 }]);
    const orders = await call<{ data: { ticket: number }[] }>(`/history_orders_get?position=${closed}`);
    expect(orders.data).toHaveLength(3);
    expect(orders.data[0]?.ticket).toBe(closed);
    for (const path of ['/history_deals_get?order=1&position=2', '/history_orders_get?ticket=1&position=2']) {
      expect(await call(path)).toMatchObject({ error_type: 'validation_error' });
    }
  });

  it.each([
    ['deals', '', 5],
    ['orders', '', 5],
    ['deals', '?from_date=2026-01-07T21:30:00Z&to_date=2026-01-07T21:31:00Z', 3],
    ['deals', '?from_date=2026-01-08T06:30:00&to_date=2026-01-08T06:31:00&clock=server', 3],
    ['orders', '?from_date=2026-01-08T06:30:00&to_date=2026-01-08T06:31:00&clock=server', 2],
    ['deals', '?from_date=2026-01-09', 0],
  ])('count the %s of a window%s', async (what, window, total) => {
    expect(await call(`/history_${what}_total${window}`)).toEqual({ ok: true, total });
    const { data } = await call(`/history_${what}_get${window}`);
    expect(data).toHaveLength(total);
  });

  it('return deals up to now, even if the server stamps them with tomorrow', async () => {
    const { data } = await call('/history_deals_get?from_date=2026-01-07T21:30:00Z');
    expect(data.map(({ time_utc }) => time_utc.slice(0, 16))).toEqual([
      '2026-01-07T21:30',
      '2026-01-07T21:30',
      '2026-01-07T21:31',
      '2026-01-07T21:32',
      '2026-01-07T21:33',
    ]);
  });

  it('return exactly the deals of a UTC window', async () => {
    const { data } = await call('/history_deals_get?from_date=2026-01-07T21:31:00Z&to_date=2026-01-07T21:32:30Z');
    expect(data.map(({ position_id }) => position_id)).toEqual([open, closed]);
  });

  it('return the deals of one position, and only those', async () => {
    const { data, total } = await call(`/history_deals_get?position=${closed}`);
    expect(total).toBe(3);
    expect(new Set(data.map(({ position_id }) => position_id))).toEqual(new Set([closed]));
    const since = await call(`/history_deals_get?position=${closed}&from_date=2020-01-01&to_date=2026-01-07T21:32:30Z`);
    expect(since.total).toBe(2);
  });

  it('return the deals of one magic', async () => {
    const { data } = await call('/history_deals_range?magic=2');
    expect(data.map(({ magic, position_id }) => [magic, position_id])).toEqual([[2, open]]);
  });

  it('return completed orders, by window and by ticket', async () => {
    const body = await call(`/history_orders_get?from_date=2026-01-07T21:34:00Z`);
    expect(body.data).toMatchObject([{ ticket: cancelled, state_str: 'CANCELED', type_str: 'BUY_LIMIT' }]);
    expect(await call(`/history_orders_get?ticket=${cancelled}`)).toEqual(body);
  });

  it('summarize a position', async () => {
    expect(await call(`/get_deal_from_ticket?ticket=${closed}`)).toMatchObject({
      ok: true,
      ticket: closed,
      volume_opened: 0.2,
      volume_closed: 0.2,
      closed: true,
      type_str: 'BUY',
      deals: 3,
      time_open_utc: '2026-01-07T21:30:00.000Z',
      time_close_utc: '2026-01-07T21:33:00.000Z',
    });
    expect(await call(`/get_deal_from_ticket?ticket=${open}`)).toMatchObject({ closed: false, time_close_utc: null });
    expect((await gateway.call('/get_deal_from_ticket?ticket=1')).statusCode).toBe(404);
  });

  it('name the key of each row, also of closes and cancelled orders, and null if there was none', async () => {
    const keysOf = async (path: string) => (await call(path)).data.map(({ client_order_id }) => client_order_id);
    const [opened, secondOpened, partClosed, fullClosed, placed] = keys;
    expect(await keysOf(`/history_deals_get?position=${closed}`)).toEqual([opened, partClosed, fullClosed]);
    expect(await keysOf('/history_deals_range?magic=2')).toEqual([secondOpened]);
    expect(await keysOf(`/history_orders_get?ticket=${cancelled}`)).toEqual([placed]);
    expect(await call(`/get_order_from_ticket?ticket=${closed}`)).toMatchObject({ client_order_id: opened });
    const payload = { symbol: 'EURUSD', volume: 0.2, type: 'BUY', magic: 5 };
    const unkeyed = (await gateway.call({ method: 'POST', url: '/order', payload })).json<{
      result: { order: number };
    }>();
    expect(await keysOf(`/history_deals_get?position=${unkeyed.result.order}`)).toEqual([null]);
    expect(await keysOf(`/history_orders_get?ticket=${unkeyed.result.order}`)).toEqual([null]);
    const { deals } = await call<{ deals: readonly Deal[] }>('/reconcile?lookback_hours=1');
    // The opening balance first; no request created it.
    expect(deals.map(({ client_order_id }) => client_order_id)).toEqual([
      ...[null, opened, secondOpened],
      ...[partClosed, fullClosed, null],
    ]);
  });

  it('find an order, pending or completed', async () => {
    const pending = await order(4, { type: 'BUY_LIMIT', price: 0.9 });
    expect(await call(`/get_order_from_ticket?ticket=${pending}`)).toMatchObject({ ok: true, state_str: 'PLACED' });
    expect(await call(`/get_order_from_ticket?ticket=${closed}`)).toMatchObject({ state_str: 'FILLED' });
    expect((await gateway.call('/get_order_from_ticket?ticket=1')).statusCode).toBe(404);
    expect((await gateway.call('/get_order_from_ticket')).statusCode).toBe(400);
  });

  it('reject a window that ends before it begins, a limit out of range, and an invalid cursor', async () => {
    const response = await gateway.call(
      '/history_deals_get?from_date=2026-01-08&to_date=2026-01-07&limit=10001&cursor=abc',
    );
    expect(response.statusCode).toBe(400);
    expect(response.json<{ details: unknown }>().details).toEqual([
      { field: 'limit', problem: 'must be an integer from 1 to 10000, not "10001"' },
      { field: 'cursor', problem: 'must be the `next_cursor` of an answer, not "abc"' },
      { field: 'from_date', problem: 'must be before to_date' },
    ]);
  });

  it.each(['/history_deals_get', '/history_deals_range', '/history_orders_get', '/get_deal_from_ticket?ticket=5'])(
    '%s is 503 if the history cannot be read, never an empty list',
    async (url) => {
      const { faults } = gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
      faults.set({ kind: 'failed-reads', methods: ['historyDealsGet', 'historyOrdersGet'] });
      const response = await gateway.call(url);
      expect(response.statusCode).toBe(503);
      expect(response.json()).toMatchObject({ ok: false, error_type: 'terminal_unavailable' });
    },
  );

  it('return the last error of the terminal', async () => {
    expect(await call('/last_error')).toMatchObject({
      ok: true,
      code: expect.any(Number),
      message: expect.any(String),
    });
    expect(await call('/last_error_str')).toMatchObject({ ok: true, message: expect.any(String) });
  });
});

describe('history while no offset is known', () => {
  it('omits nothing: the window allows for any offset of a server’s clock', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 21, 30));
    const gateway = await gatewayUnderTest({ clock, env: { SIM_SERVER_TIME_ZONE: 'Asia/Tokyo' } });
    const body = (
      await gateway.call('/history_deals_get?from_date=2026-01-07T21:00Z&to_date=2026-01-07T22:00Z')
    ).json();
    await gateway.stop();
    removeFolder(gateway.folder);
    expect(body).toMatchObject({ total: 1, data: [{ time_utc: null }] });
  });
});

describe('long histories', () => {
  interface Row {
    readonly ticket: number;
    readonly time_utc: string;
    readonly magic: number;
  }
  interface Page {
    readonly data: readonly Row[];
    readonly total: number;
    readonly next_cursor: string | null;
  }
  const settings = { SIM_HOURS: 'always', TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' };

  const trade = async (gateway: GatewayUnderTest, clock: VirtualClock, magic: number): Promise<void> => {
    const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic };
    const opened = await gateway.call({ method: 'POST', url: '/order', payload: order });
    const { position } = opened.json<{ position: number }>();
    await clock.advance(1_000);
    await gateway.call({ method: 'POST', url: '/close_position', payload: { position } });
    await clock.advance(1_000);
  };
  const pageAfter = async (gateway: GatewayUnderTest, path: string, cursor: string | null): Promise<Page> =>
    (await gateway.call(cursor === null ? path : `${path}&cursor=${cursor}`)).json<Page>();
  const ticketsOf = ({ data }: Page): number[] => data.map(({ ticket }) => ticket);

  it('let a client that was idle for two months catch up from its last deal', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    const first = await gatewayUnderTest({ clock, env: settings });
    const state = { ...settings, SIM_STATE_FILE: join(first.folder, 'broker') };
    await first.stop();
    const before = await gatewayUnderTest({ clock, env: state, folder: first.folder });
    await trade(before, clock, 1);
    const lastSeen = (await pageAfter(before, '/history_deals_get?', null)).data.at(-1);
    await trade(before, clock, 1);
    await before.stop();

    const later = new VirtualClock(Date.UTC(2026, 2, 14, 10));
    const gateway = await gatewayUnderTest({ clock: later, env: state, folder: first.folder });
    await trade(gateway, later, 2);
    const path = `/history_deals_get?from_date=${lastSeen?.time_utc}`;
    const { data, next_cursor } = await pageAfter(gateway, path, null);
    const orders = await pageAfter(gateway, `/history_orders_get?from_date=${lastSeen?.time_utc}`, null);
    const all = await pageAfter(gateway, '/history_deals_range?from_date=1970-01-01&magic=1', null);
    await gateway.stop();
    removeFolder(gateway.folder);
    expect(data[0]).toEqual(lastSeen);
    expect(data.map(({ magic }) => magic)).toEqual([1, 1, 1, 2, 2]);
    expect(next_cursor).toBeNull();
    expect(orders.total).toBe(5);
    expect(all.total).toBe(4);
  });

  const paged = ['/history_deals_get?limit=3', '/history_deals_range?limit=3&magic=1', '/history_orders_get?limit=3'];
  it.each(paged)('%s pages without losing or repeating a row while new ones are added', async (path) => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    const gateway = await gatewayUnderTest({ clock, env: settings });
    await trade(gateway, clock, 1);
    await trade(gateway, clock, 1);
    await trade(gateway, clock, 2);
    await clock.advance(60_000);
    const since = `${path}&from_date=2026-01-07T10:00:00Z`;
    const seen: number[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: Page = await pageAfter(gateway, since, cursor);
      expect(page.total).toBe(page.data.length);
      seen.push(...ticketsOf(page));
      cursor = page.next_cursor;
      pages += 1;
      if (cursor !== null && pages <= 3) await trade(gateway, clock, 1);
    } while (cursor !== null);
    const whole = ticketsOf(await pageAfter(gateway, since.replace('limit=3', 'limit=10000'), null));
    await gateway.stop();
    removeFolder(gateway.folder);
    expect(seen).toEqual(whole);
    expect(new Set(seen).size).toBe(seen.length);
    expect(pages).toBeGreaterThan(1);
  });

  it.each(paged)('%s refuses a cursor behind which the terminal has shown rows late', async (path) => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    const gateway = await gatewayUnderTest({ clock, env: settings });
    const session = gateway.simulator.connect();
    await session.connect();
    const buy = { action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY, magic: 1 };
    const byHand = async (): Promise<void> => {
      await session.orderSend(sealRequest('by hand', tradeRequest(buy)));
      await clock.advance(1_000);
    };
    await byHand();
    gateway.simulator.faults.set({ kind: 'history-gap', seconds: 1 });
    for (const _ of [1, 2, 3, 4]) await byHand();
    const since = `${path}&from_date=2026-01-07T10:00:00Z`;
    const first = await pageAfter(gateway, since, null);
    gateway.simulator.faults.clear();
    const second = await gateway.call(`${since}&cursor=${first.next_cursor}`);
    await gateway.stop();
    removeFolder(gateway.folder);
    expect(first.total).toBe(3);
    expect(second.statusCode).toBe(400);
    expect(second.json()).toMatchObject({ error_type: 'validation_error', details: [{ field: 'cursor' }] });
  });

  it('page the deals of one position too', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    const gateway = await gatewayUnderTest({ clock, env: settings });
    await trade(gateway, clock, 1);
    const [opening] = (await pageAfter(gateway, '/history_deals_range?magic=1', null)).data;
    const path = `/history_deals_get?position=${(opening as Row & { position_id: number }).position_id}&limit=1`;
    const one = await pageAfter(gateway, path, null);
    const two = await pageAfter(gateway, path, one.next_cursor);
    await gateway.stop();
    removeFolder(gateway.folder);
    expect([one.total, two.total, two.next_cursor]).toEqual([1, 1, null]);
    expect(ticketsOf(one)).not.toEqual(ticketsOf(two));
  });
});

import type { IncomingMessage, Server } from 'node:http';
import { VirtualClock } from '@libs/clock';
import {
  gatewayUnderTest,
  removeFolder,
  testKey,
  type GatewayUnderTest,
} from '../../../apps/gateway/src/testing/gateway-under-test';
import { GatewayClient, type TradeOutcome } from './index';

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The body of an answer that must be a success. */
function done<Body>(outcome: TradeOutcome<Body>): Body {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.body;
}

/** An integer that the answer must have. */
function ticketOf(value: number | null | undefined): number {
  if (value == null || !Number.isSafeInteger(value)) throw new Error('the answer names no ticket');
  return value;
}

async function collected<T>(pages: AsyncGenerator<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

describe('the client, against the gateway itself', () => {
  const nowMs = Date.UTC(2026, 0, 7, 10, 30, 20);
  const clock = new VirtualClock(nowMs);
  const minutesAgo = (minutes: number) => new Date(nowMs - minutes * 60_000);
  /** `GET /account` and the like, as received by the gateway. */
  const requests: string[] = [];
  let gateway: GatewayUnderTest;
  let client: GatewayClient;
  let keys = 0;
  const key = () => `coverage-${keys++}`;

  beforeAll(async () => {
    gateway = await gatewayUnderTest({ clock, env: { TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' } });
    await gateway.app.listen(0, '127.0.0.1');
    const server: Server = gateway.app.getHttpServer();
    server.on('request', ({ method = '', url = '' }: IncomingMessage) => {
      requests.push(`${method} ${url.split('?', 1)[0] ?? ''}`);
    });
    client = new GatewayClient({ baseUrl: await gateway.app.getUrl(), apiKey: testKey });
  });

  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const buy = async (volume: number) =>
    done(await client.order({ symbol: 'EURUSD', type: 'BUY', volume, magic: 7 }, key()));

  it('reports the state of the gateway', async () => {
    expect(await client.reads.healthLive()).toMatchObject({ status: 'alive' });
    expect(await client.reads.healthReady()).toMatchObject({ status: 'ready', checks: { terminal: { status: 'up' } } });
    const health = await client.reads.health();
    expect(health).toMatchObject({ status: 'healthy', terminal_status: 'connected', kill_switch_active: false });
    expect(health.account).toBe((await client.reads.account()).login);
    expect(await client.reads.equity({ since: minutesAgo(60), every_minutes: 5 })).toEqual([]);
    expect(await client.reads.daemonStrategies()).toMatchObject({ daemon: 'none', strategies: null });
    expect(await client.reads.strategyLog('book/trend', 5)).toMatchObject({ daemon: 'none', lines: null });
    const noResults = { daemon: 'none', equity: null, backtest: null };
    expect(await client.reads.strategyResults('book/trend', 5)).toMatchObject(noResults);
    expect(await client.reads.metrics()).toContain('terminal_connected 1');
    expect(await client.reads.lastError()).toMatchObject({ code: 1 });
    expect(await client.reads.lastErrorStr()).toBe((await client.reads.lastError()).message);
  });

  it('reads the market', async () => {
    const euro = (await client.reads.symbols('*EUR*,!*CHF*')).map(({ name }) => name);
    expect(euro).toContain('EURUSD');
    expect(euro).not.toContain('GBPUSD');
    expect(await client.reads.symbolInfo('EURUSD')).toMatchObject({ name: 'EURUSD', currency_profit: 'USD' });
    const tick = await client.reads.symbolInfoTick('EURUSD');
    expect(tick.ask).toBeGreaterThan(tick.bid);
    const book = await client.reads.marketBook('EURUSD');
    expect([book[4]?.price, book[5]?.price]).toEqual([tick.ask, tick.bid]);
    const last = await client.reads.fetchDataPos('EURUSD', 'M1', 10);
    expect(last).toHaveLength(10);
    const bars = await client.reads.fetchDataRange('EURUSD', 'M1', minutesAgo(5), minutesAgo(0));
    expect(bars).toEqual(last.slice(-bars.length));
    expect(bars).toHaveLength(5);
    expect(await client.reads.copyRatesFrom('EURUSD', 'M1', minutesAgo(1), 4)).toEqual(last.slice(-5, -1));
    const ticks = await client.reads.copyTicksRange('EURUSD', minutesAgo(5), minutesAgo(0).toISOString(), 'info');
    expect(ticks.length).toBeGreaterThan(0);
    expect(await client.reads.copyTicksFrom('EURUSD', minutesAgo(5), 3, 'info')).toEqual(ticks.slice(0, 3));
    expect(await client.reads.serverTime('2026-07-05T10:00:00Z')).toMatchObject({ offset_seconds: 3 * 3_600 });
    expect(await client.reads.terminalInfo()).toMatchObject({ connected: true, trade_allowed: true });
    expect((await client.reads.symbolsGet('EURUSD')).map(({ name, digits }) => [name, digits])).toEqual([
      ['EURUSD', 5],
    ]);
    expect(ticks.every(({ time_utc }) => time_utc !== null && time_utc >= minutesAgo(5).toISOString())).toBe(true);
  });

  it('checks and calculates an order without sending it', async () => {
    const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1 } as const;
    const check = await client.reads.orderCheck(order);
    expect(check).toMatchObject({ valid: true, retcode: 0 });
    const margin = await client.reads.orderCalcMargin(order);
    expect(margin).toBeGreaterThan(0);
    expect(check.margin).toBeCloseTo(margin, 2);
    const prices = { price_open: 1.1, price_close: 1.101 };
    expect(await client.reads.orderCalcProfit({ ...order, ...prices })).toBeCloseTo(10, 2);
    expect(await client.reads.positionsTotal()).toBe(0);
  });

  it('opens, protects, reduces and closes a position, and reads its history', async () => {
    const placed = await buy(0.3);
    expect(placed).toMatchObject({ state: 'executed', client_order_id: `coverage-${keys - 1}` });
    const ticket = ticketOf(placed.position);
    expect(await client.reads.tradeRequests({ key: 'coverage-', limit: 1 })).toMatchObject({
      requests: [{ key: `coverage-${keys - 1}`, outcome: 'done', symbol: 'EURUSD' }],
    });
    expect(await client.reads.positions({ magic: 7, symbol: 'EURUSD' })).toMatchObject([{ ticket, volume: 0.3 }]);
    expect(await client.reads.positionsTotal()).toBe(1);
    expect(done(await client.modifySlTp({ position: ticket, sl: 0.5 }, key()))).toMatchObject({ sl: 0.5, tp: null });
    expect(done(await client.closePositionPartial({ ticket, volume: 0.1 }, key()))).toMatchObject({
      state: 'partially_closed',
      closed_volume: 0.1,
      remaining_volume: 0.2,
    });
    expect(done(await client.closePosition({ position: ticket }, key()))).toMatchObject({ state: 'closed' });

    const today = { from_date: minutesAgo(60), to_date: new Date(nowMs + 60_000) };
    const deals = await client.reads.historyDealsGet({ position: ticket });
    expect(deals.map(({ entry, volume }) => [entry, volume])).toEqual([
      [0, 0.3],
      [1, 0.1],
      [1, 0.2],
    ]);
    expect(await client.reads.dealsOfPosition(ticket)).toEqual(deals);
    expect(await client.reads.historyDealsGet({ order: deals[0]?.order ?? 0 })).toEqual(deals.slice(0, 1));
    expect(await client.reads.historyDealsTotal(today)).toBe((await client.reads.historyDealsGet(today)).length);
    expect(await client.reads.historyOrdersTotal(today)).toBe(deals.length);
    expect(await client.reads.historyDealsRange({ ...today, magic: 7 })).toEqual(deals);
    const pages = await collected(client.reads.historyDealRangePages({ ...today, magic: 7, limit: 2 }));
    expect(pages).toEqual([deals.slice(0, 2), deals.slice(2)]);
    expect(await collected(client.reads.historyDealPages({ position: ticket, limit: 1 }))).toHaveLength(3);
    const finished = await client.reads.historyOrdersGet({ from_date: '2020-01-01' });
    expect((await collected(client.reads.historyOrderPages({ limit: 1 }))).flat()).toEqual(finished);
    const order = ticketOf(placed.result?.order);
    const [past] = await client.reads.historyOrdersGet({ ticket: order });
    expect(past).toMatchObject({ ticket: order, position_id: ticket, volume_initial: 0.3 });
    expect(await client.reads.orderFromTicket(order)).toMatchObject({
      ticket: order,
      time_done_utc: past?.time_done_utc,
    });
    expect(await client.reads.orderFromTicket(1)).toBeNull();
    expect(await client.reads.dealFromTicket(ticket)).toMatchObject({ closed: true, volume_closed: 0.3, deals: 3 });
    expect(await client.reads.dealFromTicket(1)).toBeNull();
  });

  it('places, changes and cancels a pending order', async () => {
    const request = { symbol: 'EURUSD', type: 'BUY_LIMIT', volume: 0.1, price: 1.0, magic: 8 } as const;
    const { bid } = await client.reads.symbolInfoTick('EURUSD');
    const price = Number((bid - 0.01).toFixed(5));
    const placed = done(await client.order({ ...request, price }, key()));
    const ticket = ticketOf(placed.result?.order);
    const lower = Number((price - 0.001).toFixed(5));
    expect(done(await client.modifyOrder(ticket, { price: lower }, key()))).toMatchObject({ ticket, price: lower });
    expect(await client.reads.orders({ ticket })).toMatchObject([{ ticket, price_open: lower, magic: 8 }]);
    expect(done(await client.cancelOrder(ticket, key()))).toMatchObject({ ticket, state: 'cancelled' });
    expect(await client.reads.orders()).toEqual([]);
  });

  it('closes everything, and reads the outcome of its keys', async () => {
    await buy(0.1);
    await buy(0.2);
    const closing = key();
    const { result, closed, failed } = done(await client.closeAllPositions({ magic: 7 }, closing));
    expect(closed?.map(({ volume }) => volume).sort()).toEqual([0.1, 0.2]);
    expect(failed).toEqual([]);
    expect(result).toMatchObject({ positions: 2, closed: 2, failed: 0, closed_volume: 0.3 });
    expect(await client.reads.auditVerification()).toMatchObject({ consistent: true, problems: [], in_flight: 0 });
    const audited = await client.reads.auditLines(closing);
    expect(audited).toMatchObject({ key: closing, complete: true });
    expect(audited.lines.map(({ event }) => event).sort()).toEqual([
      ...['broker_response', 'broker_response', 'intent', 'intent'],
    ]);
    expect(await client.reads.tradeRequest(closing)).toMatchObject({
      key: closing,
      route: 'POST /close_all_positions',
      status: 'completed',
    });
    expect(await client.voidTradeRequest(closing)).toMatchObject({ status: 'completed' });
    expect(await client.voidTradeRequest('never sent')).toMatchObject({ key: 'never sent', status: 'void' });
    expect(await client.acceptUnknownOutcome(closing)).toMatchObject({ status: 'completed' });
    const refused = await client.order({ symbol: 'EURUSD', type: 'BUY', volume: 0.1 }, 'never sent');
    expect(refused).toMatchObject({ kind: 'rejected', errorType: 'key_void', retryable: false });
    const state = await client.reads.reconcile({ magic: 7, lookback_hours: 1 });
    expect(state).toMatchObject({ positions: [], orders: [], unresolved: [], differences: [] });
    expect(state.deals.length).toBeGreaterThan(4);
  });

  it('follows quotes and trades, and reads the event log', async () => {
    const abort = new AbortController();
    const ticks = client.streams.ticks(['EURUSD'], { signal: abort.signal });
    const trades = client.streams.trades({ signal: abort.signal, magic: 9 });
    expect((await ticks.next()).value).toEqual({ kind: 'connected' });
    expect((await trades.next()).value).toEqual({ kind: 'connected' });
    const nextTrade = trades.next();
    const nextTick = ticks.next();
    done(await client.order({ symbol: 'EURUSD', type: 'SELL', volume: 0.1, magic: 9 }, key()));
    await clock.advance(5_000);
    const trade = (await nextTrade).value;
    expect(trade).toMatchObject({ kind: 'event', event: { symbol: 'EURUSD', magic: 9 } });
    expect((await nextTick).value).toMatchObject({ kind: 'event', event: { symbol: 'EURUSD' } });
    abort.abort();
    const page = await client.reads.events({ magic: 9, limit: 1_000 });
    expect(page.resync).toBe(false);
    expect(page.events[0]).toEqual(trade?.kind === 'event' ? trade.event : null);
    expect(page.next_since).toBe(page.last_seq);
  });

  it('halts and flattens, is blocked after that, and resumes', async () => {
    const { kill_switch_active, flatten } = done(await client.control.kill({ flatten: true }));
    expect(kill_switch_active).toBe(true);
    expect(flatten).toMatchObject({ complete: true, closed: [{ symbol: 'EURUSD', volume: 0.1 }] });
    expect(await client.order({ symbol: 'EURUSD', type: 'BUY', volume: 0.1 }, key())).toMatchObject({
      kind: 'blocked',
    });
    expect(await client.reads.healthReady()).toMatchObject({ status: 'not_ready', kill_switch_active: true });
    expect(done(await client.control.release())).toMatchObject({ kill_switch_active: false });
    expect(await client.reads.healthReady()).toMatchObject({ status: 'ready' });
  });

  it('reports the trade journal and accepts it by its id', async () => {
    const { journal } = await client.reads.health();
    expect(journal).toMatchObject({ id: expect.any(String), state: 'ok', reason: null });
    expect(done(await client.control.acceptJournal(journal.id ?? ''))).toMatchObject({ journal: { id: journal.id } });
    expect(await client.control.acceptJournal('another')).toMatchObject({ kind: 'rejected', status: 400 });
  });

  it('reports whether the account is explained, and accepts nothing that is', async () => {
    const { account_evidence: evidence, differences } = await client.reads.health();
    expect([evidence?.state, evidence?.unexplained, differences]).toEqual(['explained', [], []]);
    const accepted = done(await client.control.acceptAccount(evidence?.since ?? ''));
    expect(accepted).toMatchObject({ message: 'the account is explained: nothing to accept' });
  });

  it('lists alerts that were set aside, and changes none that was not', async () => {
    expect(await client.reads.setAsideNotifications()).toEqual([]);
    const nothing = { ids: [], not_set_aside: ['trade-1-1'] };
    expect(done(await client.control.retryNotifications('ops', ['trade-1-1']))).toMatchObject(nothing);
    expect(done(await client.control.dropNotifications('ops', ['trade-1-1']))).toMatchObject(nothing);
    expect(await client.control.dropNotifications('ops', [])).toMatchObject({ kind: 'rejected', status: 400 });
  });

  it('lists alerts; the programs that deliver them are no clients', async () => {
    expect(await client.reads.signals({ source: 'trend', limit: 10 })).toEqual([]);
    const { status } = await fetch(`${await gateway.app.getUrl()}/signals/trend?secret=none`, { method: 'POST' });
    expect(status).toBe(401);
  });

  it('raises fences, and trades under them', async () => {
    expect(await client.fences.find('trend')).toBeNull();
    const raised = await client.fences.raise('trend', { token: 7, magics: [7001] });
    expect(raised).toMatchObject({ kind: 'raised', fence: { strategy: 'trend', token: 7, magics: [7001] } });
    expect(await client.fences.raise('trend', { token: 6 })).toMatchObject({ kind: 'conflict', stored: 7 });
    expect(await client.fences.find('trend')).toMatchObject({ token: 7, state: 'raised' });
    expect(await client.fences.all()).toMatchObject([{ strategy: 'trend' }]);
    const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7001 } as const;
    const late = await client.order(order, key(), { name: 'trend', token: 6 });
    expect(late).toMatchObject({ kind: 'rejected', errorType: 'fenced_out', retryable: false });
    expect(await client.order(order, key())).toMatchObject({ kind: 'rejected', errorType: 'fence_required' });
    done(await client.order(order, key(), { name: 'trend', token: 7 }));
    done(await client.closeAllPositions({ magic: 7001 }, key(), { name: 'trend', token: 7 }));
  });

  it('sends requests in the terminal form, and closes a position by another', async () => {
    const entry = { action: 1, symbol: 'EURUSD', volume: 0.1 } as const;
    const position = ticketOf(done(await client.orderSend(entry, key())).result?.order);
    const position_by = ticketOf(done(await client.orderSend({ ...entry, type: 1 }, key())).position);
    expect(await client.reads.orderSendCheck({ action: 10, position, position_by })).toMatchObject({ valid: true });
    expect(done(await client.orderSend({ action: 10, position, position_by }, key()))).toMatchObject({
      ...{ state: 'closed', remaining_volume: 0, remaining_volume_by: 0 },
      result: { retcode: 10009, request: { action: 10, position, position_by } },
    });
  });

  it('has a method for every route of the OpenAPI document', async () => {
    const document = (await gateway.call('/apidocs/openapi.json')).json<OpenApiDocument>();
    const routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.length).toBeGreaterThan(30);
    const isCalled = (route: string): boolean => {
      const template = new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`);
      return requests.some((request) => template.test(request));
    };
    expect(routes.filter((route) => !isCalled(route))).toEqual([]);
  });
});

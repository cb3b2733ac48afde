import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorLimits, orderLimitSettings } from '@libs/order-drafts/limits';
import { readSettings } from '@libs/settings';
import { OrderType, Retcode, TradeAction } from '@libs/terminal-client';
import { filesWith, Gate } from '../trade-journal/testing/held-writes';
import { TradingGateway, eurusd, type Answer, type Json } from '../trade-journal/testing/trading-gateway';

interface LimitRow {
  readonly setting: string;
  readonly symbol: string | null;
  readonly limit: number;
  readonly value: number | null;
}

let gateway: TradingGateway;
afterEach(() => gateway.stop());

const entry = (fields: Json = {}): Promise<Answer> => gateway.post('/order', { ...eurusd, type: 'BUY', ...fields });
const limits = async (): Promise<readonly LimitRow[]> =>
  (await gateway.get<{ limits: readonly LimitRow[] }>('/health')).body.limits;
const valueOf = async (setting: string): Promise<number | null | undefined> =>
  (await limits()).find((row) => row.setting === setting)?.value;
const refused = (errorType: string, details: Json) => ({ status: 422, body: { error_type: errorType, details } });
/** A buy limit well below the market. */
const pending = async (fields: Json = {}): Promise<Json> => {
  const { bid } = await gateway.quote();
  return { ...eurusd, type: 'BUY_LIMIT', price: Number((bid - 0.01).toFixed(5)), ...fields };
};

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
};

/** Buying and selling at once loses the spread. */
const loseSomething = async (): Promise<number> => {
  const position = await gateway.buy({ volume: 5 });
  const { body } = await gateway.post('/close_position', { position });
  const deals = await gateway.rows(`/history_deals_get?position=${position}`);
  const costs = deals.map(({ profit, commission, swap, fee }) => [profit, commission, swap, fee].map(Number)).flat();
  expect(body.state).toBe('closed');
  return -costs.reduce((sum, value) => sum + value, 0);
};

describe('entry limits', () => {
  it('are not set by default', async () => {
    gateway = await TradingGateway.start();
    expect(await limits()).toEqual([]);
  });
});

describe('MAX_ORDERS_PER_MINUTE', () => {
  beforeEach(async () => {
    gateway = await TradingGateway.start({ MAX_ORDERS_PER_MINUTE: '2' });
  });

  it('rejects the entry above it with the time to wait, and allows it a minute after the first', async () => {
    await gateway.buy();
    await gateway.clock.advance(20_000);
    await gateway.buy();
    const third = await entry();
    expect(third).toMatchObject(
      refused('order_rate_exceeded', { setting: 'MAX_ORDERS_PER_MINUTE', limit: 2, value: 2 }),
    );
    expect(third.headers['retry-after']).toBe('40');
    expect(await limits()).toEqual([{ setting: 'MAX_ORDERS_PER_MINUTE', symbol: null, limit: 2, value: 2 }]);
    expect(await gateway.metric('entry_limit')).toBe(2);
    expect(await gateway.metric('entry_limit_value')).toBe(2);
    await gateway.clock.advance(40_000);
    expect(await entry()).toMatchObject({ status: 200 });
  });

  it('counts an entry for a minute after its send, however long that takes', async () => {
    gateway.simulator.faults.set({ kind: 'latency', ms: 15_000, calls: 'sends' });
    await Promise.all([gateway.waitFor(gateway.buy()), gateway.waitFor(gateway.buy())]);
    gateway.simulator.faults.clear();
    await gateway.clock.advance(50_000);
    expect(await entry()).toMatchObject({ status: 422, body: { error_type: 'order_rate_exceeded' } });
    await gateway.clock.advance(15_000);
    expect(await entry()).toMatchObject({ status: 200 });
  });

  it('does not count unsent entries, and allows a replay', async () => {
    const order = { ...eurusd, type: 'BUY' };
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200 });
    expect(await entry({ volume: 10_000 })).toMatchObject({ status: 422 });
    expect(await entry({ sl: 1.9 })).toMatchObject({ status: 400 });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200 });
    expect(await valueOf('MAX_ORDERS_PER_MINUTE')).toBe(1);
  });

  it('counts entries that the broker rejected', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.REJECT, times: 2 });
    await entry();
    await entry();
    expect(await entry()).toMatchObject({ status: 422, body: { error_type: 'order_rate_exceeded' } });
  });

  it('allows every exit', async () => {
    const ticket = await gateway.buy({ volume: 0.3 });
    const placed = await gateway.post<{ result: { order: number } }>('/order', await pending());
    const order = placed.body.result.order;
    for (const answer of [
      await gateway.post('/modify_sl_tp', { position: ticket, sl: 0.8 }),
      await gateway.send('PUT', `/orders/${order}`, { sl: 0.8 }),
      await gateway.send('DELETE', `/orders/${order}`),
      await gateway.post('/position_close_partial', { ticket, volume: 0.1 }),
      await gateway.post('/close_position', { position: ticket }),
    ]) {
      expect(answer).toMatchObject({ status: 200 });
    }
  });

  it('survives a restart', async () => {
    await gateway.buy();
    await gateway.buy();
    await gateway.restart();
    expect(await entry()).toMatchObject({ status: 422, body: { error_type: 'order_rate_exceeded' } });
  });

  it.each([90_000, -90_000])('survives a restart during which the wall clock jumps by %s ms', async (byMs) => {
    await gateway.buy();
    await gateway.buy();
    await gateway.restart(() => gateway.clock.jump(byMs));
    expect(await entry()).toMatchObject({ status: 422, body: { error_type: 'order_rate_exceeded' } });
    await gateway.clock.advance(61_000);
    expect(await entry()).toMatchObject({ status: 200 });
  });

  it('is reported by /order_check, which counts nothing', async () => {
    for (let check = 0; check < 5; check++) {
      expect(await gateway.post('/order_check', { ...eurusd, type: 'BUY' })).toMatchObject({ status: 200 });
    }
    await gateway.buy();
    await gateway.buy();
    expect(await gateway.post('/order_check', { ...eurusd, type: 'BUY' })).toMatchObject({
      status: 422,
      body: { error_type: 'order_rate_exceeded' },
    });
  });
});

describe('MAX_OPEN_VOLUME', () => {
  it('counts positions and pending orders, of any origin, and names the limit and its value', async () => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '0.5' });
    await gateway.buy({ volume: 0.2 });
    await gateway.byHand({ action: TradeAction.DEAL, symbol: 'GBPUSD', volume: 0.1, type: OrderType.SELL });
    expect(await gateway.post('/order', await pending())).toMatchObject({ status: 200 });
    expect(await entry({ volume: 0.11 })).toMatchObject(
      refused('open_volume_exceeded', { setting: 'MAX_OPEN_VOLUME', limit: 0.5, value: 0.4, requested: 0.11 }),
    );
    expect(await entry({ volume: 0.1 })).toMatchObject({ status: 200 });
    expect(await limits()).toEqual([{ setting: 'MAX_OPEN_VOLUME', symbol: null, limit: 0.5, value: 0.5 }]);
    expect(await gateway.metric('entry_limit_value')).toBe(0.5);
    expect(await gateway.post('/close_all_positions')).toMatchObject({ status: 200 });
    expect(await entry({ volume: 0.4 })).toMatchObject({ status: 200 });
  });

  it('is not exceeded by simultaneous requests', async () => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '0.3' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => entry({ volume: 0.1 })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(await gateway.rows('/get_positions')).toHaveLength(3);
  });

  it('counts an unknown outcome as open until it is resolved, over a restart too', async () => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '0.3' });
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.TIMEOUT, times: 1 });
    expect(await gateway.post('/order', { ...eurusd, type: 'BUY', volume: 0.3 }, 'k')).toMatchObject({ status: 502 });
    expect(await entry()).toMatchObject(refused('open_volume_exceeded', { value: 0.3 }));
    await gateway.restart();
    expect(await entry()).toMatchObject(refused('open_volume_exceeded', { value: 0.3 }));
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
    expect(await valueOf('MAX_OPEN_VOLUME')).toBe(0);
    expect(await entry()).toMatchObject({ status: 200 });
  });

  it('counts a fill that the lists do not show yet', async () => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '0.1', FILL_CONFIRM_TIMEOUT_MS: '0' });
    await gateway.agedBy(60_000);
    gateway.simulator.faults.set({ kind: 'lag', ms: 60_000 });
    expect(await entry()).toMatchObject({ status: 200 });
    expect(await entry()).toMatchObject(refused('open_volume_exceeded', { value: 0.1 }));
    expect(await gateway.get('/get_positions')).toMatchObject({ status: 503 });
    await gateway.clock.advance(61_000);
    // An order that is not shown for so long leaves the account unexplained until the next look.
    await gateway.until(async () => (await gateway.get('/get_positions')).status === 200);
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
    expect(await valueOf('MAX_OPEN_VOLUME')).toBe(0.1);
  });

  it.each(['hedging', 'netting'])(
    'counts a fill whose order is in the history before its position is shown (%s)',
    async (mode) => {
      const env = { MAX_OPEN_VOLUME: '0.3', FILL_CONFIRM_TIMEOUT_MS: '0', SIM_MARGIN_MODE: mode };
      gateway = await TradingGateway.start(env);
      expect(await entry({ volume: 0.1 })).toMatchObject({ status: 200 });
      await gateway.agedBy(60_000);
      gateway.simulator.faults.set({ kind: 'lag', ms: 60_000, lists: ['positions'] });
      expect(await entry({ volume: 0.2 })).toMatchObject({ status: 200 });
      expect((await entry({ volume: 0.1 })).status).not.toBe(200);
      expect((await entry({ volume: 0.1 })).status).not.toBe(200);
      gateway.simulator.faults.clear();
      await gateway.until(async () => (await valueOf('MAX_OPEN_VOLUME')) === 0.3);
      expect(await entry({ volume: 0.1 })).toMatchObject(refused('open_volume_exceeded', { value: 0.3 }));
      expect(await gateway.post('/close_all_positions')).toMatchObject({ status: 200 });
      expect(await entry({ volume: 0.3 })).toMatchObject({ status: 200 });
    },
  );

  it.each([
    ['a look at the account', () => gateway.agedBy(60_000)],
    ['the last view of it alone', () => valueOf('MAX_OPEN_VOLUME')],
  ])('counts a pending order, known from %s, that was filled before its position is shown', async (_, seen) => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '0.3', FILL_CONFIRM_TIMEOUT_MS: '0' });
    const { ask } = await gateway.quote();
    const stop = { ...eurusd, type: 'BUY_STOP', volume: 0.2, price: Number((ask + 0.0002).toFixed(5)) };
    expect(await gateway.post('/order', stop)).toMatchObject({ status: 200 });
    await seen();
    const { simulator } = gateway;
    simulator.faults.set({ kind: 'lag', ms: 86_400_000, lists: ['positions'] });
    const terminal = simulator.connect();
    await terminal.connect();
    // The market moves on at once: nothing looks at the account before the entry.
    while ((await terminal.ordersGet()).length > 0) simulator.advanceTo(simulator.marketMs + 10_000);
    expect(await entry({ volume: 0.2 })).toMatchObject({
      ...{ status: 503, body: { error_type: 'account_not_synchronized' } },
    });
    simulator.faults.clear();
    await gateway.until(async () => (await valueOf('MAX_OPEN_VOLUME')) === 0.2);
    expect(await entry({ volume: 0.2 })).toMatchObject(refused('open_volume_exceeded', { value: 0.2 }));
  });

  it('counts a position that the last view of the account alone has shown, though the list lacks it since', async () => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '0.3' });
    await gateway.agedBy(60_000);
    await gateway.byHand({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.2, type: OrderType.BUY });
    // Nothing looks at the account before the entry.
    expect(await valueOf('MAX_OPEN_VOLUME')).toBe(0.2);
    gateway.simulator.faults.set({ kind: 'lists-not-loaded', lists: ['positions'], shows: 'empty' });
    const unknown = { status: 503, body: { error_type: 'account_not_synchronized' } };
    expect(await entry({ volume: 0.2 })).toMatchObject(unknown);
    expect(await entry({ volume: 0.2 })).toMatchObject(unknown);
    gateway.simulator.faults.clear();
    await gateway.until(async () => (await valueOf('MAX_OPEN_VOLUME')) === 0.2);
    expect(await entry({ volume: 0.2 })).toMatchObject(refused('open_volume_exceeded', { value: 0.2 }));
    expect(await gateway.post('/close_all_positions')).toMatchObject({ status: 200 });
    expect(await entry({ volume: 0.3 })).toMatchObject({ status: 200 });
  });

  it('denies the entry if the account cannot be read', async () => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '10' });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['positionsGet'] });
    expect(await entry()).toMatchObject({ status: 503, body: { error_type: 'terminal_unavailable' } });
    expect(await valueOf('MAX_OPEN_VOLUME')).toBeNull();
    gateway.simulator.faults.clear();
    expect(await entry()).toMatchObject({ status: 200 });
  });
});

describe('MAX_OPEN_VOLUME_PER_SYMBOL', () => {
  it('limits each symbol separately', async () => {
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME_PER_SYMBOL: '0.2' });
    expect(await limits()).toEqual([{ setting: 'MAX_OPEN_VOLUME_PER_SYMBOL', symbol: null, limit: 0.2, value: 0 }]);
    await gateway.buy({ volume: 0.2 });
    expect(await entry({ type: 'SELL', volume: 0.01 })).toMatchObject(
      refused('open_volume_exceeded', {
        ...{ setting: 'MAX_OPEN_VOLUME_PER_SYMBOL', symbol: 'EURUSD', limit: 0.2, value: 0.2, requested: 0.01 },
      }),
    );
    expect(await entry({ symbol: 'GBPUSD' })).toMatchObject({ status: 200 });
    expect(await limits()).toEqual([
      { setting: 'MAX_OPEN_VOLUME_PER_SYMBOL', symbol: 'EURUSD', limit: 0.2, value: 0.2 },
      { setting: 'MAX_OPEN_VOLUME_PER_SYMBOL', symbol: 'GBPUSD', limit: 0.2, value: 0.1 },
    ]);
  });
});

describe('an order on a netting account that only reduces the position', () => {
  it('is not sent once a close takes the position first: it would open', async () => {
    const gate = new Gate();
    const settings = { SIM_MARGIN_MODE: 'netting', MAX_ORDERS_PER_MINUTE: '1' };
    gateway = await TradingGateway.start(settings, filesWith(gate, 'reducing'));
    const position = await gateway.buy({ volume: 0.3 });
    const reduce = (): Promise<Answer> =>
      gateway.post('/order', { ...eurusd, type: 'SELL', volume: 0.3, comment: 'reducing' }, 'reducing');
    gate.hold();
    const reducing = reduce();
    await until(() => gate.held > 0);
    const closing = gateway.post('/close_position', { position }, 'closing');
    await until(async () => (await gateway.get('/trade_requests/closing')).status === 200);
    gate.release();
    expect(await closing).toMatchObject({ status: 200 });
    expect(await reducing).toMatchObject({
      status: 503,
      body: { error_type: 'terminal_unavailable', details: { reason: 'changed_meanwhile' } },
    });
    expect(await gateway.rows('/get_positions')).toEqual([]);
    expect(await reduce()).toMatchObject(refused('order_rate_exceeded', { limit: 1, value: 1 }));
  });
});

describe('on a netting account', () => {
  beforeEach(async () => {
    gateway = await TradingGateway.start({ SIM_MARGIN_MODE: 'netting', MAX_OPEN_VOLUME: '0.3' });
    await gateway.buy({ volume: 0.3 });
  });

  it('allows an opposite order that only reduces', async () => {
    expect(await entry({ type: 'SELL', volume: 0.1 })).toMatchObject({ status: 200 });
    expect(await entry({ type: 'SELL', volume: 0.2 })).toMatchObject({ status: 200 });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('does not let simultaneous reductions reverse the position', async () => {
    await Promise.all(Array.from({ length: 6 }, () => entry({ type: 'SELL', volume: 0.3 })));
    const [position] = await gateway.rows('/get_positions');
    // Each is either a reduction of the position or an entry within the limit.
    expect(Number(position?.volume ?? 0)).toBeLessThanOrEqual(0.3);
  });

  it('counts the part of an opposite order that exceeds the position', async () => {
    expect(await entry({ type: 'SELL', volume: 0.4 })).toMatchObject(
      refused('open_volume_exceeded', { limit: 0.3, value: 0.3, requested: 0.1 }),
    );
  });
});

describe('MAX_DAILY_LOSS', () => {
  it('denies entries once the closed trades of the day lost that much; a deposit does not count', async () => {
    gateway = await TradingGateway.start({ MAX_DAILY_LOSS: '1' });
    const loss = await loseSomething();
    expect(loss).toBeGreaterThan(1);
    const answer = await entry();
    expect(answer).toMatchObject(refused('daily_loss_exceeded', { setting: 'MAX_DAILY_LOSS', limit: 1 }));
    expect((answer.body.details as { value: number }).value).toBeCloseTo(loss, 2);
    expect(await valueOf('MAX_DAILY_LOSS')).toBeCloseTo(loss, 2);
  });

  it('counts floating results, and allows exits', async () => {
    gateway = await TradingGateway.start({ MAX_DAILY_LOSS: '1' });
    const position = await gateway.buy({ volume: 5 });
    expect(await entry()).toMatchObject({ status: 422, body: { error_type: 'daily_loss_exceeded' } });
    expect(await gateway.post('/close_position', { position })).toMatchObject({ status: 200 });
  });

  it("resets at the start of the broker's day", async () => {
    // It is 10:00 UTC on this clock, so 23:00 at this broker.
    const zone = { TERMINAL_SERVER_TIME_ZONE: 'Etc/GMT-13', SIM_SERVER_TIME_ZONE: 'Etc/GMT-13' };
    gateway = await TradingGateway.start({ MAX_DAILY_LOSS: '1', ...zone });
    await loseSomething();
    await gateway.clock.advance(59 * 60_000);
    expect(await entry({ volume: 0.01 })).toMatchObject({ status: 422, body: { error_type: 'daily_loss_exceeded' } });
    await gateway.clock.advance(2 * 60_000);
    expect(await entry({ volume: 0.01 })).toMatchObject({ status: 200 });
  });

  it('denies entries while the lists lack a position, whose loss is not known', async () => {
    gateway = await TradingGateway.start({ MAX_DAILY_LOSS: '1000000', FILL_CONFIRM_TIMEOUT_MS: '0' });
    await gateway.agedBy(60_000);
    gateway.simulator.faults.set({ kind: 'lag', ms: 60_000, lists: ['positions'] });
    expect(await entry()).toMatchObject({ status: 200 });
    expect(await entry()).toMatchObject({ status: 503, body: { error_type: 'account_not_synchronized' } });
    expect(await valueOf('MAX_DAILY_LOSS')).toBeNull();
    gateway.simulator.faults.clear();
    await gateway.until(async () => (await valueOf('MAX_DAILY_LOSS')) !== null);
    expect(await entry()).toMatchObject({ status: 200 });
    expect(await gateway.post('/order', await pending())).toMatchObject({ status: 200 });
    expect(await entry()).toMatchObject({ status: 200 });
  });

  it('denies entries while the figures cannot be read', async () => {
    gateway = await TradingGateway.start({ MAX_DAILY_LOSS: '1000000' });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet'] });
    expect(await entry()).toMatchObject({ status: 503, body: { error_type: 'terminal_unavailable' } });
    expect(await valueOf('MAX_DAILY_LOSS')).toBeNull();
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });
});

/** What reaches each limit before a restart, and the refusal after it. */
const overRestart: Readonly<
  Record<string, { readonly limit: string; readonly reach: () => Promise<unknown>; readonly errorType: string }>
> = {
  MAX_ORDERS_PER_MINUTE: { limit: '1', reach: () => placed(), errorType: 'order_rate_exceeded' },
  MAX_OPEN_VOLUME: { limit: '0.1', reach: () => placed(), errorType: 'open_volume_exceeded' },
  MAX_OPEN_VOLUME_PER_SYMBOL: { limit: '0.1', reach: () => placed(), errorType: 'open_volume_exceeded' },
  MAX_DAILY_LOSS: { limit: '1', reach: () => loseSomething(), errorType: 'daily_loss_exceeded' },
};
/** A pending order that no list shows yet, and of which the money of the account shows nothing. */
const placed = async (): Promise<void> => {
  await gateway.agedBy(20_000);
  gateway.simulator.faults.set({ kind: 'lag', ms: 20_000 });
  expect(await gateway.post('/order', await pending())).toMatchObject({ status: 200 });
};

describe('a restart of the gateway while the lists lag', () => {
  const broker = mkdtempSync(join(tmpdir(), 'broker-'));
  afterAll(() => rmSync(broker, { recursive: true }));

  it('is tested with each limit on entries, which /health reports', async () => {
    const isEntryLimit = (name: string): boolean =>
      operatorLimits(readSettings(orderLimitSettings, { [name]: '1' })).entries !== null;
    const names = Object.keys(orderLimitSettings).filter(isEntryLimit).sort();
    gateway = await TradingGateway.start(Object.fromEntries(names.map((name) => [name, '1'])));
    const reported = (await limits()).map(({ setting }) => setting).sort();
    expect({ 'rows of entry-limits-report.ts': reported }).toEqual({ 'rows of entry-limits-report.ts': names });
    const tested = Object.keys(overRestart).sort();
    expect({ 'cases in overRestart': tested }).toEqual({ 'cases in overRestart': names });
  });

  const kept = (): void => undefined;
  // A backup does not contain it.
  const lost = (): void => rmSync(join(gateway.folder, 'state', 'trade-events'), { recursive: true });
  const cases = Object.entries(overRestart).flatMap(([name, scenario]) => [
    { name, scenario, log: 'with the event log', meanwhile: kept },
    { name, scenario, log: 'without the event log', meanwhile: lost },
  ]);

  it.each(cases)('lets no entry pass $name, $log', async ({ name, scenario, log, meanwhile }) => {
    const { limit, reach, errorType } = scenario;
    gateway = await TradingGateway.start({ [name]: limit, SIM_STATE_FILE: join(broker, `${name} ${log}`) });
    await reach();
    await gateway.restart(meanwhile, { SIM_HABITS: 'session-start empty 8000' });
    for (let step = 0; step < 2; step++) {
      expect([422, 503]).toContain((await entry()).status);
      await gateway.agedBy(2_000);
    }
    await gateway.agedBy(10_000);
    expect(await entry()).toMatchObject({ status: 422, body: { error_type: errorType } });
  });
});

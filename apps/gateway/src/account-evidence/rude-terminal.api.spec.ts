import type { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { OrderType, TerminalUnavailableError, TradeAction, type AccountInfo } from '@libs/terminal-client';
import { SseReader } from '../streams/testing/sse-reader';
import { testKey } from '../testing/gateway-under-test';
import type { FlattenReport } from '../positions/flatten.response';
import { habits, RudeGateway } from './testing/rude-gateway';

const disk = (clock: VirtualClock) => new SimulatedDisk(clock, () => 0.5).view;
let rude: RudeGateway;
afterEach(() => rude.stop());

const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 };
const resting = { action: TradeAction.PENDING, type: OrderType.BUY_LIMIT };
interface Evidence {
  readonly state: string;
  readonly since: string;
  readonly unexplained: readonly { readonly message: string }[];
}
const evidenceOf = async (): Promise<{ state: string; unexplained: { ticket: number }[] }> =>
  (await rude.get('/health')).body.account_evidence as { state: string; unexplained: { ticket: number }[] };

describe('a gateway whose terminal shows lists that are not loaded', () => {
  beforeEach(async () => {
    rude = await RudeGateway.start(disk);
  });

  it('never answers a list that lacks a position, and says which ticket is missing', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    for (const url of ['/get_positions', '/positions_total', `/get_positions?ticket=${ticket}`, '/reconcile']) {
      const { status, body } = await rude.get(url);
      expect([url, status, body.error_type]).toEqual([url, 503, 'account_not_synchronized']);
      expect(body.details).toMatchObject({ tickets: [ticket] });
    }
    await rude.clock.sleep(3_000);
    const { state, unexplained } = await evidenceOf();
    expect([state, unexplained[0]]).toEqual([
      'unexplained',
      expect.objectContaining({ kind: 'position_missing', ticket }),
    ]);
    expect((await rude.get('/health')).body).toMatchObject({ status: 'degraded', terminal_status: 'synchronizing' });
    expect((await rude.get('/health/ready')).status).toBe(503);
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect((await rude.get('/get_positions')).body).toMatchObject({ data: [{ ticket }] });
    expect((await rude.get('/health')).body).toMatchObject({ status: 'healthy', terminal_status: 'connected' });
  });

  it('answers nothing of one ticket from a history that lacks what was seen', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    const urls = [
      `/get_deal_from_ticket?ticket=${ticket}`,
      `/get_order_from_ticket?ticket=${ticket}`,
      ...['deals', 'orders'].flatMap((list) =>
        ['ticket', 'position'].map((name) => `/history_${list}_get?${name}=${ticket}`),
      ),
    ];
    const answers = async () => {
      const read = await Promise.all(urls.map((url) => rude.get(url)));
      return read.map(({ status, body }) => (status === 200 ? '200' : `${status} ${String(body['error_type'])}`));
    };
    const refused = '503 account_not_synchronized';
    expect(await answers()).toEqual(urls.map(() => '200'));
    rude.habit = habits['lists are empty'];
    expect(await answers()).toEqual(urls.map(() => refused));
    rude.habit = habits['the history has no deals'];
    await rude.clock.sleep(3_000);
    expect(await answers()).toEqual(urls.map((url) => (url.includes('order') ? '200' : refused)));
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect(await answers()).toEqual(urls.map(() => '200'));
    expect(await rude.get('/get_deal_from_ticket?ticket=77')).toMatchObject({ status: 404 });
  });

  it('answers nothing of one ticket that the whole history has', async () => {
    const ticket = await rude.buy();
    await rude.buy();
    await rude.clock.sleep(3_000);
    // The deals and orders of one ticket or position are one row each.
    rude.habit = (list, rows) => (list.startsWith('history') && rows.length === 1 ? [] : rows);
    for (const name of ['ticket', 'position']) {
      for (const list of ['deals', 'orders'])
        expect(await rude.get(`/history_${list}_get?${name}=${ticket}`)).toMatchObject({
          status: 503,
          body: { error_type: 'account_not_synchronized' },
        });
    }
  });

  it('answers no history before a look has explained the account', async () => {
    await rude.buy();
    rude.disk = disk(rude.clock);
    await rude.restart(async () => {
      rude.habit = habits['the history has no deals'];
      await Promise.resolve();
    });
    for (const url of ['/history_deals_get?from_date=2020-01-01', '/history_orders_total?from_date=2020-01-01'])
      expect([url, await rude.get(url)]).toMatchObject([url, { body: { error_type: 'account_not_synchronized' } }]);
  });

  it.each([
    ['only zeros', { balance: 0, equity: 0, margin: 0, profit: 0 }, 'the balance changed by -10000.00'],
    ['a balance that no deal explains', { balance: 12_345 }, 'the balance changed by 2345.00'],
    ['no margin and no profit beside an open position', { margin: 0, profit: 0 }, 'the account has an equity of '],
  ])('answers no account that shows %s', async (_case, shown, problem) => {
    await rude.buy();
    await rude.clock.sleep(3_000);
    expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance: 10_000 } });
    rude.account = shown;
    const refused = { status: 503, body: { error_type: 'account_not_synchronized' } };
    const answer = await rude.get('/account');
    expect([answer, answer.body['error']]).toMatchObject([refused, expect.stringContaining(problem)]);
    rude.account = {};
    await rude.clock.sleep(3_000);
    expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance: 10_000 } });
  });

  it('compares the balance to the last digit of the currency', async () => {
    await rude.stop();
    rude = await RudeGateway.start(disk, {}, { currencyDigits: 3 });
    await rude.buy();
    await rude.clock.sleep(3_000);
    expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance: 10_000 } });
    rude.account = { balance: 10_000.004 };
    const answer = await rude.get('/account');
    const problem: unknown = expect.stringContaining('the balance changed by 0.004; ');
    expect([answer.status, answer.body['error']]).toEqual([503, problem]);
  });

  describe.each<[string, (shown: AccountInfo) => Partial<AccountInfo>, string]>([
    ['an equity of 0', () => ({ equity: 0 }), 'the account has an equity of 0.00; '],
    ['another equity', ({ equity }) => ({ equity: equity + 50 }), 'the account has an equity of '],
    [
      'no sums but its balance',
      () => ({ equity: 0, margin: 0, margin_free: 0, margin_level: 0, profit: 0 }),
      'equity of 0.00',
    ],
    [
      'a profit that is not in its equity',
      ({ profit }) => ({ profit: profit - 3_000 }),
      'the account has an equity of ',
    ],
    ['a credit that is not in its equity', () => ({ credit: 500 }), 'the account has an equity of '],
    ['no free margin', () => ({ margin_free: 0 }), 'the account has a free margin of 0.00; '],
    ['more free margin than equity', ({ equity }) => ({ margin_free: equity + 1_000 }), 'a free margin of '],
    ['no margin level', () => ({ margin_level: 0 }), 'the account has a margin level of 0.00 %; '],
    ['no margin', ({ equity }) => ({ margin: 0, margin_level: 0, margin_free: equity }), 'a margin of 0.00; '],
    ['a margin below zero', ({ equity }) => ({ margin: -5, margin_free: equity + 5 }), 'a margin of -5.00'],
    [
      'no profit, in none of its sums',
      ({ balance, margin }) => ({
        profit: 0,
        equity: balance,
        margin_free: balance - margin,
        margin_level: (balance / margin) * 100,
      }),
      'the account has a floating profit of 0.00; ',
    ],
    [
      'a profit that no position has, in all of its sums',
      ({ balance, margin }) => {
        const equity = balance - 9_000;
        return { profit: -9_000, equity, margin_free: equity - margin, margin_level: (equity / margin) * 100 };
      },
      'the account has a floating profit of -9000.00; ',
    ],
  ])('whose record of the account shows %s', (_case, habit, problem) => {
    const refused = { status: 503, body: { error_type: 'account_not_synchronized' } };

    it('is not believed: no account, no entry; exits pass, and a person may accept it', async () => {
      const tickets = [await rude.buy(), await rude.buy({ volume: 1 })];
      await rude.clock.sleep(3_000);
      expect(await rude.get('/account')).toMatchObject({ status: 200 });
      rude.account = habit;
      const answer = await rude.get('/account');
      expect([answer, answer.body['error']]).toMatchObject([refused, expect.stringContaining(problem)]);
      await rude.clock.sleep(5_000);
      const { state, since, unexplained } = (await rude.get('/health')).body.account_evidence as Evidence;
      expect([state, unexplained.map(({ message }) => message)]).toEqual([
        'unexplained',
        expect.arrayContaining([expect.stringContaining(problem)]),
      ]);
      expect(await rude.post('/order', order)).toMatchObject(refused);
      expect(await rude.post('/close_position', { position: tickets[0] })).toMatchObject({ status: 200 });
      expect(await rude.post('/account/accept', { since })).toMatchObject({ status: 200 });
      expect(await rude.get('/account')).toMatchObject({ status: 200 });
      expect(await rude.post('/order', order)).toMatchObject({ status: 200 });
    });

    it('is explained again by itself', async () => {
      await rude.buy({ volume: 1 });
      await rude.clock.sleep(3_000);
      rude.account = habit;
      await rude.clock.sleep(5_000);
      expect(await rude.get('/account')).toMatchObject(refused);
      rude.account = {};
      await rude.clock.sleep(3_000);
      expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance: 10_000 } });
      expect((await evidenceOf()).state).toBe('explained');
    });
  });

  it.each<[string, (shown: AccountInfo) => Partial<AccountInfo>]>([
    ['cents that rounding takes', ({ equity }) => ({ equity: equity + 0.02 })],
    ['a free margin without the floating profit', ({ balance, margin }) => ({ margin_free: balance - margin })],
    [
      'a commission that is blocked',
      ({ equity, margin_free }) => ({ commission_blocked: 7, equity: equity - 7, margin_free: margin_free - 7 }),
    ],
  ])('believes %s', async (_case, habit) => {
    await rude.buy({ volume: 1 });
    rude.account = habit;
    await rude.clock.sleep(10_000);
    expect(await rude.get('/account')).toMatchObject({ status: 200 });
    expect((await evidenceOf()).state).toBe('explained');
  });

  it('answers no account before a look of the session has explained it, nor while its lists lack a position', async () => {
    await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    rude.account = { balance: 0, equity: 0, margin: 0, profit: 0 };
    await rude.restart();
    const refused = { status: 503, body: { error_type: 'account_not_synchronized' } };
    expect(await rude.get('/account')).toMatchObject(refused);
    rude.account = {};
    await rude.clock.sleep(3_000);
    expect(await rude.get('/account')).toMatchObject(refused);
  });

  it('states why the account was never read, and why a read fails, wherever it says so', async () => {
    const problem = 'deals.0.ticket is beyond the exact integers';
    rude.habit = (list, rows) => {
      if (list !== 'historyDealsGet') return rows;
      throw new TerminalUnavailableError('failed', { code: -1, message: problem });
    };
    rude.disk = disk(rude.clock);
    await rude.restart();
    const error = expect.stringContaining(problem) as unknown;
    for (const url of ['/get_positions', '/account', '/history_deals_range?from_date=2026-01-01&to_date=2026-01-02'])
      expect(await rude.get(url)).toMatchObject({ status: 503, body: { error } });
    expect(await rude.get('/health/ready')).toMatchObject({ body: { checks: { account: { reason: error } } } });
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect(await rude.get('/account')).toMatchObject({ status: 200 });
  });

  it('answers the balance after a close at once, by its deal, and waits for a deal that comes late', async () => {
    const tickets = [await rude.buy({ volume: 1 }), await rude.buy({ volume: 2 })];
    await rude.clock.sleep(3_000);
    await rude.post('/close_position', { position: tickets[0] });
    const { balance } = rude.simulator.direct().accountInfo() ?? {};
    expect(balance).not.toBe(10_000);
    expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance } });
    rude.habit = (list, rows) => (list === 'historyDealsGet' ? rows.slice(0, -1) : rows);
    await rude.post('/close_position', { position: tickets[1] });
    expect(await rude.get('/account')).toMatchObject({ status: 503 });
    rude.habit = null;
    expect(await rude.get('/account')).toMatchObject({ status: 200 });
  });

  it.each([
    ['positionsGet', { ticket: 0 }, '/get_positions'],
    ['positionsGet', { price_open: 0 }, '/get_positions'],
    ['positionsGet', { symbol: '' }, '/get_positions'],
    ['historyOrdersGet', { time_done: 0 }, '/history_orders_get?from_date=2020-01-01'],
    ['historyDealsGet', { time: 0 }, '/history_deals_get?from_date=2020-01-01'],
  ])(
    'passes no row of %s with %j as if it were one, takes no entry, and lets exits pass',
    async (list, changes, url) => {
      const tickets = [await rude.buy(), await rude.buy()];
      await rude.clock.sleep(3_000);
      rude.habit = (name, rows) => rows.map((row, at) => (name === list && at === 0 ? { ...row, ...changes } : row));
      await rude.clock.sleep(3_000);
      const error = { status: 503, body: { error_type: 'account_not_synchronized' } };
      expect(await rude.get(url)).toMatchObject(error);
      expect((await evidenceOf()).unexplained[0]).toMatchObject({ kind: 'row_not_loaded' });
      expect(await rude.post('/order', order)).toMatchObject(error);
      for (const position of tickets) {
        expect(await rude.post('/close_position', { position })).toMatchObject({ status: 200 });
      }
      expect(await rude.atBroker()).toEqual([]);
    },
  );

  it.each(['positionsGet', 'historyDealsGet', 'historyOrdersGet'])(
    'takes no entry, and says so, when %s could not be read for ten seconds',
    async (which) => {
      const position = await rude.buy();
      await rude.clock.sleep(3_000);
      rude.habit = (list, rows) => {
        if (list === which) throw new TerminalUnavailableError('failed', { code: -1, message: 'No history' });
        return rows;
      };
      await rude.clock.sleep(5_000);
      expect((await evidenceOf()).state).toBe('explained');
      await rude.clock.sleep(9_000);
      const message = expect.stringContaining('no look at the account succeeded for 10 s: ') as string;
      expect(await evidenceOf()).toMatchObject({
        state: 'unexplained',
        unexplained: [{ kind: 'not_looked_at', message }],
      });
      expect((await rude.get('/health')).body).toMatchObject({ status: 'degraded', terminal_status: 'synchronizing' });
      expect((await rude.get('/health/ready')).status).toBe(503);
      expect(await rude.post('/order', order)).toMatchObject({ status: 503 });
      expect(await rude.atBroker()).toMatchObject([{ ticket: position }]);
      rude.habit = null;
      await rude.clock.sleep(3_000);
      expect((await evidenceOf()).state).toBe('explained');
      expect(await rude.post('/order', order)).toMatchObject({ status: 200 });
    },
  );

  it('reports no close that did not happen', async () => {
    await rude.buy();
    await rude.buy({ volume: 0.2 });
    await rude.clock.sleep(3_000);
    const since = Number((await rude.get('/events')).body.last_seq);
    rude.habit = habits['half of the positions is not loaded'];
    await rude.clock.sleep(60_000);
    rude.habit = null;
    await rude.clock.sleep(60_000);
    expect((await rude.get(`/events?since=${since}`)).body.data).toEqual([]);
  });

  it('refuses entries, and lets exits of known tickets pass', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    await rude.clock.sleep(3_000);
    expect(await rude.post('/order', order)).toMatchObject({
      status: 503,
      body: { error_type: 'account_not_synchronized' },
    });
    expect(await rude.atBroker()).toHaveLength(1);
    expect(await rude.post('/close_position', { position: ticket })).toMatchObject({ status: 200 });
    expect(await rude.atBroker()).toHaveLength(0);
  });

  it('does not say that all positions are closed while some are open that are not shown', async () => {
    const tickets = [await rude.buy(), await rude.buy()];
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    const { status, body } = await rude.post('/close_all_positions', {});
    expect(await rude.atBroker()).toHaveLength(0);
    expect([status, body.closed]).toEqual([207, [expect.anything(), expect.anything()]]);
    expect(body.failed).not.toEqual([]);
    expect(await rude.post('/close_all_positions', {})).not.toMatchObject({ status: 200 });
    const { flatten } = (await rude.post('/kill?flatten=true', {})).body as { flatten?: FlattenReport };
    expect(flatten?.complete).toBe(false);
    // The broker says that they were closed already, and nothing shows it. Each once, and no deal in the place of one.
    const doubted = tickets.map((ticket) => ({ kind: 'position', ticket, error_type: 'unknown_outcome' }));
    expect(flatten).toMatchObject({
      closed: [],
      failed: [...doubted, { kind: 'position', ticket: 0, error_type: 'account_not_synchronized' }],
    });
  });

  it('changes no other position or order than the one that was named, whichever row a read of it shows', async () => {
    const [named, other] = [await rude.buy(), await rude.buy({ symbol: 'GBPUSD' })];
    const limit = { type: 'BUY_LIMIT', price: 1 };
    const [order, another] = [await rude.buy(limit), await rude.buy({ ...limit, price: 0.9 })];
    await rude.clock.sleep(3_000);
    const all = new Map<string, readonly { readonly ticket: number }[]>([
      ['positionsGet', await rude.atBroker()],
      ['ordersGet', rude.simulator.direct().ordersGet()],
    ]);
    // A read of one ticket is one row.
    rude.habit = (list, rows) => {
      const swapped = all.get(list)?.find(({ ticket }) => ticket !== rows[0]?.ticket);
      return rows.length === 1 && swapped ? [{ ...swapped }] : rows;
    };
    const error = { status: 503, body: { error_type: 'account_not_synchronized' } };
    expect(await rude.send('PUT', `/orders/${order}`, { price: 0.8 })).toMatchObject(error);
    expect(await rude.post('/modify_sl_tp', { position: named, sl: 0.5 })).toMatchObject(error);
    // The exits of known tickets pass.
    expect(await rude.send('DELETE', `/orders/${order}`, {})).toMatchObject({ status: 200 });
    expect(await rude.post('/close_position', { position: named })).toMatchObject({ status: 200 });
    const { positions, orders } = rude.simulator.terminal.brokerNow().book;
    expect([...positions.values()].map(({ ticket, sl }) => [ticket, sl])).toEqual([[other, 0]]);
    expect([...orders.values()].map(({ ticket, price_open }) => [ticket, price_open])).toEqual([[another, 0.9]]);
  });

  it('knows the account after a restart, and waits until it is loaded', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    await rude.restart();
    expect(await rude.get('/get_positions')).toMatchObject({ status: 503, body: { details: { tickets: [ticket] } } });
    expect((await rude.get('/health/ready')).status).toBe(503);
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect((await rude.get('/health/ready')).status).toBe(200);
  });

  it('affirms neither list before a look has explained the session, and then each by itself', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = (list, rows) => (list === 'positionsGet' || list === 'ordersGet' ? [] : rows);
    // Nothing that is known contradicts a list of orders that lacks this one.
    await rude.restart(() => rude.byHand('EURUSD', { ...resting, price: 0.9 }));
    expect(await rude.get('/orders')).toMatchObject({ status: 503, body: { details: { tickets: [ticket] } } });
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect((await rude.get('/orders')).body.data).toHaveLength(1);
    rude.habit = (list, rows) => (list === 'positionsGet' ? [] : rows);
    await rude.clock.sleep(3_000);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 503 });
    expect((await rude.get('/orders')).body.data).toHaveLength(1);
  });

  it('is explained again when the history lacked only the newest deal for a while', async () => {
    const ticket = await rude.buy({ volume: 0.2 });
    await rude.clock.sleep(3_000);
    rude.habit = (list, rows) => (list === 'historyDealsGet' && rows.length > 1 ? rows.slice(0, -1) : rows);
    await rude.post('/close_position', { position: ticket, volume: 0.1 });
    await rude.clock.sleep(5_000);
    expect((await evidenceOf()).unexplained).toMatchObject([
      { kind: 'position_reduced', ticket },
      { kind: 'fill_without_deals' },
      { kind: 'balance_without_deals' },
    ]);
    expect(await rude.post('/order', order)).toMatchObject({ status: 503 });
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect(await evidenceOf()).toMatchObject({ state: 'explained', unexplained: [] });
  });

  it('notices within a few seconds that the server is lost', async () => {
    await rude.buy();
    await rude.clock.sleep(3_000);
    rude.hasServer = false;
    await rude.clock.sleep(2_000);
    expect((await rude.get('/health/ready')).status).toBe(503);
    expect((await rude.get('/get_positions')).status).toBe(503);
    expect(await evidenceOf()).toMatchObject({ state: 'unread', explained_at: null, unexplained: [], next_step: null });
    expect((await rude.gateway.call('/metrics')).body).toMatch(/^account_explained 0$/m);
    rude.hasServer = true;
    await rude.clock.sleep(10_000);
    expect(await evidenceOf()).toMatchObject({ state: 'explained' });
    expect((await rude.gateway.call('/metrics')).body).toMatch(/^account_explained 1$/m);
  });

  it('takes a floating profit that the positions do not have for a list that is not loaded', async () => {
    await rude.buy();
    await rude.buy({ volume: 1 });
    await rude.clock.sleep(3_000);
    rude.habit = (list, rows) => (list === 'positionsGet' ? rows.map((row) => ({ ...row, profit: -9_999 })) : rows);
    await rude.clock.sleep(6_000);
    expect((await evidenceOf()).unexplained).toMatchObject([{ kind: 'profit_differs' }]);
  });

  it('begins a new session when the account stays unexplained, and ends the doubt with what that one shows', async () => {
    await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    await rude.clock.sleep(3_000);
    const report = (await rude.get('/health')).body.account_evidence as { next_step: string };
    expect(report.next_step).toBe('a new session with the terminal, after 10 s');
    rude.onConnect = () => (rude.habit = null);
    await rude.clock.sleep(30_000);
    expect((await rude.get('/health')).body).toMatchObject({ status: 'healthy', terminal_status: 'connected' });
    expect((await rude.get('/get_positions')).body.data).toHaveLength(1);
    expect((await rude.get('/health')).body.account_evidence).toMatchObject({ next_step: null });
  });

  it('names a position that nobody asked for, and a stop that was lost, without being asked', async () => {
    const ticket = await rude.buy({ sl: 0.5 });
    await rude.clock.sleep(6_000);
    const differences = async (): Promise<unknown> => (await rude.get('/health')).body.differences;
    expect(await differences()).toEqual([]);
    rude.habit = (list, rows) => (list === 'positionsGet' ? rows.map((row) => ({ ...row, sl: 0 })) : rows);
    await rude.clock.sleep(8_000);
    expect(await differences()).toMatchObject([
      { kind: 'level_mismatch', ticket, field: 'sl', expected: 0.5, actual: 0 },
    ]);
    rude.habit = null;
    await rude.clock.sleep(8_000);
    expect(await differences()).toEqual([]);
    await rude.byHand('GBPUSD');
    await rude.clock.sleep(8_000);
    expect(await differences()).toMatchObject([{ kind: 'position_without_intent', symbol: 'GBPUSD' }]);
  });

  it('tells that a position and an order are shown under another symbol', async () => {
    const tickets = [await rude.buy(), await rude.buy({ type: 'BUY_LIMIT', price: 1 })];
    await rude.clock.sleep(3_000);
    rude.habit = (list, rows) =>
      list.startsWith('history') ? rows : rows.map((row) => ({ ...row, symbol: 'EURUSD.r' }));
    await rude.clock.sleep(3_000);
    rude.habit = null;
    await rude.clock.sleep(3_000);
    const events = (await rude.get('/events')).body.data as { changed?: string[]; ticket: number; symbol: string }[];
    const changes = events.filter(({ changed }) => changed?.includes('symbol'));
    for (const ticket of tickets)
      expect(changes.filter((one) => one.ticket === ticket).map(({ symbol }) => symbol)).toEqual([
        'EURUSD.r',
        'EURUSD',
      ]);
  });

  it('does not take a list that is behind a change for a lost stop', async () => {
    const position = await rude.buy({ sl: 0.5, tp: 2 });
    await rude.clock.sleep(6_000);
    const changed = (levels: object) => rude.post('/modify_sl_tp', { position, ...levels });
    expect(await changed({ sl: 0.6 })).toMatchObject({ status: 200 });
    expect(await changed({ sl: 0.6, tp: 1.9 })).toMatchObject({ status: 200 });
    rude.habit = (list, rows) => (list === 'positionsGet' ? rows.map((row) => ({ ...row, sl: 0.5, tp: 2 })) : rows);
    const differences = async (): Promise<unknown> => (await rude.get('/health')).body.differences;
    await rude.clock.sleep(20_000);
    expect(await differences()).toEqual([]);
    expect(await rude.get('/reconcile')).toMatchObject({
      status: 503,
      body: { error_type: 'account_not_synchronized' },
    });
    // No list is behind for that long.
    await rude.clock.sleep(60_000);
    expect(await differences()).toMatchObject([
      { kind: 'level_mismatch', field: 'sl', expected: 0.6, actual: 0.5 },
      { kind: 'level_mismatch', field: 'tp', expected: 1.9, actual: 2 },
    ]);
  });

  it('tells the listeners of its streams why it is not to be relied on, and each difference, with the tickets', async () => {
    const ticket = await rude.buy({ sl: 0.5 });
    await rude.clock.sleep(6_000);
    await rude.gateway.app.listen(0, '127.0.0.1');
    const url = await rude.gateway.app.getUrl();
    const opened = (path: string): Promise<SseReader> => SseReader.open({ url: `${url}${path}`, key: testKey });
    const named = async (reader: SseReader, name: string, count: number): Promise<Record<string, unknown>[]> => {
      const all = () => reader.messages.filter(({ event }) => event === name);
      while (all().length < count) await new Promise((resolve) => setTimeout(resolve, 5));
      return all().map(({ data }) => JSON.parse(data) as Record<string, unknown>);
    };
    const [trades, ticks] = [await opened('/stream/trades'), await opened('/stream/ticks?symbols=EURUSD')];
    rude.habit = habits['lists are empty'];
    const began = { connected: true, reason: 'synchronizing', tickets: expect.arrayContaining([ticket]) as unknown };
    for (const reader of [trades, ticks]) expect((await named(reader, 'connection', 1)).at(-1)).toMatchObject(began);
    const late = await opened('/stream/trades');
    expect((await named(late, 'connection', 1)).at(-1)).toMatchObject(began);
    late.close();
    rude.habit = null;
    for (const reader of [trades, ticks])
      expect((await named(reader, 'connection', 2)).at(-1)).toMatchObject({
        connected: true,
        reason: null,
        tickets: [],
      });
    rude.hasServer = false;
    for (const reader of [trades, ticks])
      expect((await named(reader, 'connection', 3)).at(2)).toMatchObject({ connected: false, reason: 'server_lost' });
    rude.hasServer = true;
    await rude.clock.sleep(10_000);
    rude.habit = (list, rows) => (list === 'positionsGet' ? rows.map((row) => ({ ...row, sl: 0 })) : rows);
    const lost = { kind: 'level_mismatch', ticket, field: 'sl', magic: 7 };
    expect(await named(trades, 'difference', 1)).toMatchObject([{ action: 'began', ...lost }]);
    rude.habit = null;
    expect((await named(trades, 'difference', 2)).at(-1)).toMatchObject({ action: 'ended', ...lost });
    trades.close();
    ticks.close();
  });

  it('explains costs that deals show later, and tells the deals anew, also over a restart', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    const charge = (from: number): void => {
      rude.account = ({ balance, equity, margin_free }) => ({
        ...{ balance: balance + from, equity: equity + from, margin_free: margin_free + from },
      });
      rude.habit = (list, rows) =>
        list === 'historyDealsGet'
          ? rows.map((row) => (row['position_id'] === ticket ? { ...row, commission: from } : row))
          : rows;
    };
    await rude.gateway.app.listen(0, '127.0.0.1');
    const url = await rude.gateway.app.getUrl();
    const events = await SseReader.open({ url: `${url}/stream/trades`, key: testKey });
    charge(-0.6);
    const told = (): unknown[] =>
      events.messages
        .filter(({ event }) => event === 'deal')
        .map(({ data }) => JSON.parse(data) as { action: string; deal: { commission: number } })
        .map(({ action, deal }) => [action, deal.commission]);
    while (told().length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(told()).toEqual([['changed', -0.6]]);
    events.close();
    await rude.clock.sleep(2_000);
    expect(await evidenceOf()).toMatchObject({ state: 'explained' });
    expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance: 9_999.4 } });
    await rude.restart(async () => charge(-0.9));
    await rude.clock.sleep(5_000);
    expect(await evidenceOf()).toMatchObject({ state: 'explained' });
    expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance: 9_999.1 } });
  });

  it('takes the account as it is shown when an operator accepts it', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    await rude.clock.sleep(3_000);
    const health = (await rude.get('/health')).body as { account_evidence: { since: string } };
    expect(await rude.post('/account/accept', { since: '2026-01-01T00:00:00.000Z' })).toMatchObject({ status: 400 });
    expect(await rude.post('/account/accept', { since: health.account_evidence.since })).toMatchObject({
      status: 200,
      body: { account_evidence: { state: 'explained' } },
    });
    await rude.clock.sleep(3_000);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 200, body: { data: [] } });
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 200, body: { data: [{ ticket }] } });
  });

  it('explains money that moved while the gateway was stopped by deals that come late', async () => {
    await rude.restart(async () => {
      await rude.byHand('EURUSD');
      const [{ ticket } = { ticket: 0 }] = await rude.atBroker();
      await rude.byHand('EURUSD', { type: OrderType.SELL, position: ticket });
      // The deposit alone.
      rude.habit = (list, rows) => (list === 'historyDealsGet' ? rows.slice(0, 1) : rows);
    });
    await rude.clock.sleep(5_000);
    rude.habit = null;
    await rude.clock.sleep(5_000);
    expect((await rude.get('/health')).body).toMatchObject({
      account_evidence: { state: 'explained', unexplained: [] },
    });
  });

  it('takes a history that has lost deals when an operator accepts it, also over a restart, and sees what is lost next', async () => {
    const deals = '/history_deals_range?from_date=2020-01-01T00:00:00Z&to_date=2040-01-01T00:00:00Z';
    const shown = async (): Promise<unknown> => (await rude.get(deals)).body['total'];
    await rude.buy();
    await rude.clock.sleep(3_000);
    const before = Number(await shown());
    rude.habit = habits['the history has no deals'];
    await rude.clock.sleep(3_000);
    const refused = { status: 503, body: { error_type: 'account_not_synchronized' } };
    expect(await rude.get(deals)).toMatchObject(refused);
    const health = (await rude.get('/health')).body as { account_evidence: { since: string } };
    const accepted = await rude.post('/account/accept', { since: health.account_evidence.since });
    expect([accepted.status, await shown()]).toEqual([200, 0]);
    await rude.restart();
    await rude.clock.sleep(3_000);
    const explained = { body: { account_evidence: { state: 'explained' } } };
    expect([await rude.get('/health'), await shown()]).toMatchObject([explained, 0]);
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect([await rude.get('/health'), await shown()]).toMatchObject([explained, before]);
    await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['the history has no deals'];
    await rude.clock.sleep(3_000);
    expect(await rude.get(deals)).toMatchObject(refused);
  });

  it('believes a history that goes on without the deals whose loss an operator accepted', async () => {
    const deals = '/history_deals_range?from_date=2020-01-01T00:00:00Z&to_date=2040-01-01T00:00:00Z';
    const lost = await rude.buy();
    await rude.clock.sleep(3_000);
    const before = Number((await rude.get(deals)).body['total']);
    // The position stays, and the history has only what follows.
    rude.habit = (list, rows) =>
      list === 'historyDealsGet' ? rows.filter((row) => Number(row['position_id']) > lost) : rows;
    await rude.clock.sleep(3_000);
    const health = (await rude.get('/health')).body as { account_evidence: { since: string } };
    expect(before).toBeGreaterThan(0);
    expect(await rude.post('/account/accept', { since: health.account_evidence.since })).toMatchObject({ status: 200 });
    for (const total of [1, 2, 3, 4]) {
      await rude.buy({ symbol: 'GBPUSD' });
      await rude.clock.sleep(3_000);
      expect(await rude.get(deals)).toMatchObject({ status: 200, body: { total } });
    }
    expect(await rude.get('/health')).toMatchObject({ body: { account_evidence: { state: 'explained' } } });
  });
});

describe.each([
  ['MAX_OPEN_VOLUME', '0.1', 'lists are empty'],
  ['MAX_DAILY_LOSS', '1', 'the history has no deals'],
] as const)('%s', (setting, limit, habit) => {
  it(`is not passed while ${habit}`, async () => {
    rude = await RudeGateway.start(disk, { [setting]: limit });
    const ticket = await rude.buy();
    if (setting === 'MAX_DAILY_LOSS') {
      await rude.post('/close_position', { position: ticket });
    }
    await rude.clock.sleep(3_000);
    const before = await rude.atBroker();
    rude.habit = habits[habit];
    expect((await rude.post('/order', order)).status).toBe(503);
    await rude.clock.sleep(5_000);
    expect((await rude.post('/order', order)).status).toBe(503);
    expect(await rude.atBroker()).toHaveLength(before.length);
  });
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrderType, TradeAction } from '@libs/terminal-client';
import { removeFolder } from '../testing/gateway-under-test';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

describe('an order whose outcome is unknown', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  it('is answered 502, counted, listed and replayed as such', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    const first = await gateway.post('/order', order, 'k');
    expect(first).toMatchObject({
      status: 502,
      body: { error_type: 'unknown_outcome', terminal_error: { retcode: 10012, retcode_name: 'TIMEOUT' } },
    });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 502, text: first.text });
    expect((await gateway.get('/reconcile')).body.unresolved).toMatchObject([
      { client_order_id: 'k', route: 'POST /order', sends: [{ purpose: 'open', symbol: 'EURUSD', volume: 0.1 }] },
    ]);
    expect(await gateway.metric('unknown_outcomes_total')).toBe(1);
    expect(await gateway.metric('unknown_outcomes_unresolved')).toBe(1);
  });

  it.each([10011, 10031, 10099])('treats retcode %i as unknown', async (retcode) => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode, times: 1 });
    expect(await gateway.post('/order', order)).toMatchObject({ status: 502 });
  });

  it('is recovered if the broker executed it, and never sent again', async () => {
    const { ask } = await gateway.quote();
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [position] = await gateway.rows('/get_positions');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      body: {
        ok: true,
        recovered: true,
        message: `BUY 0.1 EURUSD executed at ${ask?.toFixed(5)}`,
        state: 'executed',
        fill_price_source: 'deal',
        result: { order: position?.ticket, price: ask, volume: 0.1 },
      },
    });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ client_order_id: 'k' }]);
    expect(await gateway.metric('unknown_outcomes_unresolved')).toBe(0);
    expect(gateway.audit().map(({ event }) => event)).toEqual([
      ...['login', 'intent', 'logout', 'unknown_outcome', 'login', 'recovered'],
    ]);
  });

  it.each([
    ['a look-up', () => gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 })],
    [
      'a late answer',
      () => {
        gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
        gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
      },
    ],
    [
      'a late answer while the lists lag',
      () => {
        gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
        gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
        gateway.simulator.faults.set({ kind: 'lag', ms: 26_000 });
      },
    ],
  ])('is recovered by %s with its position and the levels that were read back', async (_by, lose) => {
    const protectedOrder = { ...order, sl: 0.9, tp: 1.3 };
    lose();
    expect(await gateway.waitFor(gateway.post('/order', protectedOrder, 'k'))).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [position] = await gateway.rows('/get_positions');
    expect((await gateway.post('/order', protectedOrder, 'k')).body).toMatchObject({
      ...{ recovered: true, position: position?.ticket, sl_confirmed: true, tp_confirmed: true },
    });
  });

  it('is recovered with the ticket of its position and unconfirmed levels after that was closed', async () => {
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    gateway.simulator.faults.set({ kind: 'login-refused' });
    await gateway.post('/order', { ...order, sl: 0.9 }, 'k');
    const session = gateway.simulator.connect();
    await session.connect();
    const [position] = await session.positionsGet();
    await gateway.byHand({
      ...{
        action: TradeAction.DEAL,
        symbol: 'EURUSD',
        volume: 0.1,
        type: OrderType.SELL,
        position: position?.ticket ?? 0,
      },
    });
    gateway.simulator.faults.clear('login-refused');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect((await gateway.post('/order', { ...order, sl: 0.9 }, 'k')).body).toMatchObject({
      ...{ recovered: true, position: position?.ticket, sl_confirmed: null, tp_confirmed: null },
    });
  });

  it('says that a level is not in force that was lost meanwhile', async () => {
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    gateway.simulator.faults.set({ kind: 'login-refused' });
    await gateway.post('/order', { ...order, sl: 0.9, tp: 1.3 }, 'k');
    const session = gateway.simulator.connect();
    await session.connect();
    const [position] = await session.positionsGet();
    await gateway.byHand({ action: TradeAction.SLTP, symbol: 'EURUSD', position: position?.ticket ?? 0, tp: 1.3 });
    gateway.simulator.faults.clear('login-refused');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect((await gateway.post('/order', { ...order, sl: 0.9, tp: 1.3 }, 'k')).body).toMatchObject({
      ...{ recovered: true, position: position?.ticket, sl_confirmed: false, tp_confirmed: true },
    });
  });

  it('is absent after three reads without a trace over a minute, no earlier, and then definitely rejected', async () => {
    gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.get('/account')).status === 200);
    await gateway.clock.advance(59_000);
    expect(await gateway.statusOf('k')).toBe('unknown');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({
      status: 422,
      body: { error_type: 'broker_rejected', details: { reason: 'absent' } },
    });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('is not reported absent while the lists lag', async () => {
    await gateway.agedBy(40_000);
    gateway.simulator.faults.set({ kind: 'lag', ms: 40_000 });
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    await gateway.post('/order', order, 'k');
    await gateway.until(async () => (await gateway.statusOf('k')) !== 'unknown');
    expect(await gateway.statusOf('k')).toBe('recovered');
  });

  it('is not affected by failed reads', async () => {
    gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    await gateway.post('/order', order, 'k');
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet'] });
    await gateway.clock.advance(300_000);
    expect(await gateway.statusOf('k')).toBe('unknown');
  });

  it('is settled at once by a late answer', async () => {
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    expect(await gateway.statusOf('k')).toBe('unknown');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200, body: { recovered: true } });
  });

  it('is settled with the order that a late answer lacks, so that its position belongs to the key', async () => {
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    // No look-up finds the order before the late answer arrives.
    await gateway.until(() => Promise.resolve(gateway.audit().some(({ event }) => event === 'recovered')));
    gateway.simulator.faults.clear('failed-reads');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [position] = await gateway.rows('/get_positions');
    expect(position).toMatchObject({ client_order_id: 'k' });
    const replay = { status: 200, body: { recovered: true, result: { order: position?.ticket } } };
    expect(await gateway.post('/order', order, 'k')).toMatchObject(replay);
  });

  it('is settled as rejected by a late refusal: the request was never sent', async () => {
    gateway.simulator.faults.set({ kind: 'trading-off', by: 'api' });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    expect(await gateway.statusOf('k')).toBe('unknown');
    await gateway.until(async () => (await gateway.statusOf('k')) !== 'unknown');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({
      status: 422,
      body: { error_type: 'broker_rejected', terminal_error: { code: -8 } },
    });
  });

  it('never claims the order of another identical request', async () => {
    const shared = { ...order, magic: 7, comment: 'same' };
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    await gateway.post('/order', shared, 'executed');
    await gateway.until(async () => (await gateway.statusOf('executed')) === 'recovered');
    await gateway.post('/order', shared, 'answered');
    gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    await gateway.post('/order', shared, 'lost');
    await gateway.until(async () => (await gateway.statusOf('lost')) !== 'unknown');
    expect(await gateway.statusOf('lost')).toBe('absent');
    expect((await gateway.rows('/get_positions')).map(({ client_order_id }) => client_order_id).sort()).toEqual([
      'answered',
      'executed',
    ]);
  });

  describe('when a like one was acknowledged without its ticket', () => {
    let folder: string;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'broker-'));
      await gateway.stop();
      gateway = await TradingGateway.start({ SIM_STATE_FILE: join(folder, 'broker.json') });
      await gateway.quote();
      // The quote, and with it the time from which orders match, stays that of before the first order.
      gateway.simulator.faults.set({ kind: 'frozen-quotes' });
    });
    afterEach(() => removeFolder(folder));

    const like = { ...order, magic: 7 };
    /** One order that is executed, whose ticket the gateway does not get, and one that the broker never got. */
    async function acknowledgeAndLose(first: object, second: object): Promise<void> {
      gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
      gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
      expect(await gateway.waitFor(gateway.post('/order', { ...like, ...first }, 'first'))).toMatchObject({
        status: 200,
        body: { result: { order: null } },
      });
      gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
      expect(await gateway.post('/order', { ...like, ...second }, 'lost')).toMatchObject({ status: 502 });
    }

    it.each<[string, () => Promise<void>]>([
      ['', () => Promise.resolve()],
      [', after a restart', () => gateway.restart()],
      [
        ', after an outage and a restart',
        async () => {
          for (let second = 0; second < 120; second += 5) await gateway.clock.advance(5_000);
          await gateway.restart();
        },
      ],
    ])('is not given the order with the comment of the other one%s', async (_case, meanwhile) => {
      await acknowledgeAndLose({ comment: 'mine' }, {});
      await meanwhile();
      gateway.simulator.faults.clear('failed-reads');
      await gateway.until(async () => (await gateway.statusOf('lost')) !== 'unknown');
      expect(await gateway.statusOf('lost')).toBe('absent');
      expect(await gateway.rows('/get_positions')).toHaveLength(1);
    });

    it('is undecidable if both have the same comment', async () => {
      await acknowledgeAndLose({ comment: 'grid' }, { comment: 'grid' });
      gateway.simulator.faults.clear('failed-reads');
      await gateway.until(async () => (await gateway.metric('unknown_outcomes_undecidable')) === 1);
      // The answer is written after the outcome.
      await gateway.until(async () => (await gateway.get('/trade_requests/lost')).text.includes('"undecidable":true'));
      expect((await gateway.get('/trade_requests/lost')).body).toMatchObject({
        status: 'unknown',
        response: { details: { undecidable: true, reason: expect.stringMatching(/acknowledged without a ticket/) } },
      });
    });
  });

  it('stays unknown over a restart until it is looked up', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    const first = await gateway.post('/order', order, 'k');
    await gateway.restart();
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 502, text: first.text });
    expect(await gateway.rows('/get_positions')).toEqual([]);
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
  });
});

describe('what is said of the account while an outcome is unknown', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  /** The next send is executed and its answer says nothing; without time passing, nothing is looked up. */
  const loseNext = () => gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, acts: true, times: 1 });
  const differences = async () =>
    (await gateway.get<{ differences: { kind: string; intent_id: string | null; message: string }[] }>('/reconcile'))
      .body.differences;

  it.each([
    ['with the tag of its key', {}, false],
    ['with a comment of the client', { comment: 'grid' }, false],
    ['whose comment the broker emptied', { magic: 7 }, true],
  ])(
    'a position %s is not disowned, and named with the request that it may belong to',
    async (_which, fields, isEmptied) => {
      loseNext();
      expect(await gateway.post('/order', { ...order, ...fields }, 'k')).toMatchObject({ status: 502 });
      if (isEmptied) gateway.simulator.faults.set({ kind: 'comments', to: 'empty' });
      expect(await differences()).toMatchObject([
        {
          kind: 'undecided',
          intent_id: expect.any(String),
          message: expect.stringMatching(/request k, whose outcome/),
        },
      ]);
      await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
      expect(await differences()).toEqual([]);
    },
  );

  it('a position is of the request with its magic rather than of an older one of the symbol', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    expect(await gateway.post('/order', { ...order, magic: 6 }, 'older')).toMatchObject({ status: 502 });
    loseNext();
    expect(await gateway.post('/order', { ...order, magic: 7 }, 'k')).toMatchObject({ status: 502 });
    gateway.simulator.faults.set({ kind: 'comments', to: 'empty' });
    expect(await differences()).toMatchObject([{ kind: 'undecided', message: expect.stringMatching(/request k,/) }]);
  });

  it('a pending order is not disowned', async () => {
    const { bid } = await gateway.quote();
    loseNext();
    const pending = { ...eurusd, type: 'BUY_LIMIT', price: Math.round((bid - 0.01) * 1e5) / 1e5 };
    expect(await gateway.post('/order', pending, 'k')).toMatchObject({ status: 502 });
    expect(await differences()).toMatchObject([{ kind: 'undecided', message: expect.stringMatching(/^order .* k,/) }]);
  });

  it.each([
    ['its close in part', '/position_close_partial', (ticket: number) => ({ ticket, volume: 0.03 })],
    ['a change of its levels', '/modify_sl_tp', (position: number) => ({ position, sl: 0.9 })],
  ])('a position does not differ from the journal by %s', async (_what, url, body) => {
    const ticket = await gateway.buy();
    loseNext();
    expect(await gateway.post(url, body(ticket), 'k')).toMatchObject({ status: 502 });
    expect(await differences()).toEqual([]);
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await differences()).toEqual([]);
  });

  it('a position does not differ from the journal by a close in flight', async () => {
    const ticket = await gateway.buy();
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 60_000, times: 1 });
    const closing = gateway.post('/position_close_partial', { ticket, volume: 0.03 }, 'k');
    await gateway.until(async () => (await gateway.rows('/get_positions'))[0]?.['volume'] === 0.07, 0);
    expect(await differences()).toEqual([]);
    expect(await gateway.waitFor(closing)).toMatchObject({ status: 502 });
  });

  it('a position of an account that nets does not differ by an order of its symbol', async () => {
    await gateway.stop();
    gateway = await TradingGateway.start({ SIM_MARGIN_MODE: 'netting' });
    await gateway.buy();
    loseNext();
    expect(await gateway.post('/order', { ...order, sl: 0.9 }, 'k')).toMatchObject({ status: 502 });
    expect(await differences()).toEqual([]);
  });
});

describe('a change whose outcome is unknown', () => {
  let gateway: TradingGateway;
  let ticket: number;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    ticket = await gateway.buy();
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
  });
  afterEach(() => gateway.stop());

  it('is recovered for a close', async () => {
    expect(await gateway.post('/close_position', { position: ticket }, 'c')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    const deals = await gateway.rows(`/history_deals_get?position=${ticket}`);
    const out = deals.find(({ entry }) => entry === 1);
    expect(await gateway.post('/close_position', { position: ticket }, 'c')).toMatchObject({
      status: 200,
      body: {
        ...{ recovered: true, state: 'closed', closed_volume: 0.1, remaining_volume: 0, position: ticket },
        profit: Number(out?.profit) + Number(out?.commission) + Number(out?.swap),
      },
    });
  });

  it('is recovered for a partial close, with what remains open now', async () => {
    const part = { ticket, volume: 0.03 };
    gateway.simulator.faults.set({ kind: 'login-refused' });
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject({ status: 502 });
    await gateway.byHand({
      ...{ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.05, type: OrderType.SELL, position: ticket },
    });
    gateway.simulator.faults.clear('login-refused');
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    expect((await gateway.post('/position_close_partial', part, 'c')).body).toMatchObject({
      ...{ recovered: true, state: 'partially_closed', position: ticket },
      ...{ closed_volume: 0.03, remaining_volume: 0.02, profit: expect.any(Number) },
    });
  });

  it('is undecidable for closes that cannot be told apart, with the order that one of them made', async () => {
    gateway.simulator.faults.clear('drop-after-send');
    gateway.simulator.faults.set({ kind: 'comments', to: 'broker' });
    const part = { ticket, volume: 0.03 };
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    expect(await gateway.post('/position_close_partial', part, 'lost')).toMatchObject({ status: 502 });
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, acts: true, times: 1 });
    expect(await gateway.post('/position_close_partial', part, 'done')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.metric('unknown_outcomes_undecidable')) === 2);
    const deals = await gateway.rows(`/history_deals_get?position=${ticket}`);
    const { order: exit } = deals.find(({ entry }) => entry === 1) ?? {};
    for (const key of ['lost', 'done']) {
      const again = (): ReturnType<typeof gateway.post> => gateway.post('/position_close_partial', part, key);
      // The answer follows the outcome.
      await gateway.until(async () => /"undecidable":true/.test((await again()).text));
      expect(await again()).toMatchObject({
        status: 502,
        body: { details: { undecidable: true, reason: expect.stringContaining(`order ${String(exit)}`) } },
      });
    }
    expect(await gateway.rows('/get_positions')).toMatchObject([{ ticket, volume: 0.07 }]);
  });

  it('is recovered for new levels', async () => {
    const body = { position: ticket, sl: 0.9 };
    expect(await gateway.post('/modify_sl_tp', body, 'm')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('m')) === 'recovered');
    expect(await gateway.post('/modify_sl_tp', body, 'm')).toMatchObject({
      status: 200,
      body: { sl: 0.9, tp: null, sl_confirmed: true, tp_confirmed: true },
    });
  });

  it('is recovered by a late answer for new levels, with those that are in force', async () => {
    gateway.simulator.faults.clear('drop-after-send');
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    const body = { position: ticket, sl: 0.9 };
    expect(await gateway.waitFor(gateway.post('/modify_sl_tp', body, 'm'))).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('m')) === 'recovered');
    expect((await gateway.post('/modify_sl_tp', body, 'm')).body).toMatchObject({
      ...{ recovered: true, position: ticket, sl: 0.9, tp: null, sl_confirmed: true, tp_confirmed: true },
    });
  });

  it('is recovered for a pending order, its change and its cancellation', async () => {
    const { bid } = await gateway.quote();
    const pending = { ...eurusd, type: 'BUY_LIMIT', price: Math.round((bid - 0.01) * 1e5) / 1e5, sl: 0.8 };
    expect(await gateway.post('/order', pending, 'p')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('p')) === 'recovered');
    const placed = await gateway.post<{ result: { order: number } }>('/order', pending, 'p');
    const levels = { position: null, sl_confirmed: true, tp_confirmed: null };
    expect(placed.body).toMatchObject({ state: 'placed', recovered: true, ...levels });
    const url = `/orders/${placed.body.result.order}`;

    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    const change = () =>
      gateway.send('PUT', url, { sl: 0.9, expiration: '2026-01-09T22:00:00Z' }, { 'idempotency-key': 'u' });
    expect(await change()).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('u')) === 'recovered');
    expect(await change()).toMatchObject({
      status: 200,
      body: { recovered: true, sl: 0.9, time_expiration_utc: '2026-01-09T22:00:00Z' },
    });

    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    expect(await gateway.send('DELETE', url, undefined, { 'idempotency-key': 'd' })).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('d')) === 'recovered');
    expect(await gateway.rows('/orders')).toEqual([]);
  });
});

describe('closing all when one outcome is unknown', () => {
  it('is answered 502 with the lists, and completely once the outcome is known', async () => {
    const gateway = await TradingGateway.start();
    const tickets = [await gateway.buy(), await gateway.buy({ symbol: 'GBPUSD' })];
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    const first = await gateway.post('/close_all_positions', {}, 'all');
    expect(first).toMatchObject({ status: 502, body: { closed: [{}], unknown: [{ error_type: 'unknown_outcome' }] } });
    expect(await gateway.post('/close_all_positions', {}, 'all')).toMatchObject({ status: 502, text: first.text });
    await gateway.until(async () => (await gateway.statusOf('all')) === 'recovered');
    const { body } = await gateway.post<{ closed: { ticket: number }[]; failed: { ticket: number }[] }>(
      ...(['/close_all_positions', {}, 'all'] as const),
    );
    expect(body).toMatchObject({ recovered: true, closed: [{}], failed: [{ error_type: 'broker_rejected' }] });
    expect([...body.closed, ...body.failed].map(({ ticket }) => ticket).sort()).toEqual(tickets.sort());
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
    await gateway.stop();
  });
});

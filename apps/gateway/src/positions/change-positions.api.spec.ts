import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

describe('a position', () => {
  let gateway: TradingGateway;
  let ticket: number;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    ticket = await gateway.buy({ sl: 0.8, tp: 1.6, magic: 7 });
  });
  afterEach(() => gateway.stop());

  const position = async () => (await gateway.rows(`/get_positions?ticket=${ticket}`))[0];

  it('is closed by its ticket, with the profit from its deals', async () => {
    const { bid } = await gateway.quote();
    const answer = await gateway.post('/close_position', { position: ticket });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        state: 'closed',
        position: ticket,
        closed_volume: 0.1,
        remaining_volume: 0,
        already_closed: false,
        result: { price: bid, retcode: 10009 },
      },
    });
    const deals = await gateway.rows(`/history_deals_get?position=${ticket}`);
    const out = deals.find(({ entry }) => entry === 1);
    expect(out).toMatchObject({ magic: 7, volume: 0.1 });
    expect(answer.body.profit).toBe(Number(out?.profit) + Number(out?.commission) + Number(out?.swap));
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('is closed by the row as it was read, with all its fields', async () => {
    const row = await position();
    expect(await gateway.post('/close_position', { position: row })).toMatchObject({
      status: 200,
      body: { state: 'closed' },
    });
  });

  it.each([
    ['/close_position', (volume: number) => ({ position: { ticket, volume } })],
    ['/position_close_partial', (volume: number) => ({ ticket, volume, symbol: 'EURUSD', type: 'BUY' })],
  ])('is closed in part by %s', async (path, body) => {
    expect(await gateway.post(path, body(0.03))).toMatchObject({
      status: 200,
      body: { state: 'partially_closed', closed_volume: 0.03, remaining_volume: 0.07 },
    });
    expect(await position()).toMatchObject({ volume: 0.07, ticket });
  });

  it('is said to have what remains of it after both of two partial closes at once', async () => {
    // Both read the position before either of them is sent.
    gateway.simulator.faults.set({ kind: 'latency', ms: 300, calls: 'sends' });
    const close = (key: string) => gateway.post('/position_close_partial', { ticket, volume: 0.04 }, key);
    const answers = await gateway.waitFor(Promise.all([close('one'), close('other')]), 50);
    const remaining = answers.map(({ body }) => Number(body['remaining_volume']));
    expect(answers.map(({ status, body }) => [status, body['closed_volume']])).toEqual([
      [200, 0.04],
      [200, 0.04],
    ]);
    expect(Math.min(...remaining)).toBe(0.02);
    expect(await position()).toMatchObject({ volume: 0.02 });
  });

  it.each([
    ['/close_position', () => ({ position: ticket })],
    ['/position_close_partial', () => ({ ticket, volume: 0.03, symbol: 'EURUSD', type: 'BUY' })],
  ])('is reported as accepted, not closed, by %s until a fill is seen (10008)', async (path, body) => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10008, times: 1 });
    expect(await gateway.waitFor(gateway.post(path, body()))).toMatchObject({
      status: 200,
      body: {
        state: 'placed',
        closed_volume: 0,
        remaining_volume: 0.1,
        fill_price_source: 'unresolved',
        result: { retcode: 10008, price: null, volume: 0 },
      },
    });
    expect(await position()).toMatchObject({ volume: 0.1 });
  });

  it('is not said to be closed by a request while the fill names the comment of another one', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10008, acts: true, times: 2 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 60_000, times: 1 });
    // Their reads wait until both have arrived, so that the first to arrive is sent first and both find the position.
    gateway.simulator.faults.set({ kind: 'latency', ms: 500, calls: 'reads' });
    const named = gateway.post('/close_position', { position: ticket, comment: 'mine' }, 'named');
    await gateway.until(async () => (await gateway.statusOf('named')) === 'in_progress', 0);
    const other = gateway.post('/close_position', { position: ticket }, 'other');
    await gateway.until(async () => (await gateway.statusOf('other')) === 'in_progress', 0);
    const answers = await gateway.waitFor(Promise.all([named, other]));
    expect(answers.map(({ status, body }) => [status, body['state']])).toEqual([
      [502, undefined],
      [200, 'placed'],
    ]);
    await gateway.until(async () => (await gateway.statusOf('named')) === 'recovered');
    expect(
      await gateway.waitFor(gateway.post('/close_position', { position: ticket, comment: 'mine' }, 'named')),
    ).toMatchObject({
      status: 200,
      body: { state: 'closed' },
    });
  });

  it('counts as closed if it was closed meanwhile (10036)', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10036, acts: true, times: 1 });
    expect(await gateway.post('/close_position', { position: ticket })).toMatchObject({
      status: 200,
      body: { state: 'closed', already_closed: true, closed_volume: 0, result: { retcode: 10036, price: null } },
    });
  });

  it('does not count as closed while the list shows it, whatever the broker says', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10036, times: 1 });
    expect(await gateway.waitFor(gateway.post('/close_position', { position: ticket }))).toMatchObject({
      status: 200,
      body: {
        message: `the broker says that position ${ticket} was closed already; no list shows that yet`,
        state: 'placed',
        already_closed: true,
        closed_volume: 0,
        remaining_volume: 0.1,
      },
    });
  });

  it('is an error for a partial close if it was closed meanwhile', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10036, times: 1 });
    expect(await gateway.post('/position_close_partial', { ticket, volume: 0.05 })).toMatchObject({
      status: 422,
      body: { error_type: 'broker_rejected' },
    });
  });

  it('looks up the price of a close that was acknowledged with 0', async () => {
    const { bid } = await gateway.quote();
    gateway.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    expect((await gateway.post('/close_position', { position: ticket })).body).toMatchObject({
      fill_price_source: 'deal',
      result: { price: bid },
    });
  });

  it.each(['/close_position', '/close_all_positions'])(
    'is closed by %s with the lots that are left of it',
    async (path) => {
      gateway.simulator.faults.set({ kind: 'late-lists', positionsMs: 15_000, dealsMs: 15_000 });
      await gateway.clock.advance(16_000);
      const part = gateway.post('/position_close_partial', { ticket, volume: 0.04 });
      expect(await gateway.waitFor(part)).toMatchObject({ status: 200 });
      // The list shows it with 0.1 lots.
      const rest = gateway.post(path, path === '/close_position' ? { position: ticket } : {});
      const { status } = await gateway.waitFor(rest);
      // While the balance is ahead of the deals, nothing proves that these were all.
      expect([200, path === '/close_position' ? 200 : 207]).toContain(status);
      gateway.simulator.faults.clear('late-lists');
      const deals = await gateway.rows(`/history_deals_get?position=${ticket}`);
      expect(deals.filter(({ entry }) => entry === 1).map(({ volume }) => volume)).toEqual([0.04, 0.06]);
    },
  );

  it('is not changed while it is shown as it was before the last change', async () => {
    const changed = (levels: object) => gateway.waitFor(gateway.post('/modify_sl_tp', { position: ticket, ...levels }));
    gateway.simulator.faults.set({ kind: 'late-lists', positionsMs: 15_000 });
    await gateway.clock.advance(16_000);
    expect(await changed({ sl: 0.85 })).toMatchObject({ status: 200, body: { sl: 0.85, sl_confirmed: null } });
    expect(await changed({ tp: 1.55 })).toMatchObject({
      ...{ status: 503, body: { error_type: 'account_not_synchronized' } },
    });
    await gateway.clock.advance(20_000);
    expect(await changed({ tp: 1.55 })).toMatchObject({ status: 200, body: { sl: 0.85 } });
    gateway.simulator.faults.clear('late-lists');
    expect(await position()).toMatchObject({ sl: 0.85, tp: 1.55 });
  });

  it('keeps a level that is omitted', async () => {
    expect((await gateway.post('/modify_sl_tp', { position: ticket, sl: 0.85 })).body).toMatchObject({
      sl: 0.85,
      tp: 1.6,
      sl_confirmed: true,
      tp_confirmed: true,
      no_changes: false,
    });
    expect(await position()).toMatchObject({ sl: 0.85, tp: 1.6 });
    await gateway.post('/modify_sl_tp', { position: { ticket }, tp: 1.55 });
    expect(await position()).toMatchObject({ sl: 0.85, tp: 1.55 });
  });

  it('keeps the level that a concurrent request sets', async () => {
    const answers = await Promise.all([
      gateway.post('/modify_sl_tp', { position: ticket, sl: 0.81 }),
      gateway.post('/modify_sl_tp', { position: ticket, tp: 1.61 }),
      gateway.post('/modify_sl_tp', { position: ticket, sl: 0.82 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await position()).toMatchObject({ sl: 0.82, tp: 1.61 });
  });

  it('loses a level only through its clear flag', async () => {
    expect((await gateway.post('/modify_sl_tp', { position: ticket, clear_sl: true })).body).toMatchObject({
      sl: null,
      tp: 1.6,
    });
    expect(await position()).toMatchObject({ sl: 0, tp: 1.6 });
    await gateway.post('/modify_sl_tp', { position: ticket, clear_tp: true, sl: 0.9 });
    expect(await position()).toMatchObject({ sl: 0.9, tp: 0 });
  });

  it('refuses a level together with its removal, and a 0', async () => {
    for (const body of [{ sl: 0.9, clear_sl: true }, { sl: 0 }, { tp: 1.5, clear_tp: true }, {}]) {
      expect(await gateway.post('/modify_sl_tp', { position: ticket, ...body })).toMatchObject({ status: 400 });
    }
    expect(await position()).toMatchObject({ sl: 0.8, tp: 1.6 });
  });

  it('answers success if it has the levels already (10025)', async () => {
    expect(await gateway.post('/modify_sl_tp', { position: ticket, sl: 0.8 })).toMatchObject({
      status: 200,
      body: { no_changes: true, result: { retcode: 10025 } },
    });
  });

  it('is counted, and found by magic and symbol', async () => {
    await gateway.buy({ symbol: 'GBPUSD', magic: 8 });
    expect((await gateway.get('/positions_total')).body).toMatchObject({ total: 2 });
    expect(await gateway.rows('/get_positions?magic=7')).toMatchObject([{ ticket }]);
    expect(await gateway.rows('/get_positions?symbol=GBPUSD')).toMatchObject([{ magic: 8 }]);
    expect(await gateway.rows('/get_positions?symbol=GBPUSD&magic=7')).toEqual([]);
    expect(await gateway.get('/get_positions?ticket=abc')).toMatchObject({ status: 400 });
  });

  it('is not reported gone if it could not be read', async () => {
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['positionsGet'] });
    for (const path of ['/get_positions', '/positions_total', '/reconcile']) {
      expect(await gateway.get(path)).toMatchObject({ status: 503, body: { error_type: 'terminal_unavailable' } });
    }
    for (const [path, body] of [
      ['/close_position', { position: ticket }],
      ['/modify_sl_tp', { position: ticket, sl: 0.9 }],
      ['/close_all_positions', {}],
    ] as const) {
      expect(await gateway.post(path, body)).toMatchObject({ status: 503 });
    }
  });

  it('cannot be changed while the kill switch is active, but a pending order can be cancelled', async () => {
    const { bid } = await gateway.quote();
    const placed = await gateway.post<{ result: { order: number } }>('/order', {
      ...{ ...eurusd, type: 'BUY_LIMIT', price: bid - 0.01 },
    });
    const file = join(gateway.folder, 'kill-switch');
    writeFileSync(file, '');
    const url = `/orders/${placed.body.result.order}`;
    for (const answer of [
      await gateway.post('/order', { ...eurusd, type: 'BUY' }),
      await gateway.post('/close_position', { position: ticket }),
      await gateway.post('/position_close_partial', { ticket, volume: 0.05 }),
      await gateway.post('/close_all_positions'),
      await gateway.post('/modify_sl_tp', { position: ticket, sl: 0.9 }),
      await gateway.send('PUT', url, { sl: 0.9 }),
    ]) {
      expect(answer).toMatchObject({ status: 423, body: { error_type: 'kill_switch_active' } });
    }
    expect(await gateway.send('DELETE', url)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    rmSync(file);
    expect(await gateway.post('/close_position', { position: ticket })).toMatchObject({ status: 200 });
  });
});

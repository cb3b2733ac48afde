import type { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { RudeGateway, type RudeAnswer } from './testing/rude-gateway';

const disk = (clock: VirtualClock) => new SimulatedDisk(clock, () => 0.5).view;
let rude: RudeGateway;
afterEach(() => rude.stop());

const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 };

describe('a gateway whose terminal has no market', () => {
  beforeEach(async () => {
    rude = await RudeGateway.start(disk);
  });

  it.each([
    ['a bid of 0', { bid: 0 }, 'EURUSD has no quote: bid 0'],
    ['an ask of 0', { ask: 0 }, 'EURUSD has no quote: bid '],
    ['a bid above the ask', { ask: 0.5 }, 'is above the ask 0.5'],
  ])('answers no quote for %s, and sends nothing', async (_case, quote, problem) => {
    rude.quote = quote;
    const { status, body } = await rude.get('/symbol_info_tick/EURUSD');
    expect([status, body.error_type]).toEqual([503, 'terminal_unavailable']);
    expect(body.error).toContain(problem);
    expect((await rude.post('/order', order)).status).toBe(503);
    expect(await rude.atBroker()).toEqual([]);
    expect((await rude.gateway.call('/metrics')).body).toContain('terminal_bad_prices_total{what="quote"} 2');
  });

  it('does not say that the broker lacks a symbol while those of a new session are not loaded', async () => {
    const found = await rude.get('/symbol_info/US500');
    rude.simulator.faults.set({ kind: 'late-symbols', ms: 20_000 });
    rude.hasServer = false;
    await rude.clock.sleep(5_000);
    rude.hasServer = true;
    await rude.clock.sleep(10_000);
    const { status, body } = await rude.get('/symbol_info/US500');
    expect([found.status, status, body]).toMatchObject([200, 503, { details: { reason: 'symbol_not_loaded' } }]);
    await rude.clock.sleep(20_000);
    expect(await rude.get('/symbol_info/US500')).toMatchObject({ status: 200 });
    await rude.clock.sleep(60_000);
    expect(await rude.get('/symbol_info/NOSUCH')).toMatchObject({ status: 404 });
  });

  it('does not say that the broker lacks a symbol that it has never read while those of a new session may not be loaded', async () => {
    expect(await rude.get('/symbol_info/NOSUCH')).toMatchObject({ status: 404 });
    await rude.buy();
    rude.simulator.faults.set({ kind: 'late-symbols', ms: 20_000 });
    await rude.restart();
    const loading = {
      status: 503,
      body: { error_type: 'terminal_unavailable', details: { reason: 'symbol_not_loaded' } },
    };
    expect(await rude.get('/symbol_info/US500')).toMatchObject(loading);
    expect(await rude.get('/symbol_info_tick/US500')).toMatchObject(loading);
    expect(await rude.get('/stream/ticks?symbols=US500')).toMatchObject(loading);
    expect(await rude.get('/stream/ticks?symbols=US500,BTCUSD')).toMatchObject(loading);
    expect(await rude.get('/get_positions?symbol=US500')).toMatchObject(loading);
    expect(await rude.post('/order', { ...order, symbol: 'US500' })).toMatchObject(loading);
    const mistyped = await rude.get('/symbol_info/EURUSDX');
    expect([mistyped.status, mistyped.body['error']]).toEqual([503, expect.stringContaining('did you mean EURUSD?')]);
    await rude.clock.sleep(70_000);
    expect(await rude.get('/symbol_info/US500')).toMatchObject({ status: 200 });
    expect(await rude.get('/symbol_info/EURUSDX')).toMatchObject({ status: 404 });
  });

  it.each([
    ['a symbol whose bars it has had', '/fetch_data_pos?symbol=BTCUSD'],
    ['one whose ticks it has had', '/copy_ticks_from?symbol=BTCUSD&from_date=2024-01-02T10:00:00Z&num_ticks=2'],
    ['one that it has never read', null],
  ])('answers nothing of %s while those of a new session are not loaded', async (_which, readBefore) => {
    const position = await rude.buy({ symbol: 'US500', volume: 1 });
    const trade = { symbol: 'BTCUSD', volume: 1, type: 'BUY' };
    const raw = { action: 1, symbol: 'BTCUSD', volume: 1, type: 0, price: 100 };
    const reads = [
      ...['/symbol_info/BTCUSD', '/symbol_info_tick/BTCUSD', '/market_book/BTCUSD', '/fetch_data_pos?symbol=BTCUSD'],
      '/fetch_data_range?symbol=BTCUSD&start=2024-01-02T00:00:00Z&end=2024-01-03T00:00:00Z',
      '/copy_rates_from?symbol=BTCUSD&date=2024-01-03T00:00:00Z&num_bars=2',
      '/copy_ticks_range?symbol=BTCUSD&from_date=2024-01-02T10:00:00Z&to_date=2024-01-02T10:01:00Z',
      '/copy_ticks_from?symbol=BTCUSD&from_date=2024-01-02T10:00:00Z&num_ticks=2',
      ...['/get_positions?symbol=BTCUSD', '/orders?symbol=BTCUSD'],
    ];
    const asks: readonly (readonly [string, () => Promise<RudeAnswer>])[] = [
      ...[...reads, '/stream/ticks?symbols=BTCUSD'].map((url) => [url, () => rude.get(url)] as const),
      ['open', () => rude.post('/order', trade)],
      ['place', () => rude.post('/order', { ...trade, type: 'BUY_LIMIT', price: 100 })],
      ['check', () => rude.post('/order_check', trade)],
      ['margin', () => rude.post('/order_calc_margin', { ...trade, price: 100 })],
      ['profit', () => rude.post('/order_calc_profit', { ...trade, price_open: 100, price_close: 101 })],
      ['check of a raw order', () => rude.post('/order_send/check', raw)],
      ['raw order', () => rude.post('/order_send', raw)],
      ['levels', () => rude.post('/modify_sl_tp', { position, sl: 1 })],
      ['close', () => rude.post('/close_position', { position })],
    ];
    if (readBefore !== null) await rude.get(readBefore);
    rude.simulator.faults.set({ kind: 'late-symbols', ms: 120_000 });
    rude.hasServer = false;
    await rude.clock.sleep(5_000);
    rude.hasServer = true;
    // Symbols that were never read are taken for unknown after a minute.
    await rude.clock.sleep(readBefore !== null ? 70_000 : 10_000);
    const answers: unknown[] = [];
    for (const [name, ask] of asks) {
      const { status, body } = await ask();
      answers.push([name, status, (body['details'] as { reason?: string } | undefined)?.reason]);
    }
    expect(answers).toEqual(asks.map(([name]) => [name, 503, 'symbol_not_loaded']));
    expect(await rude.get('/get_positions')).toMatchObject({ status: 200, body: { data: [{ ticket: position }] } });
    expect((await rude.post('/close_all_positions', {})).body['result']).toMatchObject({ closed: 0, failed: 1 });
    expect(await rude.atBroker()).toMatchObject([{ ticket: position, volume: 1, sl: 0 }]);
    await rude.clock.sleep(130_000);
    const loaded: unknown[] = [];
    for (const url of reads) loaded.push((await rude.get(url)).status);
    expect(loaded).toEqual(reads.map(() => 200));
  });

  it('lists no symbols while one that it has had is not loaded', async () => {
    await rude.get('/symbol_info/US500');
    rude.simulator.faults.set({ kind: 'late-symbols', ms: 20_000 });
    rude.hasServer = false;
    await rude.clock.sleep(5_000);
    rude.hasServer = true;
    await rude.clock.sleep(10_000);
    const loading = { status: 503, body: { details: { reason: 'symbol_not_loaded' } } };
    for (const url of ['/symbols', '/symbols?search=*500*', '/symbols_get', '/symbols_get?group=*500*']) {
      expect(await rude.get(url)).toMatchObject(loading);
    }
    await rude.clock.sleep(20_000);
    expect((await rude.get('/symbols?search=*500*')).body['total']).toBe(1);
  });

  it('tells a symbol without a quote yet from one that the broker does not have', async () => {
    rude.quote = null;
    const expected = { status: 503, body: { error: expect.stringMatching(/^EURUSD has no quote yet/) } };
    expect(await rude.get('/symbol_info_tick/EURUSD')).toMatchObject(expected);
    expect(await rude.post('/order', order)).toMatchObject(expected);
    expect(await rude.get('/symbol_info_tick/EURUSDT')).toMatchObject({ status: 404 });
  });

  it('answers no bars with a price of 0, and counts the read', async () => {
    rude.hasZeroBar = true;
    expect(await rude.get('/fetch_data_pos?symbol=EURUSD')).toMatchObject({
      status: 503,
      body: { error: 'the terminal shows bars of EURUSD with a price of 0', details: { reason: 'no_price' } },
    });
    expect((await rude.gateway.call('/metrics')).body).toContain('terminal_bad_prices_total{what="bars"} 1');
    rude.hasZeroBar = false;
    expect((await rude.get('/fetch_data_pos?symbol=EURUSD')).status).toBe(200);
  });

  it('refuses entries on a quote that is too old or of unknown age, and lets exits pass', async () => {
    await rude.stop();
    rude = await RudeGateway.start(disk, { MAX_QUOTE_AGE_SECONDS: '10' });
    rude.quote = { bid: 1.1, ask: 1.1001, time_msc: 1 };
    expect(await rude.post('/order', order)).toMatchObject({
      status: 422,
      body: { error_type: 'quote_too_old', details: { setting: 'MAX_QUOTE_AGE_SECONDS', limit: 10, value: null } },
    });
    rude.quote = {};
    await rude.clock.sleep(5_000);
    const ticket = await rude.buy();
    const fresh = (await rude.get('/symbol_info_tick/EURUSD')).body;
    expect(fresh.age_seconds).toBeLessThanOrEqual(10);
    rude.quote = { bid: Number(fresh.bid), ask: Number(fresh.ask), time_msc: Number(fresh.time_msc) };
    await rude.clock.sleep(20_000);
    const { status, body } = await rude.post('/order', order);
    expect([status, body.error_type]).toEqual([422, 'quote_too_old']);
    expect(body.error).toMatch(/^the quote of EURUSD may be [\d.]+ s old; MAX_QUOTE_AGE_SECONDS is 10$/);
    expect(await rude.post('/close_position', { position: ticket })).toMatchObject({ status: 200 });
  });

  it('waits for the quote to change once before it refuses an entry: nothing else may have read it lately', async () => {
    await rude.stop();
    rude = await RudeGateway.start(disk, { MAX_QUOTE_AGE_SECONDS: '10' });
    expect(await rude.post('/order', { ...order, symbol: 'GBPUSD' })).toMatchObject({ status: 200 });
    await rude.clock.sleep(60_000);
    expect(await rude.post('/order', { ...order, symbol: 'GBPUSD' })).toMatchObject({ status: 200 });
  });

  it('does not blame the client for terms that are not loaded', async () => {
    rude.terms = { volume_step: 0, volume_min: 0, volume_max: 0, digits: 0 };
    expect(await rude.post('/order', order)).toMatchObject({
      status: 503,
      body: { error: 'the terminal has not loaded the terms of EURUSD yet' },
    });
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

describe('on a netting account', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ SIM_MARGIN_MODE: 'netting' });
  });
  afterEach(() => gateway.stop());

  it('confirms the levels of an order on the position it adds to', async () => {
    const ticket = await gateway.buy({ volume: 0.1 });
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY', volume: 0.2, sl: 0.8, tp: 1.6 });
    expect(answer.body).toMatchObject({ state: 'executed', position: ticket, sl_confirmed: true, tp_confirmed: true });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ ticket, volume: 0.3, sl: 0.8 }]);
  });

  it('finds a reversed position by the ticket that is shown and by its identifier, each leg with its own prices', async () => {
    const bought = await gateway.buy({ volume: 0.1 });
    await gateway.clock.advance(60_000);
    await gateway.post('/order', { ...eurusd, type: 'SELL', volume: 0.3 });
    const [shown] = await gateway.rows('/get_positions');
    expect(shown).toMatchObject({ identifier: bought, type_str: 'SELL', volume: 0.2 });
    const of = async (ticket: unknown) => (await gateway.get(`/get_deal_from_ticket?ticket=${String(ticket)}`)).body;
    const legs = [
      {
        ticket: bought,
        type_str: 'BUY',
        volume_opened: 0.1,
        volume_closed: 0.1,
        closed: true,
        price_close: shown?.price_open,
      },
      { ticket: shown?.ticket, type_str: 'SELL', volume_opened: 0.2, closed: false, price_open: shown?.price_open },
    ];
    expect(shown?.ticket).not.toBe(bought);
    expect(await of(bought)).toMatchObject({ ...legs[0], legs });
    expect(await of(shown?.ticket)).toMatchObject({ ...legs[1], legs, price_close: null });
    const deals = async (position: unknown) => gateway.rows(`/history_deals_get?position=${String(position)}`);
    // A client that asks under both numbers gets each deal once.
    expect(await deals(shown?.ticket)).toEqual([]);
    expect(await deals(bought)).toHaveLength(2);
    await gateway.post('/close_position', { position: shown?.ticket });
    expect(await of(shown?.ticket)).toMatchObject({ ticket: shown?.ticket, closed: true, volume_closed: 0.2 });
  });

  it('closes a part and then all, and opens no opposite position', async () => {
    const ticket = await gateway.buy({ volume: 0.3 });
    expect((await gateway.post('/close_position', { position: { ticket, volume: 0.1 } })).body).toMatchObject({
      state: 'partially_closed',
      remaining_volume: 0.2,
    });
    expect((await gateway.post('/close_position', { position: ticket })).body).toMatchObject({ state: 'closed' });
    expect(await gateway.rows('/get_positions')).toEqual([]);
    expect((await gateway.get('/reconcile')).body.differences).toEqual([]);
  });

  it('finds the outcome of an order whose response was lost', async () => {
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    const order = { ...eurusd, type: 'BUY' };
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200, body: { state: 'executed' } });
  });
});

describe('on a thin market', () => {
  const folder = mkdtempSync(join(tmpdir(), 'symbols-'));
  const file = join(folder, 'symbols.json');
  let gateway: TradingGateway;
  beforeAll(() => {
    const thin = { name: 'EURUSD', market: { depth: 0.06 } };
    writeFileSync(
      file,
      JSON.stringify({ symbols: [thin, { ...thin, name: 'EURUSDx', like: 'EURUSD', trade_exemode: 3 }] }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    gateway = await TradingGateway.start({ SIM_SYMBOLS: file });
  });
  afterEach(() => gateway.stop());

  it('reports how much of an order was filled, and how much was not', async () => {
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY', type_filling: 'IOC' });
    expect(answer.body).toMatchObject({
      state: 'partially_executed',
      partial_fill: true,
      remaining_volume: 0.04,
      result: { retcode: 10010, volume: 0.06 },
    });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ volume: 0.06 }]);
    expect((await gateway.get('/reconcile')).body.differences).toEqual([]);
  });

  it('leaves the remainder of an order on an exchange', async () => {
    const answer = await gateway.post('/order', { ...eurusd, symbol: 'EURUSDx', type: 'BUY' });
    expect(answer.body).toMatchObject({ state: 'partially_executed', remaining_volume: 0.04 });
    expect(await gateway.rows('/orders')).toMatchObject([{ symbol: 'EURUSDx', volume_current: 0.04 }]);
  });
});

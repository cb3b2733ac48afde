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

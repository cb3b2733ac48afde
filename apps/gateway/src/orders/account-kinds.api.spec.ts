import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrderType, TradeAction } from '@libs/terminal-client';
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

  describe('while an order adds to a position and its levels are changed', () => {
    const addition = { ...eurusd, type: 'BUY', volume: 0.2, sl: 0.8 } as const;
    let ticket: number;
    beforeEach(async () => {
      ticket = await gateway.buy({ volume: 0.1, tp: 1.6 });
    });

    const position = async () => (await gateway.rows('/get_positions'))[0];
    const intents = () => gateway.audit().filter(({ event }) => event === 'intent');
    const addByHand = (sl: number) =>
      gateway.byHand({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.2, sl });

    it('keeps the stop loss of an order that was in flight when the change arrived', async () => {
      gateway.simulator.faults.set({ kind: 'latency', ms: 500, calls: 'sends' });
      const order = gateway.post('/order', addition, 'order');
      await gateway.until(() => intents().length === 2, 0);
      const change = gateway.post('/modify_sl_tp', { position: ticket, tp: 1.7 }, 'change');
      const answers = await gateway.waitFor(Promise.all([order, change]), 50);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[1]?.body).toMatchObject({ sl: 0.8, tp: 1.7, sl_confirmed: true });
      expect(await position()).toMatchObject({ volume: 0.3, sl: 0.8, tp: 1.7 });
    });

    it('keeps the stop loss of an order that is executed after the change has read the position', async () => {
      gateway.simulator.faults.set({ kind: 'latency', ms: 1_000, calls: 'reads' });
      const change = gateway.post('/modify_sl_tp', { position: ticket, tp: 1.7 }, 'change');
      // The read of the position has ended, that of the quote has not.
      await gateway.until(async () => (await gateway.statusOf('change')) === 'in_progress', 0);
      await gateway.clock.advance(1_500);
      gateway.simulator.faults.clear('latency');
      await addByHand(0.8);
      expect(await gateway.waitFor(change, 50)).toMatchObject({ status: 200, body: { sl: 0.8, tp: 1.7 } });
      expect(await position()).toMatchObject({ volume: 0.3, sl: 0.8, tp: 1.7 });
      expect((await gateway.get('/audit/verification')).body).toMatchObject({ problems: [] });
    });

    it('is not added to after a wait if another account is logged in by then', async () => {
      gateway.simulator.faults.set({ kind: 'latency', ms: 500, calls: 'sends' });
      const change = gateway.post('/modify_sl_tp', { position: ticket, tp: 1.7 }, 'change');
      await gateway.until(() => intents().length === 2, 0);
      const order = gateway.post('/order', addition, 'order');
      await gateway.until(() => intents().length === 3, 0);
      gateway.simulator.faults.set({ kind: 'other-account', login: 200_002 });
      expect((await gateway.waitFor(Promise.all([change, order]), 50))[1]).toMatchObject({ status: 503 });
      const lines = gateway.audit().filter(({ client_order_id: key }) => key === 'order');
      expect(lines.map(({ event }) => event)).toEqual(['intent', 'refused']);
    });

    it('holds up no exit while a change waits for an order that gets no answer', async () => {
      gateway.simulator.faults.set({ kind: 'lose-answer', times: 1 });
      const order = gateway.post('/order', addition, 'order');
      await gateway.until(async () => (await position())?.volume === 0.3, 0);
      const change = gateway.post('/modify_sl_tp', { position: ticket, tp: 1.7 }, 'change');
      await gateway.until(() => intents().length === 3, 0);
      for (const [path, body] of [
        ['/position_close_partial', { ticket, volume: 0.05 }],
        ['/order', { ...eurusd, type: 'SELL', volume: 0.05 }],
      ] as const) {
        expect(await gateway.post(path, body)).toMatchObject({ status: 200 });
      }
      expect([await gateway.statusOf('order'), await gateway.statusOf('change')]).toEqual([
        'in_progress',
        'in_progress',
      ]);
      expect((await gateway.waitFor(order)).status).toBe(502);
      // The session was lost with the answer. The change was not sent, and is made from what stands then.
      expect(await gateway.waitFor(change)).toMatchObject({ status: 503, body: { retry_with: 'same_key' } });
      await gateway.until(async () => (await gateway.get('/positions_total')).status === 200);
      const again = gateway.post('/modify_sl_tp', { position: ticket, tp: 1.7 }, 'change');
      expect(await gateway.waitFor(again)).toMatchObject({ status: 200, body: { sl: 0.8, tp: 1.7 } });
    });
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
      JSON.stringify({
        symbols: [thin, { ...thin, name: 'EURUSDx', like: 'EURUSD', trade_exemode: 3, filling_mode: 7 }],
      }),
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

  it('books a limit on an exchange, and nowhere else', async () => {
    const { ask } = await gateway.quote();
    const limit = { ...{ action: 5, volume: 0.1, type: 2, type_filling: 3 }, symbol: 'EURUSDx' };
    const far = Number((ask - 0.05).toFixed(5));
    expect(await gateway.post('/order_send', { ...limit, price: far })).toMatchObject({ body: { state: 'placed' } });
    expect(await gateway.rows('/orders')).toMatchObject([{ type_filling: 3, price_open: far }]);
    // It would take what is on the other side.
    const taking = await gateway.post('/order_send', { ...limit, price: Number((ask + 0.001).toFixed(5)) });
    expect(taking).toMatchObject({ status: 422, body: { terminal_error: { retcode: 10015 } } });
    const named = { symbol: 'EURUSDx', volume: 0.1, type: 'BUY_LIMIT', price: far, type_filling: 'boc' };
    expect(await gateway.post('/order', named)).toMatchObject({ body: { state: 'placed' } });
    for (const elsewhere of [{ symbol: 'EURUSD' }, { type: 4, price: Number((ask + 0.05).toFixed(5)) }]) {
      const answer = await gateway.post('/order_send', { ...limit, price: far, ...elsewhere });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'type_filling' }] } });
    }
    expect(await gateway.rows('/orders')).toHaveLength(2);
  });
});

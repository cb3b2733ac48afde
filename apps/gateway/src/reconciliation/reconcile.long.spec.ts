import { OrderType, TradeAction, tradeRequest, type OrderSendResult, type TradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';
import type { Difference, ReconcileResponse } from './reconcile.response';

describe('reconciling', () => {
  let gateway: TradingGateway;
  let ticket: number;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    ticket = await gateway.buy({ magic: 7, sl: 0.8 });
  });
  afterEach(() => gateway.stop());

  const reconcile = async (query = ''): Promise<ReconcileResponse> =>
    (await gateway.get<ReconcileResponse>(`/reconcile${query}`)).body;
  const differences = async (): Promise<readonly Difference[]> => (await reconcile()).differences;

  /** A person at the terminal. */
  async function byHand(fields: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): Promise<OrderSendResult> {
    const session = gateway.simulator.connect();
    await session.connect();
    const outcome = await session.orderSend(sealRequest('by hand', tradeRequest(fields)));
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    return outcome.result;
  }

  it('shows positions, orders and deals by magic, and no difference if there is none', async () => {
    const { bid } = await gateway.quote();
    await gateway.post('/order', { ...eurusd, type: 'BUY_LIMIT', price: bid - 0.01, magic: 8 });
    await gateway.post('/position_close_partial', { ticket, volume: 0.04 });
    const all = await reconcile();
    expect(all).toMatchObject({ ok: true, magic: null, unresolved: [], differences: [] });
    expect([all.positions.length, all.orders.length, all.deals.filter(({ type }) => type <= 1).length]).toEqual([
      1, 1, 2,
    ]);
    expect(await reconcile('?magic=8')).toMatchObject({ magic: 8, positions: [], orders: [{ magic: 8 }], deals: [] });
    expect(await reconcile('?magic=7')).toMatchObject({ positions: [{ ticket }], orders: [], deals: [{}, {}] });
  });

  it('has deals stamped ahead of UTC, and none older than requested', async () => {
    expect((await reconcile('?lookback_hours=1')).deals.some(({ position_id }) => position_id === ticket)).toBe(true);
    await gateway.clock.advance(2 * 3_600_000);
    expect((await reconcile('?lookback_hours=1')).deals.some(({ position_id }) => position_id === ticket)).toBe(false);
  });

  it.each(['?magic=-1', '?magic=x', '?lookback_hours=0', '?lookback_hours=745'])('refuses %s', async (query) => {
    expect(await gateway.get(`/reconcile${query}`)).toMatchObject({ status: 400 });
  });

  it('finds external positions and orders', async () => {
    const foreign = await byHand({ action: TradeAction.DEAL, symbol: 'GBPUSD', volume: 0.1, type: OrderType.SELL });
    const { bid } = await gateway.quote();
    const price = Math.round((bid - 0.01) * 1e5) / 1e5;
    const pending = await byHand({
      ...{
        action: TradeAction.PENDING,
        symbol: 'EURUSD',
        volume: 0.1,
        type: OrderType.BUY_LIMIT,
        price,
        type_filling: 2,
      },
    });
    expect(await differences()).toMatchObject([
      { kind: 'position_without_intent', ticket: foreign.order, symbol: 'GBPUSD' },
      { kind: 'order_without_intent', ticket: pending.order },
    ]);
  });

  it('finds externally changed levels and volumes', async () => {
    await byHand({ action: TradeAction.SLTP, symbol: 'EURUSD', position: ticket, sl: 0.85, tp: 1.5 });
    await byHand({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.03, type: OrderType.SELL, position: ticket });
    expect(await differences()).toMatchObject([
      {
        kind: 'level_mismatch',
        ticket,
        field: 'sl',
        expected: 0.8,
        actual: 0.85,
        message: expect.stringMatching(/ is 0\.85000, last set to 0\.80000$/),
      },
      {
        kind: 'level_mismatch',
        ticket,
        field: 'tp',
        expected: 0,
        actual: 1.5,
        message: expect.stringMatching(/ is 1\.50000, last set to none$/),
      },
      { kind: 'volume_mismatch', ticket, field: 'volume', expected: 0.1, actual: 0.07 },
    ]);
  });

  it('ignores levels and volumes that were set before the lookback period', async () => {
    await gateway.post('/modify_sl_tp', { position: ticket, sl: 0.9 });
    await gateway.post('/position_close_partial', { ticket, volume: 0.04 });
    await gateway.clock.advance(90 * 60_000);
    expect((await reconcile('?lookback_hours=1')).differences).toEqual([]);
    expect((await reconcile('?lookback_hours=2')).differences).toEqual([]);
  });

  it('reports no difference once a level is set through the gateway', async () => {
    await byHand({ action: TradeAction.SLTP, symbol: 'EURUSD', position: ticket, sl: 0.85 });
    expect(await differences()).toHaveLength(1);
    await gateway.post('/modify_sl_tp', { position: ticket, sl: 0.9 });
    expect(await differences()).toEqual([]);
  });

  it('finds acknowledged orders that the broker has no trace of', async () => {
    await gateway.restart(); // the embedded broker starts empty, unlike the journal
    expect(await differences()).toMatchObject([{ kind: 'intent_without_trace', ticket, symbol: 'EURUSD' }]);
  });
});

describe('the journal’s report of a key', () => {
  it('has status and answer, and is 404 for an unused key', async () => {
    const gateway = await TradingGateway.start();
    const answer = await gateway.post('/order', { ...eurusd, type: 'BUY' }, 'a key/with %');
    const report = await gateway.get(`/trade_requests/${encodeURIComponent('a key/with %')}`);
    expect(report.body).toEqual({
      ok: true,
      key: 'a key/with %',
      route: 'POST /order',
      status: 'completed',
      created_at: '2026-01-07T10:00:00.000Z',
      response_status: 200,
      response: answer.body,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(await gateway.get('/trade_requests/none')).toMatchObject({ status: 404, body: { error_type: 'not_found' } });
    await gateway.stop();
  });
});

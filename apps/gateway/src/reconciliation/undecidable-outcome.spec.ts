import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { eurusd, TradingGateway, type Answer } from '../trade-journal/testing/trading-gateway';

describe('a lost change that cannot be found out any more', () => {
  let gateway: TradingGateway;
  let ticket: number;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    ticket = await gateway.buy();
    const { status } = await levels('before', { sl: 0.5 });
    if (status !== 200) throw new Error(`the levels were not set: ${status}`);
  });
  afterEach(() => gateway.stop());

  const levels = (key: string, body: object): Promise<Answer> =>
    gateway.post('/modify_sl_tp', { position: ticket, ...body }, key);
  /** Loses the answer to the next send; with `after` the broker acts on it. Nothing is looked up until `lookUp`. */
  const lose = (when: 'before' | 'after'): void => {
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    if (when === 'after') gateway.simulator.faults.set({ kind: 'lose-answer', times: 1 });
    else gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
  };
  const lookUp = async (): Promise<void> => {
    gateway.simulator.faults.clear();
    for (let step = 0; step < 30; step++) {
      await gateway.clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  /** Changes the position as somebody else would, past the gateway. */
  async function changeByHand(sl: number): Promise<void> {
    const session = gateway.simulator.connect();
    await session.connect();
    const request = tradeRequest({ action: TradeAction.SLTP, symbol: 'EURUSD', position: ticket, sl });
    await session.orderSend(sealRequest('by hand', request));
  }
  async function expectUndecidable(key: string, reason: RegExp): Promise<void> {
    expect((await gateway.get(`/trade_requests/${key}`)).body).toMatchObject({
      ...{ status: 'unknown', response_status: 502 },
      response: {
        error_type: 'unknown_outcome',
        details: { undecidable: true, reason: expect.stringMatching(reason) },
      },
    });
    expect((await gateway.get('/reconcile')).body.unresolved).toMatchObject([
      { client_order_id: key, sends: [{ undecidable: true, reason: expect.stringMatching(reason) }] },
    ]);
    expect(await gateway.metric('unknown_outcomes_unresolved')).toBe(0);
    expect(await gateway.metric('unknown_outcomes_undecidable')).toBe(1);
  }

  it('is never called undone when the levels were changed again under another key', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
    expect(await levels('later', { sl: 0.7 })).toMatchObject({ status: 200 });
    await lookUp();
    await expectUndecidable('lost', /changed again/);
    expect(await levels('lost', { sl: 0.6 })).toMatchObject({
      status: 502,
      headers: { 'idempotent-replayed': 'true' },
    });
    await gateway.restart();
    expect(await levels('lost', { sl: 0.6 })).toMatchObject({ status: 502 });
  });

  it('is never called undone when the position was closed since', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
    expect(await gateway.post('/close_position', { position: ticket }, 'close')).toMatchObject({ status: 200 });
    await lookUp();
    await expectUndecidable('lost', /no longer open/);
  });

  it('is never called undone when the levels were changed past the gateway', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
    await changeByHand(0.55);
    await lookUp();
    await expectUndecidable('lost', /neither/);
  });

  it('is recovered when it stands, and absent when what stood before still does', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('done', { sl: 0.6 }))).toMatchObject({ status: 502 });
    await lookUp();
    expect(await gateway.statusOf('done')).toBe('recovered');
    lose('before');
    expect(await gateway.waitFor(levels('undone', { sl: 0.7 }))).toMatchObject({ status: 502 });
    await lookUp();
    expect(await gateway.statusOf('undone')).toBe('absent');
    expect(await levels('undone', { sl: 0.7 })).toMatchObject({ status: 422 });
  });

  it('is not decided by a later request that takes the levels back', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
    expect(await levels('back', { sl: 0.5 })).toMatchObject({ status: 200 });
    await lookUp();
    await expectUndecidable('lost', /changed again/);
  });

  it('holds for a pending order as well', async () => {
    const { bid } = await gateway.quote();
    const price = Math.round((bid - 0.01) * 1e5) / 1e5;
    const placed = await gateway.post<{ result: { order: number } }>('/order', { ...eurusd, type: 'BUY_LIMIT', price });
    const change = (key: string, sl: number): Promise<Answer> =>
      gateway.send('PUT', `/orders/${placed.body.result.order}`, { sl }, { 'idempotency-key': key });
    lose('after');
    expect(await gateway.waitFor(change('lost', 0.6))).toMatchObject({ status: 502 });
    expect(await change('later', 0.7)).toMatchObject({ status: 200 });
    await lookUp();
    await expectUndecidable('lost', /changed again/);
  });
});

import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { eurusd, TradingGateway, type Answer } from '../trade-journal/testing/trading-gateway';

describe('a lost change whose outcome is undecidable', () => {
  let gateway: TradingGateway;
  let ticket: number;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ IDEMPOTENCY_TTL_SECONDS: '3600' });
    ticket = await gateway.buy();
    const { status } = await levels('before', { sl: 0.5 });
    if (status !== 200) throw new Error(`the levels were not set: ${status}`);
  });
  afterEach(() => gateway.stop());

  const levels = (key: string, body: object): Promise<Answer> =>
    gateway.post('/modify_sl_tp', { position: ticket, ...body }, key);
  /** Loses the answer to the next send, which `after` makes the broker execute. Look-ups wait for `lookUp`. */
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
  /** Changes the position at the broker, outside the gateway. */
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

  it('is never reported absent if the levels were changed again under another key', async () => {
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

  it('is never reported absent if the position was closed since', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
    expect(await gateway.post('/close_position', { position: ticket }, 'close')).toMatchObject({ status: 200 });
    await lookUp();
    await expectUndecidable('lost', /no longer open/);
  });

  it('is never reported absent if the levels were changed outside the gateway', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
    await changeByHand(0.55);
    await lookUp();
    await expectUndecidable('lost', /neither/);
  });

  describe('and is accepted as unknown by an operator', () => {
    const accept = (name: string): Promise<Answer> =>
      gateway.send('PUT', `/trade_requests/${name}/accept`, undefined, {});
    const unresolved = async (): Promise<readonly { readonly id: string }[]> =>
      (await gateway.get<{ unresolved: readonly { readonly id: string }[] }>('/reconcile')).body.unresolved;
    /** Loses a change, and makes another one so that the first is undecidable. */
    async function undecidable(key = 'lost'): Promise<void> {
      lose('after');
      expect(await gateway.waitFor(levels(key, { sl: 0.6 }))).toMatchObject({ status: 502 });
      expect(await levels('later', { sl: 0.7 })).toMatchObject({ status: 200 });
    }
    const linesOf = (event: string): readonly object[] => gateway.audit().filter((line) => line.event === event);

    it('is removed from the list, keeps its answer over a restart and is never sent again', async () => {
      await undecidable();
      await lookUp();
      expect(await accept('lost')).toMatchObject({ status: 200, body: { status: 'accepted', response_status: 502 } });
      for (const round of ['before the restart', 'after it']) {
        expect([round, await unresolved()]).toEqual([round, []]);
        expect(await gateway.metric('unknown_outcomes_undecidable')).toBe(0);
        expect(await levels('lost', { sl: 0.6 })).toMatchObject({
          status: 502,
          body: { error_type: 'unknown_outcome', details: { undecidable: true } },
        });
        expect(await levels('lost', { sl: 0.65 })).toMatchObject({ status: 409 });
        expect(await accept('lost')).toMatchObject({ status: 200, body: { status: 'accepted' } });
        await gateway.restart();
      }
      expect(linesOf('outcome_accepted')).toMatchObject([{ client_order_id: 'lost', position: ticket, sl: 0.6 }]);
    });

    it('is remembered with a summary once its answer expired', async () => {
      await undecidable();
      await lookUp();
      await accept('lost');
      await gateway.clock.advance(3_700_000);
      expect((await gateway.get('/trade_requests/lost')).body).toMatchObject({
        status: 'accepted',
        response_status: 502,
      });
      expect(await levels('lost', { sl: 0.6 })).toMatchObject({
        status: 502,
        body: { error_type: 'unknown_outcome', details: { undecidable: true } },
      });
    });

    it('is settled by an even later answer of the terminal', async () => {
      gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
      gateway.simulator.faults.set({ kind: 'lose-answer', times: 1, lateMs: 400_000 });
      expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
      expect(await levels('later', { sl: 0.7 })).toMatchObject({ status: 200 });
      await lookUp();
      await accept('lost');
      await gateway.clock.advance(400_000);
      await gateway.until(async () => (await gateway.statusOf('lost')) !== 'accepted');
      expect(await gateway.statusOf('lost')).toBe('recovered');
      expect(await levels('lost', { sl: 0.6 })).toMatchObject({ status: 200, body: { recovered: true } });
    });

    it('is unchanged while it is being looked up, if it is settled, and if it is unknown', async () => {
      await undecidable();
      expect(await accept('lost')).toMatchObject({ status: 200, body: { status: 'unknown' } });
      expect(await accept('later')).toMatchObject({ status: 200, body: { status: 'completed' } });
      expect(await accept('never')).toMatchObject({ status: 404 });
      expect(linesOf('outcome_accepted')).toEqual([]);
      gateway.simulator.faults.clear();
      expect(await unresolved()).toHaveLength(1);
    });

    it('is named by its id if it has no key', async () => {
      lose('after');
      expect(await gateway.waitFor(gateway.post('/modify_sl_tp', { position: ticket, sl: 0.6 }))).toMatchObject({
        status: 502,
      });
      expect(await levels('later', { sl: 0.7 })).toMatchObject({ status: 200 });
      await lookUp();
      const [request] = await unresolved();
      for (let times = 0; times < 2; times++) {
        expect(await accept(String(request?.id))).toMatchObject({ status: 200, body: { status: 'accepted' } });
        expect(await unresolved()).toEqual([]);
      }
    });

    it('stays listed if the audit log cannot be written', async () => {
      await undecidable();
      await lookUp();
      const log = join(gateway.folder, 'order-audit.jsonl');
      renameSync(log, `${log}.1`);
      mkdirSync(log);
      expect(await accept('lost')).toMatchObject({ status: 503, body: { error_type: 'journal_unavailable' } });
      expect(await unresolved()).toHaveLength(1);
    });
  });

  it('is recovered if its values are in force, and absent if the previous ones are', async () => {
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

  it('is not decided by a later request that restores the levels', async () => {
    lose('after');
    expect(await gateway.waitFor(levels('lost', { sl: 0.6 }))).toMatchObject({ status: 502 });
    expect(await levels('back', { sl: 0.5 })).toMatchObject({ status: 200 });
    await lookUp();
    await expectUndecidable('lost', /changed again/);
  });

  it('is handled the same for a pending order', async () => {
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

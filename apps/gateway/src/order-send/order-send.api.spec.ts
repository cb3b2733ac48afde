import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrderType, TradeAction } from '@libs/terminal-client';
import { TradingGateway, type Answer, type Json } from '../trade-journal/testing/trading-gateway';

const buy = { action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY, magic: 7 };
const sell = { ...buy, type: OrderType.SELL };
const closeBy = (position: number, position_by: number) => ({ action: TradeAction.CLOSE_BY, position, position_by });

describe('POST /order_send', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  const send = (request: Json, key?: string): Promise<Answer> => gateway.post('/order_send', request, key);
  const resultOf = ({ body }: Answer): Json => ({ ...(typeof body.result === 'object' ? body.result : null) });
  const opened = async (request: Json): Promise<number> => {
    const answer = await send(request);
    if (answer.status !== 200) throw new Error(answer.text);
    return Number(resultOf(answer).order);
  };

  it('carries out each action, and answers with the numbers of the terminal', async () => {
    const { bid, ask } = await gateway.quote();
    const far = Number((ask - 0.05).toFixed(5));
    const entry = await send({ ...buy, magic: Number.MAX_SAFE_INTEGER, type_filling: 1 });
    const ticket = Number(resultOf(entry).order);
    expect(entry).toMatchObject({
      status: 200,
      body: { ok: true, state: 'executed', position: ticket, remaining_volume: 0, client_order_id: null },
    });
    expect(resultOf(entry)).toEqual({
      ...{ retcode: 10009, retcode_name: 'DONE', deal: expect.any(Number), order: ticket, volume: 0.1, price: ask },
      ...{ bid, ask, comment: expect.any(String), request_id: expect.any(Number), retcode_external: 0 },
      request: {
        ...{ action: 1, magic: Number.MAX_SAFE_INTEGER, order: 0, symbol: 'EURUSD', volume: 0.1, price: ask },
        ...{ stoplimit: 0, sl: 0, tp: 0, deviation: 0, type: 0, type_filling: 1, type_time: 0, expiration: 0 },
        ...{ comment: expect.any(String), position: 0, position_by: 0 },
      },
    });
    const levels = { action: TradeAction.SLTP, position: ticket, symbol: 'EURUSD', sl: far };
    expect(await send(levels)).toMatchObject({ status: 200, body: { state: 'changed', position: ticket } });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ sl: far, tp: 0 }]);
    expect(resultOf(await send(levels))).toMatchObject({ retcode: 10025 });

    const limit = { action: TradeAction.PENDING, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY_LIMIT, price: far };
    const placed = await send({ ...limit, type_time: 2, expiration: Date.UTC(2026, 1, 1) / 1_000 });
    const order = Number(resultOf(placed).order);
    expect(placed).toMatchObject({ status: 200, body: { state: 'placed', position: null, result: { deal: 0 } } });
    expect(await gateway.rows('/orders')).toMatchObject([
      { ticket: order, magic: 0, type_time: 2, time_expiration: Date.UTC(2026, 1, 1) / 1_000 },
    ]);
    const lower = Number((far - 0.01).toFixed(5));
    const change = { action: TradeAction.MODIFY, order, price: lower };
    expect(await send(change)).toMatchObject({ status: 200, body: { state: 'changed' } });
    expect(await gateway.rows('/orders')).toMatchObject([{ price_open: lower, time_expiration: 0 }]);
    expect(await send({ action: TradeAction.REMOVE, order })).toMatchObject({ body: { state: 'cancelled' } });
    expect(await gateway.rows('/orders')).toEqual([]);

    const part = await send({ ...sell, volume: 0.04, position: ticket, magic: 9, type_filling: 1 });
    expect(part).toMatchObject({
      status: 200,
      body: { state: 'partially_closed', position: ticket, remaining_volume: 0.06, profit: expect.any(Number) },
    });
    // A close has the magic of its position.
    expect(resultOf(part)).toMatchObject({ volume: 0.04, request: { position: ticket, type_filling: 1 } });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ volume: 0.06, magic: Number.MAX_SAFE_INTEGER }]);
  });

  it('places and changes orders that end with a day, and finds out what became of such a change', async () => {
    const { ask } = await gateway.quote();
    const price = Number((ask - 0.05).toFixed(5));
    const limit = { action: TradeAction.PENDING, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY_LIMIT, price };
    const expiration = Date.UTC(2026, 0, 8) / 1_000;
    const order = await opened({ ...limit, type_time: 3, expiration });
    expect(await gateway.rows('/orders')).toMatchObject([{ type_time: 3, time_expiration: expiration }]);
    const change = { action: TradeAction.MODIFY, order, price };
    expect(await send({ ...change, type_time: 1 })).toMatchObject({ status: 200 });
    expect(await gateway.rows('/orders')).toMatchObject([{ type_time: 1, time_expiration: 0 }]);
    // Nothing but the type differs from what is in force.
    gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    expect(await send(change, 'k')).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
    expect(await gateway.rows('/orders')).toMatchObject([{ type_time: 1 }]);
  });

  it.each([32_535_216_000, 8_640_000_000_001, Number.MAX_SAFE_INTEGER])(
    'refuses the expiration %d, which no terminal can hold',
    async (expiration) => {
      const limit = { action: TradeAction.PENDING, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY_LIMIT, price: 1 };
      const problem = 'must not be greater than 32535215999';
      for (const type_time of [2, 3]) {
        expect(await send({ ...limit, type_time, expiration })).toMatchObject({
          status: 400,
          body: { error_type: 'validation_error', details: [{ field: 'expiration', problem }] },
        });
      }
      expect(await gateway.rows('/orders')).toEqual([]);
    },
  );

  it('closes two positions by one another, and reports both', async () => {
    const long = await opened({ ...buy, volume: 0.3 });
    const short = await opened({ ...sell, volume: 0.1, magic: 8 });
    const answer = await send(closeBy(long, short), 'k');
    expect(answer).toMatchObject({
      status: 200,
      body: { state: 'partially_closed', position: long, remaining_volume: 0.2, remaining_volume_by: 0 },
    });
    expect(resultOf(answer)).toMatchObject({
      ...{ retcode: 10009, volume: 0.1, price: expect.any(Number) },
      request: { action: 10, position: long, position_by: short, symbol: 'EURUSD', type: 0 },
    });
    expect(await send(closeBy(long, short), 'k')).toMatchObject({ status: 200, text: answer.text });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ ticket: long, volume: 0.2 }]);
    const order = Number(resultOf(answer).order);
    const legs = (await gateway.rows(`/history_deals_get?position=${long}`)).filter(({ entry }) => entry === 3);
    expect(legs).toMatchObject([{ order, volume: 0.1, client_order_id: 'k' }]);
    expect(answer.body.profit).toBe(Number(legs[0]?.profit));
    expect(await gateway.get('/trade_requests/k')).toMatchObject({ body: { status: 'completed' } });
    expect(gateway.audit().find(({ position_by }) => position_by === short)).toMatchObject({
      ...{ event: 'intent', position: long, position_volume: 0.3, position_by_volume: 0.1 },
    });
    expect(await send(closeBy(long, short))).toMatchObject({ status: 404, body: { error_type: 'not_found' } });
  });

  it('leaves no difference to the journal, whichever of the two is named first', async () => {
    const long = await opened({ ...buy, volume: 0.3 });
    const short = await opened({ ...sell, volume: 0.1 });
    expect(await send(closeBy(short, long))).toMatchObject({
      body: { state: 'closed', position: short, remaining_volume: 0, remaining_volume_by: 0.2 },
    });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ ticket: long, volume: 0.2 }]);
    expect((await gateway.get('/reconcile')).body.differences).toEqual([]);
  });

  it('leaves what a close of the rest closes, whatever a list that lags shows', async () => {
    const long = await opened({ ...buy, volume: 0.3 });
    const short = await opened({ ...sell, volume: 0.1 });
    gateway.simulator.faults.set({ kind: 'late-lists', positionsMs: 15_000, dealsMs: 15_000 });
    await gateway.clock.advance(16_000);
    expect(await gateway.waitFor(send(closeBy(short, long)))).toMatchObject({ status: 200 });
    expect(await gateway.waitFor(gateway.post('/close_position', { position: long }))).toMatchObject({
      status: 200,
      body: { closed_volume: 0.2 },
    });
  });

  it('has the events of both positions of a close by', async () => {
    const long = await opened({ ...buy, volume: 0.3 });
    const short = await opened({ ...sell, volume: 0.1 });
    const events = async (): Promise<Json[]> => [...(await gateway.rows('/events?since=0'))];
    await gateway.until(async () => (await events()).filter(({ event }) => event === 'position').length === 2);
    const before = (await events()).length;
    const order = Number(resultOf(await send(closeBy(long, short), 'k')).order);
    await gateway.until(async () => (await events()).length >= before + 5);
    const since = (await events()).slice(before);
    const shown = since.map(({ event, action, ticket }) => [event, action, ticket]);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['position', 'partially_closed', long],
        ['position', 'closed', short],
        ['order', 'closed', order],
      ]),
    );
    expect(since.filter(({ event }) => event === 'deal')).toHaveLength(2);
    expect(since).toHaveLength(5);
  });

  it('is answered from the audit log if the journal was lost', async () => {
    await gateway.stop();
    const broker = mkdtempSync(join(tmpdir(), 'order-send-'));
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(broker, 'account') });
    const long = await opened({ ...buy, volume: 0.3 });
    const short = await opened({ ...sell, volume: 0.1 });
    const { ask } = await gateway.quote();
    const [price, lower] = [Number((ask - 0.05).toFixed(5)), Number((ask - 0.06).toFixed(5))];
    const order = await opened({ ...buy, action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price });
    const requests: Json[] = [
      { action: TradeAction.MODIFY, order, price: lower },
      { action: TradeAction.SLTP, position: long, sl: price },
      closeBy(long, short),
    ];
    for (const [index, request] of requests.entries()) {
      expect(await send(request, `k${index}`)).toMatchObject({ status: 200 });
    }
    await gateway.restart(() => truncateSync(join(gateway.folder, 'state', 'trade-journal', 'data.mdb'), 0));
    await gateway.until(async () => (await gateway.statusOf('k2')) === 'recovered');
    const again = await Promise.all(requests.map((request, index) => send(request, `k${index}`)));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(again[0]).toMatchObject({ body: { state: 'changed', result: { request: { action: 7, order } } } });
    expect(again[1]).toMatchObject({ body: { state: 'changed', result: { request: { action: 6, position: long } } } });
    expect(again[2]).toMatchObject({
      body: { state: 'partially_closed', remaining_volume: 0.2, remaining_volume_by: 0, result: { volume: 0.1 } },
    });
    expect(again[2]).toMatchObject({ body: { result: { request: { action: 10, position_by: short } } } });
    rmSync(broker, { recursive: true });
  });

  it('refuses a close by of what does not belong together, with nothing sent', async () => {
    const first = await opened(buy);
    const second = await opened(buy);
    const other = await opened({ ...sell, symbol: 'GBPUSD' });
    for (const [by, problem] of [
      [first, 'another position'],
      [second, 'same side'],
      [other, 'GBPUSD'],
    ] as const) {
      const answer = await send(closeBy(first, by));
      expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'position_by' }] } });
      expect(answer.body.error).toContain(problem);
    }
    expect(await gateway.rows('/get_positions')).toHaveLength(3);
  });

  const lost = async (
    kind: 'drop-after-send' | 'drop-before-send',
    status: string,
  ): Promise<[Answer, number, number]> => {
    const long = await opened({ ...buy, volume: 0.3 });
    const short = await opened({ ...sell, volume: 0.1 });
    gateway.simulator.faults.set({ kind, times: 1 });
    const request = closeBy(long, short);
    expect(await send(request, 'k')).toMatchObject({ status: 502, body: { error_type: 'unknown_outcome' } });
    expect((await gateway.get('/reconcile')).body.unresolved).toMatchObject([
      { sends: [{ purpose: 'close_by', position: long }] },
    ]);
    await gateway.until(async () => (await gateway.statusOf('k')) === status);
    return [await send(request, 'k'), long, short];
  };

  it('finds out that a close by was done whose answer is lost', async () => {
    const [answer, long, short] = await lost('drop-after-send', 'recovered');
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      body: { recovered: true, state: 'partially_closed', remaining_volume: 0.2, remaining_volume_by: 0 },
    });
    expect(resultOf(answer)).toMatchObject({ retcode: 10009, volume: 0.1, request: { position_by: short } });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ ticket: long, volume: 0.2 }]);
  });

  it('finds out that nothing was done by a close by that was lost', async () => {
    const [answer] = await lost('drop-before-send', 'absent');
    expect(answer).toMatchObject({ status: 422, body: { details: { reason: 'absent' } } });
    expect(await gateway.rows('/get_positions')).toHaveLength(2);
  });

  it('does not take the close of one of the positions by hand for a close by', async () => {
    const long = await opened({ ...buy, volume: 0.3 });
    const short = await opened({ ...sell, volume: 0.1 });
    gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    gateway.simulator.faults.set({ kind: 'login-refused' });
    expect(await send(closeBy(long, short), 'k')).toMatchObject({ status: 502 });
    await gateway.byHand({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, position: short });
    gateway.simulator.faults.clear('login-refused');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
    expect(await gateway.rows('/get_positions')).toMatchObject([{ ticket: long, volume: 0.3 }]);
  });

  it('is answered under its key as it was, refused for another body, and recovered in its own form', async () => {
    const first = await send(buy, 'k');
    expect(await send(buy, 'k')).toMatchObject({ status: 200, text: first.text });
    expect(await send({ ...buy, volume: 0.2 }, 'k')).toMatchObject({ status: 409 });
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    expect(await send(buy, 'lost')).toMatchObject({ status: 502, body: { error_type: 'unknown_outcome' } });
    await gateway.until(async () => (await gateway.statusOf('lost')) === 'recovered');
    const recovered = await send(buy, 'lost');
    expect(recovered).toMatchObject({ status: 200, body: { recovered: true, state: 'executed' } });
    expect(Object.keys(resultOf(recovered))).toEqual(Object.keys(resultOf(first)));
    expect(await gateway.rows('/get_positions')).toHaveLength(2);
  });

  it('shows the result of the terminal also with a rejection and with an unknown outcome', async () => {
    for (const [retcode, status] of [
      [10004, 422],
      [10012, 502],
    ] as const) {
      gateway.simulator.faults.set({ kind: 'retcode', retcode, times: 1 });
      const answer = await send(buy, `k${retcode}`);
      expect(answer).toMatchObject({ status, body: { result: { retcode, order: 0, request: { symbol: 'EURUSD' } } } });
      expect(await send(buy, `k${retcode}`)).toMatchObject({ status, text: answer.text });
    }
  });

  it('lets the kill switch stop entries and closes, but no cancellation', async () => {
    const ticket = await opened(buy);
    const { ask } = await gateway.quote();
    const price = Number((ask - 0.05).toFixed(5));
    const order = await opened({ ...buy, action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price });
    await gateway.post('/kill', {});
    for (const request of [buy, { ...sell, position: ticket }, closeBy(ticket, ticket)]) {
      expect(await send(request)).toMatchObject({ status: 423, body: { error_type: 'kill_switch_active' } });
    }
    expect(await send({ action: TradeAction.REMOVE, order })).toMatchObject({ status: 200 });
  });

  it('counts a close as an exit, whatever the limits on entries say', async () => {
    await gateway.stop();
    gateway = await TradingGateway.start({ MAX_OPEN_VOLUME: '0.1' });
    const ticket = await opened(buy);
    expect(await send(buy)).toMatchObject({ status: 422, body: { error_type: 'open_volume_exceeded' } });
    expect(await send({ ...sell, position: ticket })).toMatchObject({ status: 200, body: { state: 'closed' } });
    expect(await send({ ...sell, position: ticket })).toMatchObject({ status: 404 });
  });

  it('needs the fence of both positions for a close by', async () => {
    const long = await opened({ ...buy, magic: 7 });
    const short = await opened({ ...sell, magic: 8 });
    await gateway.send('PUT', '/fences/b', { token: 1, magics: [8] });
    for (const request of [closeBy(long, short), closeBy(short, long)]) {
      expect(await send(request)).toMatchObject({ status: 412, body: { error_type: 'fence_required' } });
    }
    expect(await gateway.rows('/get_positions')).toHaveLength(2);
    const fenced = await gateway.send('POST', '/order_send', closeBy(long, short), { 'x-fence': 'b;1' });
    expect(fenced).toMatchObject({ status: 200, body: { state: 'closed' } });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('is refused with the field, and with nothing sent', async () => {
    const ticket = await opened(buy);
    for (const [request, field] of [
      [{ ...buy, action: 2 }, 'action'],
      [{ ...buy, sl: null }, 'sl'],
      [{ ...buy, magic: 2 ** 53 }, 'magic'],
      [{ ...buy, type_filling: 3 }, 'type_filling'],
      [{ ...buy, position: ticket }, 'type'],
      [{ ...sell, symbol: 'GBPUSD', position: ticket }, 'symbol'],
      [{ ...sell, position: ticket, type_filling: 2 }, 'type_filling'],
      [{ ...sell, position: ticket, volume: 0.2 }, 'volume'],
      [{ action: TradeAction.SLTP, symbol: 'EURUSD', sl: 1 }, 'position'],
      [{ action: TradeAction.SLTP, position: ticket, symbol: 'GBPUSD', sl: 1 }, 'symbol'],
    ] as const) {
      expect(await send(request)).toMatchObject({ status: 400, body: { details: [{ field }] } });
    }
    expect(await gateway.rows('/get_positions')).toMatchObject([{ volume: 0.1, sl: 0 }]);
    expect(gateway.audit().at(-1)).toMatchObject({ event: 'refused', route: 'POST /order_send' });
  });

  it('uses the position of the symbol on an account that nets', async () => {
    await gateway.stop();
    gateway = await TradingGateway.start({ SIM_MARGIN_MODE: 'netting' });
    const ticket = await opened(buy);
    const { bid } = await gateway.quote();
    const sl = Number((bid - 0.05).toFixed(5));
    const levels = { action: TradeAction.SLTP, symbol: 'EURUSD', sl };
    expect(await send(levels)).toMatchObject({ status: 200, body: { position: ticket } });
    expect(await send({ ...levels, symbol: 'GBPUSD' })).toMatchObject({ status: 404 });
    expect(await send(closeBy(ticket, ticket))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'action' }] },
    });
  });
});

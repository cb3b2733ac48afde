import { OrderType, TradeAction } from '@libs/terminal-client';
import { TradingGateway, type Answer, type Json } from '../trade-journal/testing/trading-gateway';

const buy = { action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.3, type: OrderType.BUY } as const;

describe('POST /order_send/check', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  const check = (request: Json): Promise<Answer> => gateway.post('/order_send/check', request);
  const opened = async (request: Json): Promise<number> => {
    const answer = await gateway.post('/order_send', request);
    if (answer.status !== 200) throw new Error(answer.text);
    return Number(Object(answer.body.result).order);
  };
  const far = async (): Promise<number> => Number(((await gateway.quote()).ask - 0.05).toFixed(5));

  it('asks the terminal about each action, and sends nothing', async () => {
    const price = await far();
    const long = await opened(buy);
    const short = await opened({ ...buy, volume: 0.1, type: OrderType.SELL });
    const pending = { ...buy, action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price } as const;
    const order = await opened(pending);
    const lines = gateway.audit().length;
    const { body: account } = await gateway.get('/account');
    const close = { ...buy, type: OrderType.SELL, position: long };
    const valid = { status: 200, body: { ok: true, valid: true, retcode: 0, retcode_name: 'DONE', comment: 'Done' } };
    const asked: readonly Json[] = [
      buy,
      close,
      { ...close, volume: 0.1 },
      pending,
      { ...pending, type_time: 3, expiration: Date.UTC(2026, 0, 8) / 1_000 },
      { action: TradeAction.SLTP, position: long, symbol: 'EURUSD', sl: price },
      { action: TradeAction.MODIFY, order, price: price - 0.01 },
      { action: TradeAction.MODIFY, order, price, type_time: 2, expiration: Date.UTC(2026, 1, 1) / 1_000 },
      { action: TradeAction.REMOVE, order },
      { action: TradeAction.CLOSE_BY, position: long, position_by: short },
    ];
    const answers: Answer[] = [];
    for (const request of asked) answers.push(await check(request));
    expect(answers).toMatchObject(asked.map(() => valid));
    const [opening, closing] = answers.map(({ body }) => Number(body.margin));
    expect(opening).toBeGreaterThan(Number(account.margin));
    expect(closing).toBeLessThan(Number(account.margin));
    expect(gateway.audit()).toHaveLength(lines);
    expect(await gateway.rows('/get_positions')).toMatchObject([
      { ticket: long, volume: 0.3, sl: 0 },
      { ticket: short },
    ]);
    expect(await gateway.rows('/orders')).toMatchObject([{ ticket: order, price_open: price }]);
  });

  it('answers with the no of the terminal', async () => {
    expect(await check({ ...buy, volume: 90 })).toMatchObject({
      ...{ status: 200, body: { valid: false, retcode: 10_019, retcode_name: 'NO_MONEY' } },
    });
  });

  it('refuses what POST /order_send refuses before it asks the terminal, naming the field', async () => {
    const ticket = await opened(buy);
    const other = await opened({ ...buy, symbol: 'GBPUSD', type: OrderType.SELL });
    const close = { ...buy, type: OrderType.SELL, position: ticket };
    const refused = (field: string) => ({
      status: 400,
      body: { error_type: 'validation_error', details: [{ field }] },
    });
    const wrong: readonly (readonly [Json, string])[] = [
      [{ ...close, volume: 0.4 }, 'volume'],
      [{ ...close, type: OrderType.BUY }, 'type'],
      [{ ...close, symbol: 'GBPUSD' }, 'symbol'],
      [{ ...close, type_filling: 2 }, 'type_filling'],
      [{ action: TradeAction.SLTP, symbol: 'EURUSD', sl: 1 }, 'position'],
      [{ action: TradeAction.SLTP, position: ticket, symbol: 'GBPUSD', sl: 1 }, 'symbol'],
      [{ action: TradeAction.SLTP, position: ticket, sl: 9 }, 'sl'],
      [{ action: TradeAction.MODIFY, order: 5 }, 'price'],
      [{ action: TradeAction.CLOSE_BY, position: ticket, position_by: other }, 'position_by'],
      [{ action: TradeAction.REMOVE }, 'order'],
    ];
    for (const [request, field] of wrong) {
      expect([request, await check(request)]).toMatchObject([request, refused(field)]);
      expect([request, await gateway.post('/order_send', request)]).toMatchObject([request, refused(field)]);
    }
    for (const request of [
      { ...close, position: 5 },
      { action: TradeAction.SLTP, position: 5, sl: 1 },
      { action: TradeAction.MODIFY, order: 5, price: 1 },
      { action: TradeAction.REMOVE, order: 5 },
      { action: TradeAction.CLOSE_BY, position: 5, position_by: ticket },
    ]) {
      expect([request, await check(request)]).toMatchObject([
        request,
        { status: 404, body: { error_type: 'not_found' } },
      ]);
    }
    expect(await gateway.rows('/get_positions')).toHaveLength(2);
  });

  it('passes while trading is halted, as the check of an order does', async () => {
    const position = await opened(buy);
    await gateway.post('/kill');
    expect(await check({ ...buy, type: OrderType.SELL, position })).toMatchObject({
      status: 200,
      body: { valid: true },
    });
  });
});

describe('on an account that nets, POST /order_send/check', () => {
  it('finds the position by its symbol, and knows no close by', async () => {
    const gateway = await TradingGateway.start({ SIM_MARGIN_MODE: 'netting' });
    try {
      const levels = { action: TradeAction.SLTP, symbol: 'EURUSD', sl: 0.5 };
      expect(await gateway.post('/order_send/check', levels)).toMatchObject({ status: 404 });
      await gateway.post('/order_send', buy);
      expect(await gateway.post('/order_send/check', levels)).toMatchObject({ body: { valid: true } });
      const closeBy = { action: TradeAction.CLOSE_BY, position: 1, position_by: 2 };
      expect(await gateway.post('/order_send/check', closeBy)).toMatchObject({
        ...{ status: 400, body: { details: [{ field: 'action' }] } },
      });
    } finally {
      await gateway.stop();
    }
  });
});

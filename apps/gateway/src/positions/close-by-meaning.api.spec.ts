import { TradingGateway, eurusd, type Json } from '../trade-journal/testing/trading-gateway';

describe('closing a position by the row that was read', () => {
  let gateway: TradingGateway;
  afterEach(() => gateway.stop());

  const close = (position: unknown, beside: Json = {}) => gateway.post('/close_position', { position, ...beside });
  const openRow = async (): Promise<Json> => {
    const [row] = await gateway.rows('/get_positions');
    if (!row) throw new Error('no position is open');
    return row;
  };

  it('closes the open volume, even if the row shows less (netting)', async () => {
    gateway = await TradingGateway.start({ SIM_MARGIN_MODE: 'netting' });
    await gateway.buy({ volume: 0.05 });
    const row = await openRow();
    await gateway.buy({ volume: 0.05 });
    expect(await close(row)).toMatchObject({ status: 200, body: { state: 'closed', closed_volume: 0.1 } });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('closes the open volume, even if the row shows more (a part was closed meanwhile)', async () => {
    gateway = await TradingGateway.start();
    const ticket = await gateway.buy({ volume: 0.1 });
    const row = await openRow();
    await gateway.post('/position_close_partial', { ticket, volume: 0.04 });
    expect(await close(row)).toMatchObject({ status: 200, body: { state: 'closed', closed_volume: 0.06 } });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it.each(['row', 'ticket'])(
    'closes a part if volume is given with the %s, and reports the remainder',
    async (form) => {
      gateway = await TradingGateway.start();
      const ticket = await gateway.buy({ volume: 0.1 });
      const answer = await close(form === 'row' ? await openRow() : ticket, { volume: 0.03 });
      expect(answer).toMatchObject({
        status: 200,
        body: { state: 'partially_closed', closed_volume: 0.03, remaining_volume: 0.07 },
      });
      expect(answer.body.message).toContain('0.07 lots remain open');
    },
  );

  it('takes {ticket, volume} as a partial close', async () => {
    gateway = await TradingGateway.start();
    const ticket = await gateway.buy({ volume: 0.1 });
    expect(await close({ ticket, volume: 0.04 })).toMatchObject({ status: 200, body: { remaining_volume: 0.06 } });
  });

  it('rejects a volume that is given twice', async () => {
    gateway = await TradingGateway.start();
    const ticket = await gateway.buy({ volume: 0.1 });
    expect(await close({ ticket, volume: 0.04 }, { volume: 0.05 })).toMatchObject({ status: 400 });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ volume: 0.1 }]);
  });

  it('rejects a null volume, because JavaScript writes NaN as null', async () => {
    gateway = await TradingGateway.start();
    const ticket = await gateway.buy({ volume: 0.1 });
    const row = await openRow();
    for (const [position, beside, field] of [
      [{ ticket, volume: null }, {}, 'position.volume'],
      [{ ...row, volume: null }, {}, 'position.volume'],
      [ticket, { volume: null }, 'volume'],
    ] as const) {
      const answer = await close(position, beside);
      expect(answer).toMatchObject({ status: 400, body: { error_type: 'validation_error' } });
      expect(answer.body.error).toContain(`${field}:`);
    }
    expect(await gateway.post('/position_close_partial', { ticket, volume: null })).toMatchObject({ status: 400 });
    expect(await gateway.rows('/get_positions')).toMatchObject([{ volume: 0.1 }]);
  });
});

describe('closing all positions with a filter that is null', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    await gateway.buy({ magic: 1 });
  });
  afterEach(() => gateway.stop());

  it.each([
    [{ magic: null }, 'magic'],
    [{ symbol: null }, 'symbol'],
    [{ order_type: null }, 'order_type'],
    [{ symbol: '' }, 'symbol'],
    [{ magic: 1, symbol: null }, 'symbol'],
  ])('closes nothing for %j', async (body, field) => {
    expect(await gateway.post('/close_all_positions', body)).toMatchObject({
      status: 400,
      body: { error_type: 'validation_error', details: [{ field }] },
    });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('closes nothing for a null body', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await gateway.send('POST', '/close_all_positions', 'null', headers)).toMatchObject({ status: 400 });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it.each([
    ['buy', 0],
    ['SELL', 1],
    ['All', 0],
  ])('accepts order_type %s in any letter case', async (order_type, left) => {
    expect(await gateway.post('/close_all_positions', { order_type })).toMatchObject({ status: 200 });
    expect(await gateway.rows('/get_positions')).toHaveLength(left);
  });
});

describe('words in any letter case', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  afterEach(() => gateway.stop());

  it('name the type and the filling of an order', async () => {
    const { bid } = await gateway.quote();
    const price = Number((bid + 0.01).toFixed(5));
    expect(await gateway.post('/order', { ...eurusd, type: 'buy', type_filling: 'fok' })).toMatchObject({
      status: 200,
    });
    expect(await gateway.post('/order', { ...eurusd, type: 'Sell_Limit', price })).toMatchObject({
      status: 200,
      body: { state: 'placed' },
    });
    expect(await gateway.post('/order_check', { ...eurusd, type: 'sell', type_filling: 'Ioc' })).toMatchObject({
      status: 200,
      body: { valid: true },
    });
    expect(await gateway.post('/order_calc_margin', { ...eurusd, type: 'buy_stop' })).toMatchObject({ status: 200 });
    const prices = { price_open: 1.1, price_close: 1.2 };
    expect(await gateway.post('/order_calc_profit', { ...eurusd, type: 'sell', ...prices })).toMatchObject({
      status: 200,
    });
  });

  it('name the type of a partially closed position', async () => {
    const ticket = await gateway.buy();
    expect(await gateway.post('/position_close_partial', { ticket, volume: 0.05, type: 'buy' })).toMatchObject({
      status: 200,
    });
    expect(await gateway.post('/position_close_partial', { ticket, volume: 0.01, type: 'sell' })).toMatchObject({
      status: 400,
    });
  });

  it('are not accepted for symbols; the error for an unknown one shows the existing spelling', async () => {
    const answer = await gateway.post('/order', { ...eurusd, symbol: 'eurusd', type: 'BUY' });
    expect(answer).toMatchObject({ status: 404, body: { error_type: 'not_found' } });
    expect(answer.body.error).toContain('EURUSD');
  });
});

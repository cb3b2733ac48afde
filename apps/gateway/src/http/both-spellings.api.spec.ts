import { TradingGateway } from '../trade-journal/testing/trading-gateway';

/** Clients of the open-source gateway use other names for a few fields: both are accepted, both are returned. */
describe('clients of the open-source gateway', () => {
  let gateway: TradingGateway;
  beforeAll(async () => (gateway = await TradingGateway.start()));
  afterAll(() => gateway.stop());

  const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };

  it.each([
    ['/order_check', order, 'DEAL'],
    ['/order_check', { ...order, type: 'BUY_LIMIT', price: 0.9 }, 'pending'],
    ['/order_check', order, 1],
    ['/order_calc_margin', { ...order, price: 1.1 }, 'deal'],
    ['/order_calc_profit', { ...order, price_open: 1.1, price_close: 1.2 }, 5],
  ])('may send an action to %s, which `type` decides anyway', async (url, body, action) => {
    const [without, withAction] = [await gateway.post(url, body), await gateway.post(url, { ...body, action })];
    expect(withAction.status).toBe(200);
    expect(withAction.body).toEqual(without.body);
  });

  it('may send a null price to /order_calc_margin, which is the current quote', async () => {
    const [without, withNull] = [order, { ...order, price: null }].map((body) =>
      gateway.post('/order_calc_margin', body),
    );
    expect((await withNull)?.body).toEqual((await without)?.body);
    expect((await withNull)?.status).toBe(200);
  });

  it('reject an unknown action', async () => {
    const { status, body } = await gateway.post('/order_check', { ...order, action: 'REMOVE' });
    expect([status, body.details]).toEqual([400, [{ field: 'action', problem: expect.stringContaining('DEAL') }]]);
  });

  it('may not send an action to /order', async () => {
    expect((await gateway.post('/order', { ...order, action: 'DEAL' })).status).toBe(400);
  });

  it('find the last error under both names', async () => {
    const { body } = await gateway.get('/last_error');
    expect(body).toEqual({
      ok: true,
      code: body.error_code,
      message: body.error_message,
      error_code: expect.any(Number),
      error_message: expect.any(String),
    });
    const text = (await gateway.get('/last_error_str')).body;
    expect(text).toEqual({ ok: true, message: body.message, error_message: body.message });
  });

  it('find the prices, times and volume of a position under both names, and its comment', async () => {
    const position = await gateway.buy({ volume: 0.2, comment: 'first entry' });
    const open = (await gateway.get(`/get_deal_from_ticket?ticket=${position}`)).body;
    expect(open).toMatchObject({ close_price: null, close_time: null, volume: 0.2, comment: 'first entry' });
    await gateway.clock.advance(60_000);
    await gateway.post('/close_position', { position, comment: 'target hit' });
    const { body } = await gateway.get(`/get_deal_from_ticket?ticket=${position}`);
    expect(body).toMatchObject({
      open_price: body.price_open,
      close_price: body.price_close,
      open_time: body.time_open_utc,
      close_time: body.time_close_utc,
      volume: 0.2,
      volume_opened: 0.2,
      comment: 'target hit',
    });
    expect(body.close_time).toEqual(expect.stringMatching(/^2026-01-07T10:01/));
  });

  it('find the differences of /reconcile under both names', async () => {
    const { body } = await gateway.get('/reconcile');
    expect(body.discrepancies).toEqual(body.differences);
    expect(body.differences).toEqual([]);
  });

  const largest = Number.MAX_SAFE_INTEGER;
  it.each([
    `/reconcile?magic=${largest}`,
    `/history_deals_range?magic=${largest}`,
    `/events?magic=${largest}`,
    `/get_positions?magic=${largest}`,
    `/orders?magic=${largest}`,
  ])('may filter by a magic of any size: %s', async (url) => {
    expect((await gateway.get(url)).status).toBe(200);
  });

  it('may close positions with a magic of any size', async () => {
    expect((await gateway.post('/close_all_positions', { magic: largest })).status).toBe(200);
  });

  it('keep the largest magic exactly, from the order to its position, its deals and its close', async () => {
    const { body } = await gateway.post<{ position: number }>('/order', {
      ...{ symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: largest },
    });
    const rows = async (url: string) => (await gateway.get<{ data: { magic: number }[] }>(url)).body.data;
    const byMagic = ['/get_positions', '/history_deals_range'].map((url) => `${url}?magic=${largest}`);
    for (const url of [...byMagic, `/history_deals_get?position=${body.position}`])
      expect((await rows(url)).map(({ magic }) => magic)).toContain(largest);
    expect((await gateway.post('/close_all_positions', { magic: largest - 1 })).body.result).toMatchObject({
      closed: 0,
    });
    expect((await gateway.post('/close_all_positions', { magic: largest })).body.result).toMatchObject({ closed: 1 });
  });

  describe('may name a position by `position` or `ticket`', () => {
    const forms: readonly [string, (ticket: number) => object][] = [
      ['position', (ticket) => ({ position: ticket })],
      ['ticket', (ticket) => ({ ticket })],
      ['both alike', (ticket) => ({ position: { ticket }, ticket })],
    ];

    it.each(forms)('in each trade route: %s', async (_name, named) => {
      const position = await gateway.buy({ volume: 0.3 });
      const calls: readonly [string, object][] = [
        ['/modify_sl_tp', { sl: 0.9 }],
        ['/position_close_partial', { volume: 0.1 }],
        ['/close_position', { volume: 0.1 }],
        ['/close_position', {}],
      ];
      for (const [url, body] of calls) {
        const answer = await gateway.post(url, { ...named(position), ...body });
        expect([url, answer.status, answer.body.position]).toEqual([url, 200, position]);
      }
    });

    it.each(['/get_deal_from_ticket', '/history_deals_get', '/get_positions'])('in %s', async (url) => {
      const position = await gateway.buy();
      const of = async (query: string) => (await gateway.get(`${url}?${query}`)).body;
      const byTicket = await of(`ticket=${position}`);
      expect(byTicket).toMatchObject(url === '/get_deal_from_ticket' ? { ticket: position } : { total: 1 });
      expect(await of(`position=${position}`)).toEqual(byTicket);
      expect(await of(`position=${position}&ticket=${position}`)).toEqual(byTicket);
    });

    it.each([
      ['POST', '/modify_sl_tp', { sl: 0.9 }],
      ['POST', '/close_position', {}],
      ['POST', '/position_close_partial', { volume: 0.1 }],
      ['GET', '/get_deal_from_ticket', {}],
      ['GET', '/history_deals_get', {}],
      ['GET', '/get_positions', {}],
    ])('but not two of them: %s %s', async (method, url, body) => {
      const [one, two] = [await gateway.buy({ sl: 0.8 }), await gateway.buy({ sl: 0.8 })];
      const { status, body: refused } =
        method === 'GET'
          ? await gateway.get(`${url}?position=${one}&ticket=${two}`)
          : await gateway.post(url, { ...body, position: one, ticket: two });
      expect([status, refused.details]).toEqual([
        400,
        [{ field: 'ticket', problem: `is ${two}, but position names ${one}; give one of them` }],
      ]);
      const rows = (await gateway.get<{ data: { ticket: number; volume: number; sl: number }[] }>('/get_positions'))
        .body.data;
      for (const ticket of [one, two])
        expect(rows.find((row) => row.ticket === ticket)).toMatchObject({ volume: 0.1, sl: 0.8 });
    });

    it.each([
      ['/modify_sl_tp', { sl: 0.9 }],
      ['/close_position', {}],
      ['/position_close_partial', { volume: 0.1 }],
    ])('and at least one: %s', async (url, body) => {
      expect((await gateway.post(url, body)).status).toBe(400);
      expect((await gateway.post(url, { ...body, ticket: null })).status).toBe(400);
    });
  });
});

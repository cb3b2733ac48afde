import { accountFields, symbolFields, terminalFields } from '../../../../test/contract/record-fields';
import { TerminalAccess } from '../terminal/terminal-access';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

describe('account and symbols over HTTP', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => (gateway = await gatewayUnderTest({ env: { TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' } })));
  afterEach(() => gateway.simulator.faults.clear());
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  it('shows the account with all its fields, at the top level beside ok', async () => {
    const body: object = (await gateway.call('/account')).json();
    expect(Object.keys(body).sort()).toEqual([...accountFields, 'ok'].sort());
    expect(body).toMatchObject({ ok: true, login: 100001, currency: 'USD', balance: 10000, margin_mode: 2 });
  });

  it('lists symbols by name, all or those that match a mask', async () => {
    const all: { data: { name: string }[]; total: number } = (await gateway.call('/symbols')).json();
    const names = all.data.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(all.total).toBe(names.length);
    const masked: { data: { name: string }[] } = (await gateway.call('/symbols?search=*EUR*,!*USD*')).json();
    expect(masked.data.map(({ name }) => name)).toEqual(
      names.filter((name) => name.includes('EUR') && !name.includes('USD')),
    );
    expect(Object.keys(masked.data[0] ?? {})).toEqual([
      'name',
      'description',
      'path',
      'visible',
      'currency_base',
      'currency_profit',
      'digits',
      'trade_mode',
    ]);
  });

  it('lists full records in one call, all or those that match a mask, as /symbol_info has them', async () => {
    const names = (await gateway.call('/symbols')).json<{ data: { name: string }[] }>().data.map(({ name }) => name);
    const all = (await gateway.call('/symbols_get')).json<{ data: { name: string }[]; total: number }>();
    expect(all.data.map(({ name }) => name).sort()).toEqual(names);
    expect(all.total).toBe(names.length);
    const masked = (await gateway.call('/symbols_get?group=*USD*,!EUR*')).json<{ data: { name: string }[] }>().data;
    expect(masked.map(({ name }) => name).sort()).toEqual(
      names.filter((name) => name.includes('USD') && !name.startsWith('EUR')),
    );
    const record = masked.find(({ name }) => name === 'GBPUSD');
    expect(Object.keys(record ?? {}).sort()).toEqual([...symbolFields, 'time_utc'].sort());
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['symbolsGet'] });
    expect((await gateway.call('/symbols_get')).json()).toMatchObject({ error_type: 'terminal_unavailable' });
  });

  it('shows the terminal with all its fields', async () => {
    const body: object = (await gateway.call('/terminal_info')).json();
    expect(Object.keys(body).sort()).toEqual([...terminalFields, 'ok'].sort());
    expect(body).toMatchObject({ ok: true, connected: true, trade_allowed: true });
  });

  it("shows a symbol's record with all its fields, also under a name that has to be encoded", async () => {
    const body: object = (await gateway.call('/symbol_info/EURUSD%2Em')).json();
    expect(Object.keys(body).sort()).toEqual([...symbolFields, 'ok', 'time_utc'].sort());
    expect(body).toMatchObject({ name: 'EURUSD.m', digits: 5 });
  });

  it("shows a symbol's last quote, its server time and the same instant in UTC", async () => {
    const tick: { time: number; time_msc: number; time_utc: string; bid: number; ask: number } = (
      await gateway.call('/symbol_info_tick/EURUSD')
    ).json();
    expect(Math.floor(tick.time_msc / 1_000)).toBe(tick.time);
    expect(tick.ask).toBeGreaterThan(tick.bid);
    const offsetMs = tick.time_msc - Date.parse(tick.time_utc);
    expect([7_200_000, 10_800_000]).toContain(offsetMs);
  });

  it('selects a symbol again that a user has taken out of the Market Watch', async () => {
    const hide = () => gateway.app.get(TerminalAccess).read((terminal) => terminal.symbolSelect('GBPUSD', false));
    expect((await gateway.call('/symbol_info_tick/GBPUSD')).statusCode).toBe(200);
    expect(await hide()).toBe(true);
    expect((await gateway.call('/symbol_info_tick/GBPUSD')).statusCode).toBe(200);
    expect(await hide()).toBe(true);
    const payload = { symbol: 'GBPUSD', volume: 0.1, type: 'BUY' };
    expect((await gateway.call({ method: 'POST', url: '/order', payload })).json()).toMatchObject({
      ok: true,
      state: 'executed',
    });
  });

  it.each(['/symbol_info/NOPE', '/symbol_info_tick/NOPE', '/market_book/NOPE'])('answers 404 to %s', async (url) => {
    const response = await gateway.call(url);
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ ok: false, error_type: 'not_found' });
  });

  it.each([
    ['/account', 'accountInfo'],
    ['/symbols', 'symbolsGet'],
    ['/symbol_info/EURUSD', 'symbolInfo'],
    ['/symbol_info_tick/EURUSD', 'symbolInfoTick'],
    ['/market_book/EURUSD', 'marketBook'],
  ] as const)('answers 503 to %s if the terminal does not answer, never an empty list', async (url, method) => {
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: [method], code: -1 });
    const response = await gateway.call(url);
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({
      ok: false,
      error_type: 'terminal_unavailable',
      terminal_error: { code: -1 },
    });
  });

  it('records the duration of every terminal call by method', async () => {
    await gateway.call('/account');
    const page = (await gateway.call('/metrics')).body;
    expect(
      Number(/terminal_call_duration_seconds_count\{method="accountInfo"\} (\d+)/.exec(page)?.[1]),
    ).toBeGreaterThan(1);
    expect(page).toMatch(/^terminal_connected 1$/m);
  });
});

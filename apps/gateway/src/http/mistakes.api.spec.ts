import { Retcode } from '@libs/terminal-client';
import { TerminalSession } from '../terminal-session/terminal-session';
import { haltedText } from '../kill-switch/halted-error';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await gatewayUnderTest({ env: { SIM_HISTORY_DAYS: '2' } });
});
afterAll(async () => {
  await gateway.stop();
  removeFolder(gateway.folder);
});

/** Status and text of an answer. */
async function answerOf(url: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE' = 'GET', payload?: object) {
  const { statusCode, json } = await gateway.call({ url, method, ...(payload === undefined ? {} : { payload }) });
  const { error, message }: { error?: string; message?: string } = json();
  return `${statusCode} ${error ?? message ?? ''}`;
}

const order = { symbol: 'EURUSD', volume: 0.01, type: 'BUY' };

describe('a body that is not an object', () => {
  it.each(['/order', '/order_send', '/close_position', '/close_all_positions'])(
    'is named as such on %s',
    async (url) => {
      const texts = { '[]': 'an array', null: 'null', '"x"': 'a string', '5': 'a number', false: 'a boolean' };
      for (const [text, what] of Object.entries(texts)) {
        const headers = { 'content-type': 'application/json' };
        const { statusCode, json } = await gateway.call({ url, method: 'POST', headers, payload: text });
        expect([statusCode, json<{ error: string }>().error]).toEqual([
          400,
          `body: must be a JSON object, not ${what}`,
        ]);
      }
    },
  );
});

describe('a query parameter that a route does not have', () => {
  it.each([
    ['/fetch_data_pos?symbol=EURUSD&timeframes=H1', 'timeframes: unknown query parameter; did you mean timeframe?'],
    ['/get_positions?magic=', 'magic: is empty: give a value, or leave it out'],
    ['/reconcile?magic=', 'magic: is empty: give a value, or leave it out'],
    ['/get_positions?symbol=', 'symbol: is empty: give a value, or leave it out'],
    ['/stream/trades?magic=', 'magic: is empty: give a value, or leave it out'],
    ['/history_deals_get?position=', 'position: is empty: give a value, or leave it out'],
    ['/get_positions?symbol=%20', 'symbol: is empty: give a value, or leave it out'],
    ['/symbols?search=%20%09', 'search: is empty: give a value, or leave it out'],
    ['/server_time?date=', 'date: is empty: give a value, or leave it out'],
    ['/get_positions?magik=5', 'magik: unknown query parameter; did you mean magic?'],
    ['/get_positions?MAGIC=5', 'MAGIC: unknown query parameter; did you mean magic?'],
    ['/history_deals_get?from=2026-01-05', 'from: unknown query parameter; did you mean from_date?'],
    ['/orders?strategy=5', 'strategy: unknown query parameter; this route has symbol, ticket, magic'],
    ['/account?verbose=1', 'verbose: unknown query parameter; this route has none'],
    ['/health?magic=7', 'magic: unknown query parameter; this route has none'],
    ['/get_positions?magic=5&magic=6', 'magic: must be given once, not 2 times'],
    ['/symbols?search=EUR&search=EUR', 'search: must be given once, not 2 times'],
  ])('%s is refused', async (url, problem) => {
    expect(await answerOf(url)).toBe(`400 ${problem}`);
  });

  it('is refused on routes that trade, and nothing is sent', async () => {
    expect(await answerOf('/close_all_positions?magic=5', 'POST', {})).toBe(
      '400 magic: unknown query parameter; this route has none',
    );
    expect(await answerOf('/order?dry_run=1', 'POST', order)).toBe(
      '400 dry_run: unknown query parameter; this route has none',
    );
    expect((await gateway.call('/positions_total')).json()).toMatchObject({ total: 0 });
  });

  it('does not hide the answer of a request that was executed under its key', async () => {
    const request = { url: '/order', method: 'POST', headers: { 'idempotency-key': 'known' }, payload: order } as const;
    const first = await gateway.call(request);
    const again = await gateway.call({ ...request, url: '/order?retry=1' });
    expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 200, first.body]);
  });

  it.each([
    ['/get_positions', { magic: 5 }],
    ['/history_deals_get?position=1', { position: 2 }],
    ['/reconcile', { magic: 5 }],
    ['/trade_requests/no-such-key', { symbol: 'EURUSD' }],
  ])('nor a filter in the body of a GET: %s', async (url, payload) => {
    const { statusCode, json } = await gateway.call({ method: 'GET', url, payload });
    expect(`${statusCode} ${json<{ error: string }>().error}`).toMatch(/^400 body: a GET has none, .* query$/);
  });

  it.each(['/trade_requests/some-key/void', '/trade_requests/some-key/accept'])(
    'nor a field that is in the body of %s',
    async (url) => {
      for (const payload of [{ status: 'void' }, { client_order_id: 'other', magic: 5 }, [], [1], null]) {
        const { statusCode } = await gateway.call({
          ...{ method: 'PUT', url, headers: { 'content-type': 'application/json' } },
          payload: JSON.stringify(payload),
        });
        expect([payload, statusCode]).toEqual([payload, 400]);
      }
      expect((await gateway.call('/trade_requests/some-key')).statusCode).toBe(404);
    },
  );

  it('does not prevent a halt, which says that nothing was flattened', async () => {
    expect(await answerOf('/kill?flaten=true', 'POST')).toBe(
      '400 trading is halted; nothing was flattened: flaten unknown query parameter; did you mean flatten?',
    );
    expect(await answerOf('/kill/release?now=1', 'POST')).toMatch(/^400 now: unknown query parameter/);
    expect(await answerOf('/kill/release', 'POST')).toBe('200 trading resumes');
  });
});

/** Every GET that takes a symbol, with it and what else the route needs. */
async function readsOf(symbol: string): Promise<string[]> {
  interface Operation {
    readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  }
  const { paths } = (await gateway.app.inject('/apidocs/openapi.json')).json<{
    paths: Record<string, { get?: Operation }>;
  }>();
  const span = { start: '2026-01-05T10:00Z', end: '2026-01-05T11:00Z', from_date: '2026-01-05T10:00Z' };
  const values: Record<string, string> = { symbol, ...span, to_date: '2026-01-05T11:00Z', date: '2026-01-05T10:00Z' };
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = get?.parameters ?? [];
    if (!parameters.some(({ name }) => name === 'symbol')) return [];
    const query = parameters.filter(({ in: place, name }) => place === 'query' && name in values);
    const text = query.map(({ name }) => `${name}=${encodeURIComponent(values[name] ?? '')}`).join('&');
    return [`${path.replace('{symbol}', symbol)}${text === '' ? '' : `?${text}`}`];
  });
}

describe('a symbol or ticket that cannot be one', () => {
  it.each([
    ['/order', { symbol: '  ', volume: 0.1, type: 'BUY' }, 'symbol: must not be blank'],
    ['/order_calc_margin', { type: 'BUY', symbol: '', volume: 0.1, price: 1 }, 'symbol: must not be blank'],
    ['/close_all_positions', { symbol: '\t' }, 'symbol: must not be blank'],
    ['/close_position', { position: 9_007_199_254_740_992 }, 'position: must be an integer from 1 to 9007199254740991'],
    ['/order', { symbol: 'EURUSD', volume: 1, type: 'BUY_LIMIT', price: 'HUGE' }, 'price: is out of range'],
  ])('%s %j is refused for what it is', async (url, body, problem) => {
    const payload = JSON.stringify(body).replace('"HUGE"', '1e400');
    const headers = { 'content-type': 'application/json' };
    const { statusCode, json } = await gateway.call({ url, method: 'POST', headers, payload });
    expect(`${statusCode} ${json<{ error: string }>().error}`).toBe(`400 ${problem}`);
  });

  it('is shown with the spaces and control characters that it has', async () => {
    expect(await answerOf('/symbol_info/EURUSD%20')).toBe(
      '404 the broker has no symbol "EURUSD "; did you mean EURUSD?',
    );
    expect(await answerOf('/symbol_info/%00')).toBe('404 the broker has no symbol "\\u0000"');
  });
});

describe('a symbol that the broker does not have', () => {
  it('is refused by every read that takes one, and is not the same as one without positions or orders', async () => {
    const urls = await readsOf('eurusd');
    expect(urls.map((url) => url.split(/[?]|[/](?=eurusd)/)[0]).sort()).toEqual([
      ...['/copy_rates_from', '/copy_ticks_from', '/copy_ticks_range', '/fetch_data_pos', '/fetch_data_range'],
      ...['/get_positions', '/market_book', '/orders', '/symbol_info', '/symbol_info_tick'],
    ]);
    for (const url of urls) {
      expect([url, await answerOf(url)]).toEqual([url, '404 the broker has no symbol eurusd; did you mean EURUSD?']);
    }
    for (const url of ['/get_positions', '/orders']) {
      expect((await gateway.call(`${url}?symbol=USDJPY`)).json()).toMatchObject({ ok: true, data: [] });
      expect(await answerOf(`${url}?symbol=eurusd&ticket=5&magic=5`)).toMatch(/^404 the broker has no symbol eurusd/);
    }
  });

  it('is not called absent when the terminal could not be asked', async () => {
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['symbolSelect', 'symbolInfo'], code: -1 });
    for (const url of ['/get_positions', '/orders']) expect(await answerOf(`${url}?symbol=NZDUSD`)).toMatch(/^503 /);
    gateway.simulator.faults.clear();
  });
});

describe('a missing value, one of another type, and one out of range', () => {
  it.each([
    ['/fetch_data_pos', 'symbol: is missing'],
    ['/get_positions?magic=five', 'magic: must be an integer, not "five"'],
    ['/get_positions?magic=-5', 'magic: must be an integer from 0 to 9007199254740991, not "-5"'],
    [
      '/fetch_data_pos?symbol=EURUSD&timeframe=M7',
      'timeframe: must be one of M1, M2, M3, M4, M5, M6, M10, M12, M15, M20, M30, H1, H2, H3, H4, H6, H8, H12, D1, W1, MN1, not "M7"',
    ],
    ['/fetch_data_pos?symbol=EURUSD&num_bars=many', 'num_bars: must be an integer, not "many"'],
    [
      '/fetch_data_pos?symbol=EURUSD&num_bars=10001',
      'num_bars: must be an integer from 1 to 10000 (MAX_NUM_BARS), not "10001"',
    ],
  ])('%s: 400 %s', async (url, problem) => {
    expect(await answerOf(url)).toBe(`400 ${problem}`);
  });

  it.each([
    ['missing', undefined, 'is missing'],
    ['a string', '0.1', 'must be a number, not a string'],
    ['null', null, 'must be a number, not null'],
    ['negative', -1, 'must be a positive number'],
  ])('a volume that is %s', async (_case, volume, problem) => {
    expect(await answerOf('/order', 'POST', { ...order, volume })).toBe(`400 volume: ${problem}`);
  });
});

describe('a volume that is almost 0', () => {
  it('is refused with the volume that was asked for', async () => {
    expect(await answerOf('/order', 'POST', { ...order, volume: 1e-9 })).toMatch(
      /^400 volume: must be .* \(it is 0\.000000001\)$/,
    );
  });
});

describe('an order that cannot be taken', () => {
  const read = async (payload: object, key?: string) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const { statusCode, json } = await gateway.call({ method: 'POST', url: '/order', payload, headers });
    return { status: statusCode, body: json<Record<string, unknown>>() };
  };
  afterEach(() => {
    gateway.simulator.faults.clear();
    gateway.simulator.setSymbol('EURUSD', { trade_mode: 4 });
  });

  it.each([
    ['terminal', 'algo_trading_off', '"Algo Trading", or set TERMINAL_ENABLE_ALGO_TRADING'],
    ['server', 'programs_forbidden', 'forbids programs to trade'],
    ['account', 'account_read_only', 'investor password (check TERMINAL_PASSWORD)'],
    ['api', 'api_trading_off', '"Disable algorithmic trading via external Python API"'],
  ] as const)(
    'because trading is off by the %s says so, in answers, health and readiness',
    async (by, reason, text) => {
      gateway.simulator.faults.set({ kind: 'trading-off', by });
      const problem = expect.stringContaining(text);
      // The first order is rejected by the return code, or by what the terminal states; the second by what it states.
      for (let turn = 0; turn < 2; turn++) {
        expect(await read(order)).toMatchObject({
          status: 422,
          body: { error: problem, error_type: 'broker_rejected', details: { reason } },
        });
        await gateway.app.get(TerminalSession).confirm();
      }
      expect((await gateway.call('/health')).json()).toMatchObject({ status: 'degraded', connection: { problem } });
      expect((await gateway.call('/health/ready')).json()).toMatchObject({
        status: 'not_ready',
        checks: { terminal: { status: 'up' }, trading: { status: 'down', reason: problem } },
      });
      gateway.simulator.faults.clear();
      expect(await read(order)).toMatchObject({ status: 200 });
      expect((await gateway.call('/health')).json()).toMatchObject({
        status: 'healthy',
        connection: { problem: null },
      });
    },
  );

  it.each([
    [0, 'BUY', 'the broker has disabled trading of EURUSD'],
    [1, 'SELL', 'EURUSD is long-only at the broker: it can be bought, not sold'],
    [2, 'BUY', 'EURUSD is short-only at the broker: it can be sold, not bought'],
    [3, 'BUY', 'EURUSD is close-only at the broker: positions can be closed, not opened'],
  ])('because of the trade mode %d of its symbol says so', async (trade_mode, type, error) => {
    gateway.simulator.setSymbol('EURUSD', { trade_mode });
    expect(await read({ ...order, type })).toMatchObject({
      status: 422,
      body: { error, error_type: 'broker_rejected' },
    });
  });

  it('names the key under which to repeat it, as the journal treats the key', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.REQUOTE, times: 1 });
    const requote = { status: 422, body: { retry_with: 'new_key', details: { retryable: true } } };
    expect(await read(order, 'requoted')).toMatchObject(requote);
    expect(await read(order, 'requoted')).toMatchObject(requote);
    expect(await read(order, 'requoted-2')).toMatchObject({ status: 200 });

    gateway.simulator.setSymbol('EURUSD', { trade_mode: 0 });
    expect(await read(order, 'disabled')).toMatchObject({ status: 422, body: { retry_with: 'same_key' } });
    gateway.simulator.setSymbol('EURUSD', { trade_mode: 4 });
    expect(await read(order, 'disabled')).toMatchObject({ status: 200 });

    expect(await read({ ...order, volume: '1' }, 'typed')).toMatchObject({
      status: 400,
      body: { retry_with: 'new_key' },
    });
    expect(await read(order, 'typed')).toMatchObject({ status: 409, body: { retry_with: 'new_key' } });
    expect(await read({ ...order, volume: '1' })).not.toHaveProperty('body.retry_with');
  });
});

describe('a text that says what to do', () => {
  it.each([
    ['EURUSDT', 'the broker has no symbol EURUSDT; did you mean EURUSD?'],
    ['EUR/USD', 'the broker has no symbol EUR/USD; did you mean EURUSD?'],
    ['eurusd', 'the broker has no symbol eurusd; did you mean EURUSD?'],
    ['NOSUCH', 'the broker has no symbol NOSUCH'],
  ])('names the symbol that was probably meant by %s', async (symbol, error) => {
    expect(await answerOf('/order', 'POST', { ...order, symbol })).toBe(`404 ${error}`);
    expect(await answerOf(`/fetch_data_pos?symbol=${encodeURIComponent(symbol)}`)).toBe(`404 ${error}`);
  });

  it.each([
    ['another content type', 'POST', '/order', 'text/plain', '{}', 'application/json, not text/plain'],
    ['a body that is too large', 'POST', '/order', 'application/json', `"${'x'.repeat(70_000)}"`, 'at most 64 KiB'],
    ['broken JSON', 'POST', '/order', 'application/json', '{"symbol":}', 'not valid JSON at line 1, column 11'],
    ['another method', 'GET', '/order', 'application/json', undefined, 'GET is not allowed here; allowed: POST'],
  ] as const)('for %s', async (_case, method, url, type, payload, text) => {
    const { json } = await gateway.call({
      ...{ method, url, headers: { 'content-type': type } },
      ...(payload === undefined ? {} : { payload }),
    });
    expect(json()).toMatchObject({ error: expect.stringContaining(text) });
  });

  it('for a path that is not a file', async () => {
    const { json } = await gateway.call('/apidocs/%00');
    expect(json()).toMatchObject({ details: [{ field: 'path' }] });
  });

  it('names the release while trading is halted', async () => {
    await answerOf('/kill', 'POST');
    expect(await answerOf('/order', 'POST', order)).toBe(`423 ${haltedText}`);
    await answerOf('/kill/release', 'POST');
  });
});

describe('a gateway without API_KEY', () => {
  it('says that no token is valid', async () => {
    const keyless = await gatewayUnderTest({ env: { API_KEY: '', SIM_HISTORY_DAYS: '2' } });
    for (const url of ['/account', '/order'] as const) {
      const answer = await keyless.app.inject({ method: url === '/order' ? 'POST' : 'GET', url });
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
        401,
        'the gateway has no API_KEY, so no token is valid: set it, and restart the gateway',
      ]);
    }
    await keyless.stop();
    removeFolder(keyless.folder);
  });
});

describe('a time', () => {
  it('has the same forms in ranges and as an expiration', async () => {
    for (const time of ['2026-01-05T10:00:00%2B02:00', '2026-01-05', '1767607200']) {
      expect((await gateway.call(`/history_deals_get?from_date=${time}`)).statusCode).toBe(200);
    }
    for (const expiration of ['4070908800', 4070908800, '2099-01-01', '2099-01-01T00:00:00+00:00']) {
      const pending = { ...order, type: 'BUY_LIMIT', price: 1, expiration };
      expect(await answerOf('/order_check', 'POST', pending)).not.toMatch(/expiration: must be/);
    }
    const looksLike = 'this looks like epoch milliseconds: 4070908800 is in seconds';
    for (const query of ['/history_deals_get?from_date', '/server_time?date', '/account/equity?since'])
      expect(await answerOf(`${query}=4070908800000`)).toContain(looksLike);
    const inMs = { ...order, type: 'BUY_LIMIT', price: 1, expiration: 4070908800000 };
    expect(await answerOf('/order', 'POST', inMs)).toContain(looksLike);
    expect(await answerOf('/history_deals_get?from_date=20260105')).toMatch(/a date such as 2026-01-05, or epoch/);
  });
});

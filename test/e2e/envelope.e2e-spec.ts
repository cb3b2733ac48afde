import { GatewayProgram, type Call } from './programs/gateway-program';
import { Scratch } from './programs/scratch';

const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };

describe('what every answer has', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  beforeAll(async () => {
    gateway = await GatewayProgram.startReady(scratch);
  });
  afterAll(() => scratch.clear());

  const refusals: [string, string, Call, number, string][] = [
    ['an unknown route', '/nowhere', {}, 404, 'not_found'],
    ['a wrong method', '/order', { method: 'PATCH', body: order }, 405, 'method_not_allowed'],
    ['malformed JSON', '/order', { method: 'POST', body: '{"symbol":' }, 400, 'validation_error'],
    [
      'another content type',
      '/order',
      { method: 'POST', body: 'symbol=EURUSD', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_media_type',
    ],
    [
      'a body over 64 KiB',
      '/order',
      { method: 'POST', body: { ...order, comment: 'x'.repeat(65_536) } },
      413,
      'payload_too_large',
    ],
    ['an unknown body field', '/order', { method: 'POST', body: { ...order, stop: 1 } }, 400, 'validation_error'],
    [
      'a number sent as a text',
      '/order',
      { method: 'POST', body: { ...order, volume: '0.1' } },
      400,
      'validation_error',
    ],
    ['an unknown symbol', '/symbol_info_tick/NOSUCH', {}, 404, 'not_found'],
  ];

  it.each(refusals)('%s is refused in the error envelope', async (_, path, call, status, errorType) => {
    const answer = await gateway.call(path, call);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({ ok: false, error_type: errorType });
    expect(answer.body.error).toEqual(expect.any(String));
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
    expect(answer.text).not.toMatch(/node_modules|dist\/|\bat .*\.js/);
  });

  it('a wrong method gets the right ones', async () => {
    const { headers } = await gateway.call('/order', { method: 'GET' });
    expect(headers.get('allow')).toBe('POST');
  });

  it('a refused body names each field with its problem', async () => {
    const { body } = await gateway.call('/order', { method: 'POST', body: { symbol: 7, volume: -1, stop: 1 } });
    const fields = (body.details as { field: string; problem: string }[]).map(({ field }) => field);
    expect(new Set(fields)).toEqual(new Set(['symbol', 'volume', 'type', 'stop']));
  });

  it('a caller’s request id comes back if it is harmless, and a new one takes its place if it is not', async () => {
    const idFor = async (id: string): Promise<string | null> =>
      (await gateway.call('/account', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('bot-7.order_12')).toBe('bot-7.order_12');
    for (const unfit of ['x'.repeat(65), 'a b', 'a"b']) expect(await idFor(unfit)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a mutation’s log line carries its request id, and no line any secret', async () => {
    await gateway.call('/order', { method: 'POST', body: order, headers: { 'x-request-id': 'traced-1' } });
    const line = await gateway.logLine(/"traced-1".*"request"/);
    expect(JSON.parse(line)).toMatchObject({ request_id: 'traced-1', path: '/order', method: 'POST', status: 200 });
    expect(gateway.logs.join('\n')).not.toMatch(/e2e-key|"simulator"\s*}/);
  });
});

describe('calls from a browser', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());
  const preflight = { method: 'OPTIONS', key: null };
  const asking = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

  it('get no permission while CORS_ORIGINS is unset', async () => {
    const gateway = await GatewayProgram.start(scratch);
    const { headers } = await gateway.call('/account', { headers: { origin: 'https://desk.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('are let in from the listed origins only, preflights without a key', async () => {
    const gateway = await GatewayProgram.start(scratch, { CORS_ORIGINS: 'https://desk.example,https://ops.example' });
    const listed = { origin: 'https://ops.example', ...asking };
    const allowed = await gateway.call('/order', { ...preflight, headers: listed });
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://ops.example');
    const read = await gateway.call('/health/live', { headers: { origin: 'https://ops.example' } });
    const exposed = (read.headers.get('access-control-expose-headers') ?? '').toLowerCase();
    for (const name of ['x-request-id', 'idempotent-replayed', 'retry-after']) expect(exposed).toContain(name);
    const strange = await gateway.call('/order', {
      ...preflight,
      headers: { ...listed, origin: 'https://evil.example' },
    });
    expect(strange.headers.get('access-control-allow-origin')).toBeNull();
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { positionRowFields } from '@libs/records';
import { GatewayClient, GatewayReadError, machineEdge } from './index';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const refusal = (status: number, error_type: string, more: object = {}) =>
  json(status, { ok: false, error: 'no', error_type, ...more });

describe('GatewayClient', () => {
  let server: Server;
  let answers: Answer[];
  let seen: IncomingMessage[];
  let client: GatewayClient;

  beforeEach(async () => {
    answers = [];
    seen = [];
    server = createServer((request, response) => {
      seen.push(request);
      request.resume();
      request.on('end', () => (answers.shift() ?? json(500, {}))(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new GatewayClient({
      baseUrl: `http://127.0.0.1:${port}/`,
      apiKey: 'key',
      // No answer of these tests comes too late, however busy the machine is; the silent gateway has a deadline of its own.
      tradeTimeoutMs: 600_000,
      readTimeoutMs: 600_000,
      readBackoffMs: 1,
    });
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const order = () => client.order({ symbol: 'EURUSD', volume: 0.1, type: 'BUY' }, 'k1');

  it('sends the bearer key and the idempotency key', async () => {
    answers = [json(200, { ok: true, result: { order: 7 } })];
    await order();
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer key', 'idempotency-key': 'k1' });
  });

  it.each([
    ['of a read', () => client.reads.positions()],
    ['of an order', () => order()],
  ])('does not read an answer %s to its end if it is too long', async (_what, ask) => {
    const part = ' '.repeat(4 * 1024 * 1024);
    let isRead = false;
    const long: Answer = (_request, response) => {
      let sent = 0;
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && sent < 200 && response.write(part)) sent += 1;
        sent += 1;
        if (sent < 200) response.once('drain', more);
        else response.end('{}', () => (isRead = true));
      };
      more();
    };
    answers = Array.from({ length: 8 }, () => long);
    const given = await Promise.resolve(ask()).then(JSON.stringify, String);
    expect(given).toContain('the answer is larger than 67108864 bytes');
    expect(isRead).toBe(false);
  });

  it('states the expected account with each request', async () => {
    const logins = [null, 100001];
    const expectedLogin = () => logins.shift() ?? null;
    const { port } = server.address() as AddressInfo;
    const expecting = new GatewayClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', expectedLogin });
    answers = [json(200, { ok: true, data: [], total: 0 }), refusal(412, 'account_mismatch')];
    await expecting.reads.positions();
    expect(await expecting.closePosition({ position: { ticket: 1 } }, 'k1')).toMatchObject({
      kind: 'rejected',
      errorType: 'account_mismatch',
    });
    expect(seen.map(({ headers }) => headers['x-expect-login'])).toEqual([undefined, '100001']);
  });

  it('rejects a truncated list', async () => {
    answers = [json(200, { ok: true, data: [], total: 2 }), json(200, { ok: true, data: [], total: 2 })];
    answers.push(json(200, { ok: true, data: [], total: 2 }));
    await expect(client.reads.positions()).rejects.toMatchObject({ failure: 'malformed' });
  });

  it('keeps its connections', async () => {
    for (let read = 0; read < 10; read++) {
      answers = [json(200, { ok: true, data: [], total: 0 })];
      await client.reads.positions();
    }
    expect(new Set(seen.map(({ socket }) => socket)).size).toBeLessThan(5);
  });

  it('distinguishes a done request from a replay', async () => {
    answers = [
      json(200, { ok: true, result: { order: 7 } }),
      json(200, { ok: true, result: { order: 7 } }, { 'Idempotent-Replayed': 'true' }),
    ];
    expect(await order()).toMatchObject({ kind: 'done', replayed: false, body: { result: { order: 7 } } });
    expect(await order()).toMatchObject({ kind: 'done', replayed: true });
  });

  it('treats a 4xx as a definite rejection, with the terminal’s reason', async () => {
    const terminal_error = { retcode: 10019, retcode_name: 'NO_MONEY', comment: 'No money' };
    answers = [refusal(422, 'broker_rejected', { terminal_error, details: { retryable: false } })];
    expect(await order()).toMatchObject({
      kind: 'rejected',
      errorType: 'broker_rejected',
      retryable: false,
      terminalError: terminal_error,
    });
  });

  it('distinguishes a request blocked by the kill switch from a rejection', async () => {
    answers = [refusal(423, 'kill_switch_active')];
    expect(await order()).toMatchObject({ kind: 'blocked', errorType: 'kill_switch_active' });
  });

  it.each([
    ['409', refusal(409, 'idempotency_in_progress')],
    ['502', refusal(502, 'unknown_outcome')],
    ['503', refusal(503, 'terminal_unavailable')],
    ['a 200 that is not an envelope', json(200, 'fine')],
    ['a 404 from a proxy', json(404, '<html>')],
    ['a broken connection', (request: IncomingMessage) => void request.socket.destroy()],
  ])('treats %s as unknown, and does not send again', async (_name, answer) => {
    answers = [answer];
    expect(await order()).toMatchObject({ kind: 'unknown' });
    expect(seen).toHaveLength(1);
  });

  it('treats silence as unknown at its deadline, and does not send again', async () => {
    const deadlines: { readonly afterMs: number; readonly pass: () => void }[] = [];
    const setTimer = (afterMs: number, pass: () => void) => {
      deadlines.push({ afterMs, pass });
      return { cancel: () => undefined };
    };
    const { port } = server.address() as AddressInfo;
    const edge = { ...machineEdge, setTimer };
    const waiting = new GatewayClient({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: 'key',
      tradeTimeoutMs: 2_000,
      edge,
    });
    answers = [() => deadlines.at(-1)?.pass()];
    expect(await waiting.order({ symbol: 'EURUSD', volume: 0.1, type: 'BUY' }, 'k1')).toMatchObject({
      ...{ kind: 'unknown', reason: expect.stringContaining('no answer within 2000 ms') },
    });
    expect(deadlines.map(({ afterMs }) => afterMs)).toEqual([2_000]);
    expect(seen).toHaveLength(1);
  });

  describe('a request that is sent again after a send without an answer', () => {
    const again = () => client.resend({ method: 'POST', path: '/order', body: {} }, 'k/1');
    const report = (status: string, response_status: number | null = null, response: object | null = null) =>
      json(200, {
        ...{ ok: true, key: 'k/1', route: 'POST /order', status, created_at: '2026-01-05T10:00:00.000Z' },
        ...{ trace_id: null, response_status, response, complete: true },
      });
    const refusals = [
      refusal(401, 'authentication_error'),
      refusal(403, 'read_only_key'),
      refusal(404, 'not_found'),
      refusal(412, 'account_mismatch'),
      refusal(422, 'volume_limit_exceeded'),
      refusal(423, 'kill_switch_active'),
      refusal(429, 'too_many_requests'),
    ];

    it.each(refusals)('is unknown if it is refused and the key cannot be made void (%#)', async (refused) => {
      answers = [refused, refused];
      expect(await again()).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('an earlier send') });
    });

    it.each(refusals)('is refused if the key could be made void (%#)', async (refused) => {
      answers = [refused, report('void')];
      expect(['rejected', 'blocked']).toContain((await again()).kind);
      expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /order',
        'PUT /trade_requests/k%2F1/void',
      ]);
    });

    it.each(refusals)('is done if it is refused and the earlier send was executed (%#)', async (refused) => {
      answers = [refused, report('completed', 200, { ok: true, result: { order: 7 } })];
      expect(await again()).toMatchObject({ kind: 'done', replayed: true, body: { result: { order: 7 } } });
    });

    it.each(['in_progress', 'unknown', 'accepted'])('is unknown while its record is %s', async (status) => {
      answers = [refusal(412, 'account_mismatch'), report(status)];
      expect(await again()).toMatchObject({ kind: 'unknown' });
    });

    it.each([
      [422, 'broker_rejected'],
      [422, 'key_void'],
    ])('is refused by an answer of its key: %s %s', async (status, type) => {
      answers = [refusal(status, type)];
      expect(await again()).toMatchObject({ kind: 'rejected', errorType: type });
      expect(seen).toHaveLength(1);
    });
  });

  it('retries a failed read, and returns the answer of the successful attempt', async () => {
    answers = [refusal(503, 'terminal_unavailable'), json(200, { ok: true, data: [], total: 0 })];
    expect(await client.reads.positions()).toEqual([]);
    expect(seen).toHaveLength(2);
  });

  it('never treats a failed read as an empty account', async () => {
    answers = [json(200, { ok: true }), json(200, { ok: true }), json(200, { ok: true })];
    await expect(client.reads.positions()).rejects.toMatchObject({ failure: 'malformed' });
    answers = [refusal(401, 'authentication_error')];
    await expect(client.reads.positions()).rejects.toBeInstanceOf(GatewayReadError);
  });

  it('never treats a missing number as zero', async () => {
    const { volume, ...others } = positionRowFields;
    expect(volume.example).toBeGreaterThan(0);
    const row = Object.fromEntries(Object.entries(others).map(([name, { example }]) => [name, example]));
    answers = [1, 2, 3].map(() => json(200, { ok: true, data: [row], total: 1 }));
    await expect(client.reads.positions()).rejects.toThrow('position has no volume');
  });

  it('distinguishes an unknown key from an unreadable journal', async () => {
    answers = [refusal(404, 'not_found')];
    expect(await client.reads.tradeRequest('gone')).toBeNull();
    // As of an address with a wrong path: the journal was not asked.
    answers = [
      json(404, { ok: false, error: 'no route GET /x', error_type: 'not_found', details: { reason: 'no_route' } }),
    ];
    await expect(client.reads.tradeRequest('k1')).rejects.toMatchObject({ failure: 'refused', reason: 'no_route' });
    answers = [1, 2, 3].map(() => refusal(503, 'journal_unavailable'));
    await expect(client.reads.tradeRequest('k1')).rejects.toMatchObject({ errorType: 'journal_unavailable' });
  });

  it.each([
    ['halt', () => client.control.kill(), 'POST /kill'],
    ['halt and flatten', () => client.control.kill({ flatten: true }), 'POST /kill?flatten=true'],
    ['release', () => client.control.release(), 'POST /kill/release'],
  ])('sends the request to %s once, and does not treat an error as a rejection', async (_name, ask, request) => {
    answers = [refusal(503, 'terminal_unavailable')];
    expect(await ask()).toMatchObject({ kind: 'unknown', errorType: 'terminal_unavailable' });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([request]);
  });

  it('treats a partial flattening as done', async () => {
    answers = [json(207, { ok: true, kill_switch_active: true, flatten: { complete: false } })];
    const outcome = await client.control.kill({ flatten: true });
    expect(outcome).toMatchObject({ kind: 'done', status: 207, body: { flatten: { complete: false } } });
  });

  it('accepts "not ready" as an answer, but no other error', async () => {
    const fields = { status: 'not_ready', terminal_status: 'cooldown', kill_switch_active: false, checks: {} };
    answers = [refusal(503, 'not_ready', fields)];
    expect(await client.reads.healthReady()).toMatchObject({ status: 'not_ready', terminal_status: 'cooldown' });
    expect(seen).toHaveLength(1);
    answers = [1, 2, 3].map(() => refusal(503, 'terminal_unavailable'));
    await expect(client.reads.healthReady()).rejects.toMatchObject({ errorType: 'terminal_unavailable' });
  });

  it('retries an order check, because nothing is sent', async () => {
    answers = [refusal(503, 'terminal_unavailable'), json(200, { ok: true, margin: 12.5 })];
    expect(await client.reads.orderCalcMargin({ symbol: 'EURUSD', type: 'BUY', volume: 0.1 })).toBe(12.5);
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('rejects any other page as metrics', async () => {
    answers = [1, 2, 3].map(() => (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    });
    await expect(client.reads.metrics()).rejects.toMatchObject({ failure: 'malformed' });
  });

  it('knows that a port that fetch refuses got nothing', async () => {
    const elsewhere = new GatewayClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' });
    const reason = 'POST http://127.0.0.1:1/kill: fetch refuses this port; use another one';
    expect(await elsewhere.control.kill()).toMatchObject({ kind: 'unknown', reason, unsent: true });
  });

  it('names the call that failed, without the key', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const outcome = await order();
    const reason = expect.stringMatching(/^POST http:\/\/127\.0\.0\.1:\d+\/order: ECONNREFUSED$/);
    expect(outcome).toMatchObject({ kind: 'unknown', reason, unsent: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
});

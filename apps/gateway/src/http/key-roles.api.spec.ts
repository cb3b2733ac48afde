import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { LightMyRequestResponse as Response } from 'fastify';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';

const env = { API_KEY_NEXT: 'next-key', API_KEY_READONLY: 'reading-key' };
/** Requests with a body that only compute. */
const readsWithBody = [
  'POST /order_send/check',
  'POST /order_check',
  'POST /order_calc_margin',
  'POST /order_calc_profit',
];
const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7 };

interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly statuses: readonly string[];
}

describe('the keys of the gateway', () => {
  let gateway: GatewayUnderTest;
  let operations: readonly Operation[];

  beforeAll(async () => {
    gateway = await gatewayUnderTest({ env });
    operations = operationsOf((await gateway.app.inject('/apidocs/openapi.json')).json());
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const call = (key: string, method: Operation['method'], url: string, payload?: object): Promise<Response> =>
    gateway.call({ method, url, headers: { authorization: `Bearer ${key}` }, ...(payload ? { payload } : {}) });
  /** The lines of the audit log without the login, which may be written at any time after the start. */
  const audit = (): { readonly event: string; readonly api_key: string | null }[] =>
    readFileSync(join(gateway.folder, 'order-audit.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { event: string; api_key: string | null })
      .filter(({ event }) => event !== 'login');

  it('let the read-only key read on every route, and change nothing on any', async () => {
    const before = audit().length;
    expect(operations.length).toBeGreaterThan(40);
    for (const { name, method, url, statuses } of operations) {
      // The streams do not end; the test below opens them.
      if (url.startsWith('/stream/')) continue;
      // It has no key but a secret of its own.
      if (url.startsWith('/signals/')) continue;
      const { statusCode, body } = await call(env.API_KEY_READONLY, method, url, method === 'GET' ? undefined : {});
      const reads = method === 'GET' || readsWithBody.includes(name);
      expect([name, statusCode === 403, body.includes('read_only_key')]).toEqual([name, !reads, !reads]);
      expect([name, statuses.includes('403')]).toEqual([name, !reads]);
      expect(statusCode).not.toBe(401);
    }
    expect(audit()).toHaveLength(before);
    expect((await call(testKey, 'GET', '/health')).json()).toMatchObject({ kill_switch_active: false });
  });

  it('refuse the read-only key in the envelope, before the body is read', async () => {
    const headers = { authorization: `Bearer ${env.API_KEY_READONLY}`, 'content-type': 'text/plain' };
    for (const url of ['/order', '/kill', '/kill/', '/kill?flatten=true']) {
      const answer = await gateway.app.inject({ method: 'POST', url, headers, payload: 'x'.repeat(100_000) });
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ ok: false, error_type: 'read_only_key', error: 'this key is read-only' });
    }
    expect((await call(testKey, 'GET', '/health')).json()).toMatchObject({ kill_switch_active: false });
  });

  it('leave an idempotency key free that a read-only key tried to use', async () => {
    const body = { ...order, client_order_id: 'contested' };
    expect((await call(env.API_KEY_READONLY, 'POST', '/order', { ...body, volume: 3 })).statusCode).toBe(403);
    expect((await call(testKey, 'POST', '/order', body)).statusCode).toBe(200);
  });

  it('let the read-only key follow the streams and compute margins', async () => {
    await gateway.app.listen(0, '127.0.0.1');
    const base = await gateway.app.getUrl();
    for (const path of ['/stream/trades', '/stream/ticks?symbols=EURUSD']) {
      const stop = new AbortController();
      const headers = { authorization: `Bearer ${env.API_KEY_READONLY}` };
      const { status } = await fetch(`${base}${path}`, { headers, signal: stop.signal });
      stop.abort();
      expect(status).toBe(200);
    }
    const { type, symbol, volume } = order;
    const margin = await call(env.API_KEY_READONLY, 'POST', '/order_calc_margin', { type, symbol, volume, price: 1.1 });
    expect(margin.statusCode).toBe(200);
  });

  it('are both valid during a rotation, and the audit log names the role of each', async () => {
    const before = audit().length;
    expect((await call(testKey, 'POST', '/order', order)).statusCode).toBe(200);
    expect((await call(env.API_KEY_NEXT, 'POST', '/order', order)).statusCode).toBe(200);
    expect((await call(env.API_KEY_NEXT, 'POST', '/order', { ...order, volume: 1_000 })).statusCode).toBe(422);
    expect((await call(env.API_KEY_NEXT, 'PUT', '/trade_requests/gone/void')).statusCode).toBe(200);
    expect((await call(env.API_KEY_NEXT, 'POST', '/kill?flatten=true')).statusCode).toBe(200);
    expect((await call(testKey, 'POST', '/kill/release')).statusCode).toBe(200);
    const lines = audit().slice(before);
    expect([...new Set(lines.map(({ event, api_key: role }) => `${event} ${role}`))]).toEqual([
      'intent primary',
      'broker_response primary',
      'intent next',
      'broker_response next',
      'refused next',
      'voided next',
      'kill_engaged next',
      'kill_released primary',
    ]);
    const text = readFileSync(join(gateway.folder, 'order-audit.jsonl'), 'utf8');
    for (const key of [testKey, ...Object.values(env)]) expect(text).not.toContain(key);
  });

  it('are reported in health with what they permit', async () => {
    for (const [key, permits] of [
      [testKey, 'full'],
      [env.API_KEY_NEXT, 'full'],
      [env.API_KEY_READONLY, 'read_only'],
    ] as const) {
      expect((await call(key, 'GET', '/health')).json()).toMatchObject({ api_key: permits });
    }
  });
});

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { readonly responses: object }>).map(([lower, { responses }]) => {
      const method = lower.toUpperCase() as Operation['method'];
      const url = path.replaceAll(/\{[^}]+\}/g, '1');
      return { name: `${method} ${path}`, method, url, statuses: Object.keys(responses) };
    }),
  );
}

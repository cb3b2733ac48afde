import { asCommand } from './as-command';
import { fuzzKey, FuzzedGateway } from './fuzzed-gateway';
import { run, type Failure } from './run';
import { shrunk } from './shrink-failure';
import type { Plant } from './subject';

/** Defects of a gateway, each planted into its HTTP server. The fuzzer has to find all of them. */
const defects: Readonly<Record<string, { readonly rule: string; readonly plant: Plant }>> = {
  'a route that fails for one value': {
    rule: 'nothing fails',
    plant: (fastify) =>
      fastify.addHook('preHandler', async ({ url }) => {
        if (/^(?!\/stream).*[?&]\w+=\d{10,}(?:&|$)/.test(url)) throw new Error('planted');
      }),
  },
  'an error outside the envelope': {
    rule: 'every error is in the envelope',
    plant: (fastify) =>
      fastify.addHook('onSend', async ({ url }, reply, payload) =>
        reply.statusCode === 404 && url.startsWith('/orders') ? '{"error":"planted"}' : payload,
      ),
  },
  'an answer that is not documented': {
    rule: 'the documentation describes every answer',
    plant: (fastify) =>
      fastify.addHook('onSend', async ({ url }, reply, payload) =>
        reply.statusCode === 200 && url === '/positions_total' ? '{"ok":true,"total":null}' : payload,
      ),
  },
  'a route without its guard': {
    rule: 'a protected route requires the key',
    plant: (fastify) =>
      fastify.addHook('onRequest', async ({ url, headers }) => {
        if (url.startsWith('/last_error')) headers.authorization = `Bearer ${fuzzKey}`;
      }),
  },
  'an executed order that is reported as rejected': {
    rule: 'a rejected request changes nothing',
    plant: (fastify) =>
      fastify.addHook('onSend', async ({ url, method, id }, reply, payload) => {
        if (url !== '/order' || method !== 'POST' || reply.statusCode !== 200) return payload;
        void reply.status(422);
        return JSON.stringify({ ok: false, error: 'planted', error_type: 'broker_rejected', request_id: id });
      }),
  },
  'a repeated request that is executed again': {
    rule: 'a key has one order',
    plant: (fastify) => {
      let requests = 0;
      fastify.addHook('onRequest', async ({ url, raw: { rawHeaders } }) => {
        const at = rawHeaders.findIndex((name) => name.toLowerCase() === 'idempotency-key');
        if (url === '/order' && at >= 0) rawHeaders[at + 1] = `planted-${++requests}`;
      });
    },
  },
  'a stream whose events are not JSON': {
    rule: 'every event of a stream is whole',
    plant: (fastify) =>
      fastify.addHook('onRequest', async ({ url }, { raw }) => {
        if (!url.startsWith('/stream/trades')) return;
        const write = raw.write.bind(raw) as (text: unknown) => boolean;
        raw.write = (text: unknown) => write(String(text).replace('data: {', 'data: '));
      }),
  },
  'a request without an answer': {
    rule: 'every request is answered',
    plant: (fastify) =>
      fastify.addHook('preHandler', async ({ url }) => {
        if (url.startsWith('/history_deals_get')) await new Promise(() => undefined);
      }),
  },
};

/** A seed of more requests than any of the defects needs. */
const seed = 1;
const requests = 2_500;

describe('the fuzzer finds', () => {
  it.each(Object.entries(defects))('%s', async (_name, { rule, plant }) => {
    const start = (from: number): Promise<FuzzedGateway> => FuzzedGateway.start(from, plant);
    const { failure } = await run(start, seed, requests);
    expect(failure?.faults.map((fault) => fault.rule)).toContain(rule);
  });

  it('the same again when it is run again, and shrinks it to a command', async () => {
    const { plant } = defects['a route that fails for one value'] ?? {};
    const start = (from: number): Promise<FuzzedGateway> => FuzzedGateway.start(from, plant);
    const found = await Promise.all([run(start, seed, requests), run(start, seed, requests)]);
    const [first, second] = found.map(({ failure }) => failure);
    if (!first) throw new Error('nothing was found');
    expect(second?.sent.map(withoutNumber)).toEqual(first.sent.map(withoutNumber));
    const small: Failure = await shrunk(start, first);
    expect(small.sent).toHaveLength(1);
    if (!small.request) throw new Error('the failure has no request');
    expect(small.request.url).toMatch(/^\/[\w/]+\?\w+=\d{10,}$/);
    expect(asCommand(small.request)).toMatch(/^(curl|echo \S+ \| base64 -d \| nc) /);
  });
});

function withoutNumber(request: Failure['sent'][number]): object {
  return { ...request, body: request.body?.toString('base64') };
}

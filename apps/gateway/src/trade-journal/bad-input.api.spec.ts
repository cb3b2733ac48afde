import { TradingGateway, type Answer, type Json } from './testing/trading-gateway';

type Method = 'POST' | 'PUT' | 'DELETE';
/** What to do to the body: a value for the field, or `missing`. */
type Bad = readonly [name: string, value: unknown, status?: number, errorType?: string];
interface Route {
  readonly method: Method;
  readonly path: (tickets: Tickets) => string;
  readonly body: (tickets: Tickets) => Json;
  readonly fields: Readonly<Record<string, readonly Bad[]>>;
}
interface Tickets {
  readonly position: number;
  readonly order: number;
}

const missing = Symbol('missing');
const wrongTypes: readonly Bad[] = [
  ['a text', 'abc'],
  ['a boolean', true],
  ['a list', [1]],
  ['an object', {}],
];
const noNumber: readonly Bad[] = [
  ...wrongTypes,
  ['a numeric text', '0.1'],
  ['NaN as text', 'NaN'],
  ['Infinity', 'Infinity'],
];
const noPositive: readonly Bad[] = [...noNumber, ['negative', -1], ['zero', 0]];
const noText: readonly Bad[] = [
  ['a number', 5],
  ['a boolean', true],
  ['a list', ['x']],
  ['an object', {}],
];
const noFlag: readonly Bad[] = [
  ['a text', 'true'],
  ['a number', 1],
  ['an object', {}],
];
const clientOrderId: readonly Bad[] = [...noText, ['empty', ''], ['too long', 'x'.repeat(129)], ['not ASCII', 'ä']];
const deviation: readonly Bad[] = [
  ...noNumber,
  ['negative', -1],
  ['a fraction', 1.5],
  ['huge', 1_000_000, 422, 'order_deviation_exceeded'],
];
const comment: readonly Bad[] = [...noText, ['too long', 'x'.repeat(32)]];
const expiration: readonly Bad[] = [
  ['no date', 'soon'],
  ['an invalid date', '2026-02-30T00:00:00Z'],
  ['negative', -5],
  ['zero', 0],
  ['a fraction', 1.5],
  ['huge', 1e15],
  ['past', '2020-01-01T00:00:00Z'],
  ['a boolean', true],
];
const magic: readonly Bad[] = [...noNumber, ['negative', -1], ['a fraction', 0.5], ['huge', 2 ** 53]];
const symbol: readonly Bad[] = [...noText, ['missing', missing], ['empty', ''], ['too long', 'x'.repeat(65)]];
const position: readonly Bad[] = [
  ['missing', missing],
  ['null', null],
  ['a text', '1'],
  ['a boolean', true],
  ['a list', [1]],
  ['zero', 0],
  ['negative', -1],
  ['a fraction', 1.5],
  ['huge', 1e300],
  ['inexact', 2 ** 53],
  ['inexact in an object', { ticket: 2 ** 53 }],
  ['without ticket', {}],
  ['ticket as text', { ticket: '1' }],
];
const levels = {
  sl: [...noPositive, ['wrong side', 1.6]],
  tp: [...noPositive, ['wrong side', 0.6]],
  clear_sl: [...noFlag, ['nothing asked', false]],
  clear_tp: noFlag,
  client_order_id: clientOrderId,
} as const;

const routes: Readonly<Record<string, Route>> = {
  'POST /order': {
    method: 'POST',
    path: () => '/order',
    body: () => ({ symbol: 'EURUSD', volume: 0.1, type: 'BUY' }),
    fields: {
      symbol,
      volume: [
        ...noPositive,
        ['missing', missing],
        ['off the grid', 0.015],
        ['below the least', 0.001],
        ['huge', 1e12, 422, 'volume_limit_exceeded'],
      ],
      type: [...noText, ['missing', missing], ['unknown', 'HOLD'], ['padded', ' BUY'], ['a number', 0]],
      price: [...noPositive, ['huge', 1e12, 422, 'price_deviation_exceeded']],
      stoplimit: [...noPositive, ['for a market order', 1.1]],
      sl: [...noNumber, ['negative', -1], ['wrong side', 1.6], ['huge', 1e12]],
      tp: [...noNumber, ['negative', -1], ['wrong side', 0.6]],
      deviation,
      magic,
      comment,
      type_filling: [
        ['unknown', 'ALL'],
        ['a number out of range', 3],
        ['negative', -1],
        ['a boolean', true],
      ],
      expiration: [...expiration, ['for a market order', '2026-12-31T00:00:00Z']],
      client_order_id: clientOrderId,
    },
  },
  'POST /order, a pending one': {
    method: 'POST',
    path: () => '/order',
    body: () => ({ symbol: 'EURUSD', volume: 0.1, type: 'BUY_STOP_LIMIT', price: 1.2, stoplimit: 1.19 }),
    fields: {
      price: [
        ...noPositive,
        ['missing', missing],
        ['wrong side', 0.95],
        ['huge', 1e12, 422, 'price_deviation_exceeded'],
      ],
      stoplimit: [...noPositive, ['missing', missing], ['wrong side', 1.21]],
      sl: [['wrong side', 1.195]],
      tp: [['wrong side', 1.18]],
      expiration,
    },
  },
  'PUT /orders/{ticket}': {
    method: 'PUT',
    path: ({ order }) => `/orders/${order}`,
    body: () => ({ price: 0.95 }),
    fields: {
      price: [
        ...noPositive,
        ['missing', missing],
        ['wrong side', 1.1],
        ['huge', 1e12, 422, 'price_deviation_exceeded'],
      ],
      stoplimit: [...noPositive, ['for a limit order', 1.1]],
      sl: [...noPositive, ['wrong side', 0.96]],
      tp: [...noPositive, ['wrong side', 0.94]],
      clear_sl: noFlag,
      clear_tp: noFlag,
      clear_expiration: noFlag,
      expiration,
      client_order_id: clientOrderId,
    },
  },
  'DELETE /orders/{ticket}': {
    method: 'DELETE',
    path: ({ order }) => `/orders/${order}`,
    body: () => ({}),
    fields: { client_order_id: clientOrderId },
  },
  'POST /modify_sl_tp': {
    method: 'POST',
    path: () => '/modify_sl_tp',
    body: ({ position: ticket }) => ({ position: ticket, sl: 0.9 }),
    fields: { position, ...levels, sl: [...levels.sl, ['missing', missing]], clear_sl: noFlag },
  },
  'POST /close_position': {
    method: 'POST',
    path: () => '/close_position',
    body: ({ position: ticket }) => ({ position: { ticket } }),
    fields: { position, deviation, comment, client_order_id: clientOrderId },
  },
  'POST /position_close_partial': {
    method: 'POST',
    path: () => '/position_close_partial',
    body: ({ position: ticket }) => ({ ticket, volume: 0.05 }),
    fields: {
      ticket: [...noPositive, ['a fraction', 1.5], ['inexact', 2 ** 53]],
      position: position.filter(([what]) => what !== 'missing'),
      volume: [
        ...noPositive,
        ['missing', missing],
        ['off the grid', 0.055],
        ['the whole volume', 0.1],
        ['more than the volume', 0.2],
        ['huge', 1e12],
      ],
      symbol: [...noText, ['of another position', 'GBPUSD']],
      type: [...noText, ['of another position', 'SELL'], ['unknown', 'LONG']],
      deviation,
      comment,
      client_order_id: clientOrderId,
    },
  },
  'POST /close_all_positions': {
    method: 'POST',
    path: () => '/close_all_positions',
    body: () => ({}),
    fields: {
      order_type: [...noText, ['unknown', 'LONG']],
      // A filter, unlike the magic of an order: it may be a number that another program set.
      magic: [...noNumber, ['negative', -1], ['a fraction', 0.5], ['huge', 2 ** 53]],
      symbol: noText,
      client_order_id: clientOrderId,
    },
  },
};

const cases = Object.entries(routes).flatMap(([name, route]) => [
  ...Object.entries(route.fields).flatMap(([field, bads]) =>
    bads.map(([what, value, status = 400, errorType = 'validation_error']) => ({
      ...{ title: `${name}: ${field} ${what}`, route, field, value, status, errorType },
    })),
  ),
  ...['surprise', 'volumes', '__proto'].map((field) => ({
    ...{ title: `${name}: unknown field ${field}`, route, field, value: 1, status: 400, errorType: 'validation_error' },
  })),
]);

describe('bad input on a trade route', () => {
  let gateway: TradingGateway;
  let tickets: Tickets;
  let intents: number;
  let number = 0;

  beforeAll(async () => {
    gateway = await TradingGateway.start({ SIM_SEED: '3' });
    const { bid } = await gateway.quote();
    const placed = await gateway.post<{ result: { order: number } }>('/order', {
      ...{ symbol: 'EURUSD', volume: 0.1, type: 'BUY_LIMIT', price: bid * 0.95 },
    });
    tickets = { position: await gateway.buy(), order: placed.body.result.order };
    intents = gateway.audit().filter(({ event }) => event === 'intent').length;
  });
  afterAll(() => gateway.stop());

  async function expectRefused(answer: Answer, key: string, status: number, errorType: string): Promise<void> {
    expect(answer).toMatchObject({ status, body: { ok: false, error_type: errorType } });
    expect(await gateway.statusOf(key)).toBeNull();
    expect(gateway.audit().filter(({ event }) => event === 'intent')).toHaveLength(intents);
  }

  it.each(cases)('$title', async ({ route, field, value, status, errorType }) => {
    const key = `bad-${++number}`;
    const { [field]: _replaced, ...rest } = route.body(tickets);
    const body = value === missing ? rest : { ...rest, [field]: value };
    const answer = await gateway.send(route.method, route.path(tickets), body, {
      ...(field === 'client_order_id' ? {} : { 'idempotency-key': key }),
    });
    await expectRefused(answer, key, status, errorType);
    const named = JSON.stringify(answer.body.details);
    expect(named).toContain(`"field":"${field}`);
  });

  describe.each(Object.entries(routes))('%s', (_name, route) => {
    const sent = (payload: string, type: string, key: string): Promise<Answer> =>
      gateway.send(route.method, route.path(tickets), payload, { 'content-type': type, 'idempotency-key': key });

    it.each([
      ['malformed JSON', '{"symbol":', 400, 'validation_error'],
      ['a NaN in JSON', '{"volume": NaN}', 400, 'validation_error'],
      ['a list instead of an object', '[]', 400, 'validation_error'],
      ['a text instead of an object', '"x"', 400, 'validation_error'],
      ['a poisoned prototype', '{"__proto__": {"volume": 1}}', 400, 'validation_error'],
      ['a body that is too long', JSON.stringify({ comment: 'x'.repeat(70_000) }), 413, 'payload_too_large'],
    ])('%s', async (what, payload, status, errorType) => {
      // A key of its own: shapes share routes, and a refused key stays bound to its route.
      const key = `shape ${what} ${++number}`;
      await expectRefused(await sent(payload, 'application/json', key), key, status, errorType);
    });

    it.each(['gzip', 'br', 'identity, deflate', 'x'])('encoded as %s', async (coding) => {
      const key = `encoded ${coding} ${++number}`;
      const headers = { 'content-type': 'application/json', 'content-encoding': coding, 'idempotency-key': key };
      const answer = await gateway.send(
        route.method,
        route.path(tickets),
        JSON.stringify(route.body(tickets)),
        headers,
      );
      await expectRefused(answer, key, 415, 'unsupported_media_type');
      expect(answer.body.error).toContain(`Content-Encoding ${coding}`);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])('sent as %s', async (type) => {
      await expectRefused(await sent('symbol=EURUSD', type, `as ${type}`), `as ${type}`, 415, 'unsupported_media_type');
    });
  });

  it.each(['abc', '0', '-1', '1.5', '99999999999999999999'])('a path without a valid ticket: %s', async (ticket) => {
    for (const method of ['PUT', 'DELETE'] as const) {
      const answer = await gateway.send(method, `/orders/${ticket}`, method === 'PUT' ? { price: 0.95 } : undefined, {
        'idempotency-key': `path ${method} ${ticket}`,
      });
      await expectRefused(answer, `path ${method} ${ticket}`, 400, 'validation_error');
      expect(JSON.stringify(answer.body.details)).toContain('"field":"ticket"');
    }
  });

  it('answers 404 for an unknown ticket', async () => {
    const none = 123_456_789_012;
    const answers = [
      await gateway.send('PUT', `/orders/${none}`, { price: 0.95 }),
      await gateway.send('DELETE', `/orders/${none}`),
      await gateway.post('/modify_sl_tp', { position: none, sl: 0.9 }),
      await gateway.post('/close_position', { position: none }),
      await gateway.post('/position_close_partial', { ticket: none, volume: 0.01 }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error_type: 'not_found' } });
  });
});

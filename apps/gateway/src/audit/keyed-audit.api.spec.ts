import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eurusd, TradingGateway, type Answer } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

describe('the audit lines of a key', () => {
  let gateway: TradingGateway;
  let log: string;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    log = join(gateway.folder, 'order-audit.jsonl');
  });
  afterEach(() => gateway.waitFor(gateway.stop()));
  const linesOf = (key: string): Promise<Answer> =>
    gateway.send('GET', `/trade_requests/${encodeURIComponent(key)}/audit`);
  const eventsOf = async (key: string): Promise<unknown[]> => {
    const { body } = await linesOf(key);
    return (body as { readonly lines: readonly { readonly event: string }[] }).lines.map(({ event }) => event);
  };

  it('are those of this key only, oldest first', async () => {
    await gateway.post('/order', order, 'a "quoted" key');
    await gateway.post('/order', order, 'a');
    await gateway.post('/order', { ...order, volume: 1_000 }, 'refused');
    expect(await linesOf('a "quoted" key')).toMatchObject({
      status: 200,
      body: {
        ...{ ok: true, key: 'a "quoted" key', complete: true },
        lines: [
          { event: 'intent', client_order_id: 'a "quoted" key', symbol: 'EURUSD' },
          { event: 'broker_response', client_order_id: 'a "quoted" key' },
        ],
      },
    });
    expect(await eventsOf('a')).toEqual(['intent', 'broker_response']);
    expect(await eventsOf('refused')).toEqual(['refused']);
    expect(await linesOf('never used')).toMatchObject({ status: 200, body: { lines: [], complete: true } });
  });

  it('continue over a rotation, and are not complete once its file is gone', async () => {
    await gateway.post('/order', order, 'before');
    renameSync(log, `${log}.1`);
    await gateway.post('/order', order, 'after');
    expect(await eventsOf('before')).toEqual(['intent', 'broker_response']);
    expect(await linesOf('after')).toMatchObject({ body: { complete: true } });
    rmSync(`${log}.1`);
    expect(await linesOf('before')).toMatchObject({ status: 200, body: { lines: [], complete: false } });
  });

  it.each([
    ['compressed', '.1.gz'],
    ['deleted', null],
  ])('are not complete in a new log, after the one with them was %s', async (_case, ending) => {
    await gateway.post('/order', order, 'k');
    rmSync(log);
    if (ending !== null) writeFileSync(`${log}${ending}`, 'packed');
    expect(await linesOf('k')).toMatchObject({ status: 200, body: { lines: [], complete: false } });
  });

  it('skip a line that a crash cut short', async () => {
    await gateway.post('/order', order, 'torn');
    writeFileSync(log, '\n{"timestamp":"2026-01-05T00:00:00.000Z","client_order_id":"torn', { flag: 'a' });
    expect(await eventsOf('torn')).toEqual(['intent', 'broker_response']);
  });

  it('are an error if the log cannot be read, and a key of another form is one', async () => {
    rmSync(log);
    mkdirSync(log);
    const refused = await linesOf('k');
    rmSync(log, { recursive: true });
    expect(refused).toMatchObject({ status: 503, body: { error_type: 'journal_unavailable' } });
    const longest = encodeURIComponent('%'.repeat(5_000));
    for (const [method, end] of [
      ['GET', ''],
      ['PUT', '/accept'],
    ] as const)
      expect(await gateway.send(method, `/trade_requests/${longest}${end}`)).toMatchObject({ status: 404 });
    for (const key of ['ключ', '%'.repeat(600)])
      expect(await linesOf(key)).toMatchObject({ status: 400, body: { error_type: 'validation_error' } });
  });
});

describe('the list of trade requests', () => {
  let gateway: TradingGateway;
  let log: string;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    log = join(gateway.folder, 'order-audit.jsonl');
  });
  afterEach(() => gateway.waitFor(gateway.stop()));
  const list = (query = ''): Promise<Answer> => gateway.send('GET', `/trade_requests${query}`);
  const outcomesOf = async (query = ''): Promise<unknown[]> => {
    const { body } = await list(query);
    return (body as { readonly data: readonly { key: unknown; outcome: unknown }[] }).data.map(
      ({ key, outcome }) => `${String(key)}: ${String(outcome)}`,
    );
  };

  it('has one row for each key and each request without one, newest first, with what came of it', async () => {
    await gateway.post('/order', { ...order, magic: 7 }, 'bot-1');
    await gateway.post('/order', { ...order, magic: 7 }, 'bot-1');
    await gateway.post('/order', { ...order, volume: 1_000 }, 'too-large');
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10018, times: 1 });
    await gateway.post('/order', order, 'closed-market');
    await gateway.post('/order', order);
    await gateway.send('PUT', '/trade_requests/never/void');
    expect(await outcomesOf()).toEqual([
      'never: void',
      'null: done',
      'closed-market: rejected',
      'too-large: refused',
      'bot-1: done',
    ]);
    expect(await list('?key=bot-')).toMatchObject({
      status: 200,
      body: {
        ...{ ok: true, total: 1, complete: true },
        data: [
          {
            ...{ key: 'bot-1', route: 'POST /order', outcome: 'done', sends: 1, error_type: null, magic: 7 },
            ...{ symbol: 'EURUSD', side: 'buy', volume_requested: 0.1, volume_filled: 0.1, retcode_name: 'DONE' },
          },
        ],
      },
    });
    expect(await list('?key=too-large')).toMatchObject({
      body: { data: [{ error_type: 'volume_limit_exceeded', setting: 'MAX_ORDER_VOLUME', sends: 0 }] },
    });
  });

  it('finds a part of a key that JSON writes with a backslash, and takes no line without a time', async () => {
    await gateway.post('/order', order, 'a "quoted" key');
    const [line = ''] = readFileSync(log, 'utf8').trim().split('\n').slice(-1);
    writeFileSync(log, `${line.replace(/"timestamp":"[^"]*"/, '"timestamp":null').replaceAll('quoted', 'other')}\n`, {
      flag: 'a',
    });
    const part = encodeURIComponent('"quoted"');
    expect(await list(`?key=${part}`)).toMatchObject({ status: 200, body: { data: [{ key: 'a "quoted" key' }] } });
    expect(await list('?key=other')).toMatchObject({ status: 200, body: { total: 0 } });
  });

  it('has one row for a request of several sends, with what they share', async () => {
    for (const type of ['BUY', 'SELL']) await gateway.post('/order', { ...order, type });
    await gateway.post('/close_all_positions', {}, 'all');
    expect(await list('?key=all')).toMatchObject({
      body: { data: [{ outcome: 'done', sends: 2, symbol: 'EURUSD', side: null, route: 'POST /close_all_positions' }] },
    });
  });

  it('states an outcome that is unknown, and what the look-up found', async () => {
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    await gateway.waitFor(gateway.post('/order', order, 'lost'));
    expect(await outcomesOf()).toEqual(['lost: unknown']);
    await gateway.until(async () => (await outcomesOf()).join() === 'lost: done', 1_000);
  });

  it('is cut to a number of rows, and says so; a row is whole', async () => {
    for (const key of ['a', 'b', 'c']) await gateway.post('/order', order, key);
    expect(await list('?limit=2')).toMatchObject({
      body: {
        total: 2,
        complete: false,
        data: [
          { key: 'c', sends: 1 },
          { key: 'b', sends: 1 },
        ],
      },
    });
    expect(await list('?limit=3')).toMatchObject({ body: { total: 3, complete: true } });
    renameSync(log, `${log}.1`);
    await gateway.post('/order', order, 'd');
    expect(await outcomesOf('?limit=2')).toEqual(['d: done', 'c: done']);
    rmSync(`${log}.1`);
    expect(await list()).toMatchObject({ body: { total: 1, complete: false } });
  });

  it('has only the requests of the account that the caller expects, and none for another', async () => {
    await gateway.post('/order', order, 'mine');
    const line =
      readFileSync(log, 'utf8')
        .split('\n')
        .find((one) => one.includes('"intent"')) ?? '';
    const other = line.replace('"login":100001', '"login":4711').replaceAll('mine', 'other');
    writeFileSync(log, `${other}\n`, { flag: 'a' });
    const answer = await gateway.send('GET', '/trade_requests', undefined, { 'x-expect-login': '100001' });
    expect(answer).toMatchObject({ status: 200, body: { data: [{ key: 'mine' }] } });
    // A send without the line of an outcome is unknown.
    expect(await outcomesOf()).toEqual(['other: unknown', 'mine: done']);
  });

  it('names no ticket, position or magic number that cannot be one, as a refused request may have it', async () => {
    await gateway.send('DELETE', '/orders/.5', undefined, { 'idempotency-key': 'half' });
    await gateway.post('/order', { ...order, magic: 7.5 }, 'magic');
    await gateway.post('/close_position', { position: -4 }, 'negative');
    const { data } = (await list()).body as { data: Record<string, unknown>[] };
    const integers = data.map(({ key, ticket, position, magic }) => [key, ticket, position, magic]);
    expect(integers).toEqual(['negative', 'magic', 'half'].map((key) => [key, null, null, null]));
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?key=', 'key'],
    ['?magic=7', 'magic'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await list(query);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(field);
  });

  it('is an error if the log cannot be read', async () => {
    rmSync(log);
    mkdirSync(log);
    const refused = await list();
    rmSync(log, { recursive: true });
    expect(refused).toMatchObject({ status: 503, body: { error_type: 'journal_unavailable' } });
  });
});

describe('the verification of the audit log', () => {
  let gateway: TradingGateway;
  let log: string;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    log = join(gateway.folder, 'order-audit.jsonl');
  });
  afterEach(() => gateway.waitFor(gateway.stop()));
  const verify = (): Promise<Answer> => gateway.send('GET', '/audit/verification');

  it('finds a sound log sound, and a line that was cut out', async () => {
    for (let count = 0; count < 60; count++) await gateway.post('/order', order, `k${count}`);
    expect(await verify()).toMatchObject({
      status: 200,
      body: { consistent: true, intents: 60, in_flight: 0, first_sequence: 1, problem_count: 0, problems: [] },
    });
    const lines = readFileSync(log, 'utf8').split('\n');
    writeFileSync(log, [...lines.slice(0, 100), ...lines.slice(101)].join('\n'));
    const { body } = await verify();
    expect(body).toMatchObject({ consistent: false });
    expect(body).toHaveProperty('problems', expect.arrayContaining(['line 101: sequence 102 follows 100']));
  });

  it('does not count a request that is being sent as a problem', async () => {
    gateway.simulator.faults.set({ kind: 'latency', ms: 2_000, calls: 'sends' });
    const answer = gateway.post('/order', order, 'slow');
    await gateway.until(() => readFileSync(log, 'utf8').includes('"slow"'), 1);
    expect(await verify()).toMatchObject({ body: { consistent: true, in_flight: 1 } });
    await gateway.waitFor(answer);
    expect(await verify()).toMatchObject({ body: { consistent: true, in_flight: 0 } });
  });

  it('is an error if the log cannot be read', async () => {
    rmSync(log);
    mkdirSync(log);
    const refused = await verify();
    rmSync(log, { recursive: true });
    expect(refused).toMatchObject({ status: 503, body: { error_type: 'journal_unavailable' } });
  });
});

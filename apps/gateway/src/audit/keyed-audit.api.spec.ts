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

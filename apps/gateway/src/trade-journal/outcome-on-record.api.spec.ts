import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { filesWith, Gate, storesWith } from './testing/held-writes';
import type { AuditLine, Json } from './testing/trading-gateway';
import { TradeJournal } from './trade-journal';

describe('the outcome of a send that is being written', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' } as const;
  let broker: string;
  let audit: Gate;
  let disk: Gate;
  let gateway: GatewayUnderTest;
  let settled: string[];
  let stops: (() => Promise<void>)[];

  const start = async (folder?: string): Promise<GatewayUnderTest> => {
    const env = { SIM_HOURS: 'always', SIM_STATE_FILE: join(broker, 'account') };
    const edge = { clock, files: filesWith(audit, '"broker_response"'), stores: storesWith(disk) };
    const started = await gatewayUnderTest({ env, ...edge, ...(folder !== undefined && { folder }) });
    stops.unshift(async () => {
      await started.stop();
      removeFolder(started.folder);
    });
    return started;
  };
  beforeEach(async () => {
    broker = mkdtempSync(join(tmpdir(), 'broker-'));
    [audit, disk, settled, stops] = [new Gate(), new Gate(), [], []];
    gateway = await start();
    journal().shell.onSettled(({ id }) => settled.push(id));
  });
  afterEach(async () => {
    audit.release();
    disk.release();
    for (const stop of stops) await stop();
    rmSync(broker, { recursive: true });
  });

  const journal = (): TradeJournal => gateway.app.get(TradeJournal);
  const logOf = ({ folder }: GatewayUnderTest): AuditLine[] =>
    readFileSync(join(folder, 'order-audit.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditLine);
  const linesOf = (key: string, of = gateway): string[] =>
    logOf(of).flatMap((line) => (line['client_order_id'] === key ? [line.event] : []));
  /** Kinds of the outcomes that the journal's file has, of all sends. */
  const outcomes = async (): Promise<string[]> =>
    (await journal().intents.since(0)).map(({ outcome: { kind } }) => kind);
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) {
      // A step may wait for its poll, however long the disk takes.
      await clock.advance(10);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const ask = async (method: 'GET' | 'POST' | 'PUT', url: string, key?: string, payload?: object, fence?: string) => {
    const headers = { ...(key && { 'idempotency-key': key }), ...(fence && { 'x-fence': fence }) };
    const answer = await gateway.call({ method, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json<Json>(), headers: answer.headers };
  };
  const buy = (key: string, fence?: string) => ask('POST', '/order', key, order, fence);
  const keyOfPosition = async (): Promise<unknown> => {
    const { data } = (await ask('GET', '/get_positions')).body as { data: readonly Json[] };
    return data[0]?.['client_order_id'];
  };
  /** Whether a promise is settled, after the journal has written whatever began before. */
  const hasEnded = async (pending: Promise<unknown>): Promise<boolean> => {
    let ended = false;
    void pending.then(() => (ended = true));
    for (const key of ['flush', 'and another']) await journal().makeVoid(key);
    return ended;
  };

  it('is of an order that a look has shown before: then no list waits for it', async () => {
    disk.hold(1);
    const bought = buy('held');
    await until(() => disk.held > 0);
    // Looks meanwhile, without a change after the first.
    for (let second = 0; second < 3; second++) {
      await clock.advance(1_000);
      await ask('GET', '/get_positions');
    }
    disk.release();
    expect((await bought).status).toBe(200);
    const { status } = await ask('GET', '/orders');
    expect(status).toBe(200);
  });

  it('is shown when its line is written as well', async () => {
    await ask('PUT', '/fences/trend', undefined, { token: 1, magics: [] });
    audit.hold();
    const pending = buy('k', 'trend;1');
    await until(async () => (await outcomes()).includes('done'));
    // As a PUT does, without its audit line, which would wait for the one that is held.
    await journal().fences.raise('trend', { token: 2, magics: [] });
    const drained = journal().fences.drained('trend', 60_000);
    expect([await hasEnded(pending), await hasEnded(drained)]).toEqual([false, false]);
    expect((await ask('GET', '/trade_requests/k')).body).toMatchObject({ status: 'in_progress', response: null });
    expect([linesOf('k'), settled, await keyOfPosition()]).toEqual([['intent'], [], null]);
    audit.release();
    expect(await pending).toMatchObject({ status: 200, body: { client_order_id: 'k' } });
    await drained;
    expect([linesOf('k'), settled.length, await keyOfPosition()]).toEqual([['intent', 'broker_response'], 1, 'k']);
  });

  it('has neither a line nor an answer before the journal has it', async () => {
    // The intent is written before the send.
    disk.hold(1);
    const pending = buy('k');
    await until(() => disk.held > 0);
    let ended = false;
    void pending.then(() => (ended = true));
    expect((await ask('GET', '/trade_requests/k')).body).toMatchObject({ status: 'in_progress' });
    expect(linesOf('k')).toEqual(['intent']);
    expect([ended, settled, await keyOfPosition()]).toEqual([false, [], null]);
    disk.release();
    expect(await pending).toMatchObject({ status: 200 });
    expect([settled.length, await keyOfPosition()]).toEqual([1, 'k']);
  });

  it('waits until a new journal is on record as proven, and names it on the line of the send', async () => {
    // The id of the new journal is written first, then that it is proven.
    disk.hold(1);
    gateway = await start(mkdtempSync(join(tmpdir(), 'new-')));
    await until(() => disk.held > 0);
    const pending = buy('k');
    await until(() => journal().trust.isProven);
    disk.release();
    expect(await pending).toMatchObject({ status: 200 });
    const { id } = (await ask('GET', '/health')).body['journal'] as Json;
    const marks = logOf(gateway).flatMap((line) => (line['client_order_id'] === 'k' ? [line['journal_id']] : []));
    expect(marks).toEqual([id, id]);
  });

  it('is on record before the next send of its request', async () => {
    for (const key of ['1', '2', '3', '4', '5', '6']) await buy(key);
    audit.hold();
    const pending = ask('POST', '/close_all_positions', 'all', {});
    // Four are closed at a time.
    await until(async () => (await outcomes()).filter((kind) => kind === 'done').length === 10);
    expect([await hasEnded(pending), (await outcomes()).length]).toEqual([false, 10]);
    audit.release();
    expect(await pending).toMatchObject({ status: 200, body: { result: { closed: 6 } } });
  });

  it('gets its audit line from the next start if a crash left it in the journal alone', async () => {
    audit.hold();
    const pending = buy('k');
    await until(async () => (await outcomes()).includes('done'));
    // With the answer, which is written to the journal alone.
    await hasEnded(pending);
    const crashed = mkdtempSync(join(tmpdir(), 'crashed-'));
    cpSync(gateway.folder, crashed, { recursive: true });
    audit.release();
    const answered = await pending;
    gateway = await start(crashed);
    expect(linesOf('k')).toEqual(['intent', 'broker_response']);
    const [intent, outcome] = logOf(gateway).filter((line) => line['client_order_id'] === 'k');
    const { ticket, deal, price } = answered.body['result'] as Json & { order: unknown };
    expect(outcome).toMatchObject({
      ...{ intent_id: intent?.intent_id, request_id: intent?.['request_id'], api_key: 'primary', route: 'POST /order' },
      ...{ retcode: 10009, deal, price_filled: price, ...(ticket === undefined ? {} : { ticket }) },
    });
    expect(await buy('k')).toMatchObject({
      ...{ status: 200, body: answered.body, headers: { 'idempotent-replayed': 'true' } },
    });
    expect((await ask('GET', '/audit/verification')).body).toMatchObject({ problem_count: 0 });
    await gateway.stop();
    stops.shift();
    gateway = await start(crashed);
    expect(linesOf('k')).toEqual(['intent', 'broker_response']);
  });

  it('gets one audit line if the log takes none at the next start', async () => {
    audit.hold();
    const pending = buy('k');
    await until(() => audit.held > 0);
    const crashed = mkdtempSync(join(tmpdir(), 'crashed-'));
    cpSync(gateway.folder, crashed, { recursive: true });
    audit.release();
    await pending;
    audit.hold();
    const starting = start(crashed);
    await until(() => audit.held > 0);
    audit.fail(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    gateway = await starting;
    await clock.advance(2_000);
    await until(() => linesOf('k').length > 1);
    await buy('other');
    expect(linesOf('k')).toEqual(['intent', 'broker_response']);
  });

  it('gets its audit line from the next start if the disk of the log had failed', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10018, times: 1 });
    expect(await buy('k')).toMatchObject({ status: 422 });
    await gateway.stop();
    stops.shift();
    const log = join(gateway.folder, 'order-audit.jsonl');
    const texts = readFileSync(log, 'utf8').split('\n');
    writeFileSync(log, texts.filter((text) => !text.includes('broker_response')).join('\n'));
    gateway = await start(gateway.folder);
    const added = logOf(gateway).filter(({ event }) => event === 'broker_response');
    expect(added).toMatchObject([{ client_order_id: 'k', retcode: 10018, error_type: 'broker_rejected' }]);
  });
});

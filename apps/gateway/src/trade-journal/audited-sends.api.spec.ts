import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eurusd, TradingGateway, type AuditLine, type Json } from './testing/trading-gateway';

describe('an exit recorded only in the audit log, as after a kill while the journal could not be written', () => {
  let gateway: TradingGateway;
  let broker: string;
  let journalBefore: Buffer;

  beforeEach(async () => {
    broker = mkdtempSync(join(tmpdir(), 'broker-'));
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(broker, 'account') });
  });
  afterEach(async () => {
    await gateway.stop();
    rmSync(broker, { recursive: true });
  });

  const file = (): string => join(gateway.folder, 'state', 'trade-journal', 'data.mdb');
  /** From now on the journal on disk does not change. */
  const stopWriting = (): Promise<void> => gateway.restart(() => void (journalBefore = readFileSync(file())));
  /** Restarts with the last journal that could be written and the audit lines that `stays` keeps. */
  const restartWithoutWrites = async (
    stays: (line: AuditLine) => boolean = () => true,
    marks: (line: AuditLine) => object = () => ({}),
    rotated = false,
  ): Promise<void> => {
    await gateway.restart(async () => {
      writeFileSync(file(), journalBefore);
      const lines = gateway.audit().filter(stays);
      // As if every line had been written at this state of the journal.
      const marked = lines.map((line) =>
        JSON.stringify({ ...line, journal_sequence: line.journal_sequence && 1, ...marks(line) }),
      );
      const log = join(gateway.folder, 'order-audit.jsonl');
      writeFileSync(log, marked.map((line) => `${line}\n`).join(''));
      if (rotated) renameSync(log, `${log}.1`);
    });
  };
  const volumes = async (): Promise<unknown[]> => (await gateway.rows('/get_positions')).map(({ volume }) => volume);
  const isOutcomeOf = (key: string) => (line: AuditLine) =>
    line.client_order_id === key && line.event === 'broker_response';
  const recovered = { status: 200, body: { recovered: true }, headers: { 'idempotent-replayed': 'true' } };

  const closeInPart = async (key: string): Promise<Json> => {
    const ticket = await gateway.buy({ volume: 0.3 });
    await stopWriting();
    const part = { ticket, volume: 0.1 };
    expect(await gateway.post('/position_close_partial', part, key)).toMatchObject({ status: 200 });
    return part;
  };

  it('has the outcome from the audit log, and is not executed twice', async () => {
    const part = await closeInPart('c');
    await restartWithoutWrites();
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject({
      ...recovered,
      body: { recovered: true, closed_volume: 0.1, remaining_volume: 0.2 },
    });
    expect(await volumes()).toEqual([0.2]);
    expect((await gateway.get<{ journal: Json }>('/health')).body.journal).toMatchObject({ state: 'ok' });
    // It is in the journal now, which no longer needs the audit log for it.
    await gateway.restart(() => writeFileSync(join(gateway.folder, 'order-audit.jsonl'), ''));
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject(recovered);
  });

  it('is known by its outcome alone, if the disk of the audit log did not take its intent', async () => {
    const part = await closeInPart('c');
    const isIntentOf = (line: AuditLine): boolean => line.client_order_id === 'c' && line.event === 'intent';
    await restartWithoutWrites((line) => !isIntentOf(line));
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject(recovered);
    expect(await volumes()).toEqual([0.2]);
    const orders = await gateway.rows('/history_orders_get');
    expect(orders.map(({ client_order_id: key }) => key)).toContain('c');
  });

  it('is found after the audit log was rotated', async () => {
    const part = await closeInPart('c');
    await restartWithoutWrites(undefined, undefined, true);
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject(recovered);
    expect(await volumes()).toEqual([0.2]);
  });

  it('is found after the wall clock was set forward by months, but not after months of running time', async () => {
    const part = await closeInPart('c');
    const months = 120 * 86_400_000;
    const earlier = ({ timestamp }: AuditLine) => new Date(Date.parse(String(timestamp)) - months).toISOString();
    await restartWithoutWrites(undefined, (line) => ({ timestamp: earlier(line) }));
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject(recovered);
    await restartWithoutWrites(undefined, ({ event, running_ms: ranMs }) => ({
      running_ms: event === 'logout' ? Number(ranMs) + months : ranMs,
    }));
    expect(await gateway.statusOf('c')).toBeNull();
  });

  it('is unknown without an outcome, and its outcome is looked up', async () => {
    const part = await closeInPart('c');
    await restartWithoutWrites((line) => !isOutcomeOf('c')(line));
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject({
      status: 502,
      body: { error_type: 'unknown_outcome' },
    });
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject(recovered);
    expect(await volumes()).toEqual([0.2]);
    expect(gateway.audit().filter(({ client_order_id: key }) => key === 'c')).toMatchObject([
      { event: 'intent' },
      { event: 'unknown_outcome' },
      { event: 'recovered' },
    ]);
  });

  it('is looked up and not made void, even if the journal of its time was lost', async () => {
    const part = await closeInPart('c');
    await restartWithoutWrites(
      (line) => !isOutcomeOf('c')(line),
      ({ client_order_id: key }) => (key === 'c' ? { journal_id: 'another' } : {}),
    );
    expect((await gateway.send('PUT', '/trade_requests/c/void')).body).toMatchObject({ status: 'unknown' });
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject(recovered);
    expect(await volumes()).toEqual([0.2]);
  });

  it('does not claim the order of a send that only the audit log knows, from another journal', async () => {
    const ticket = await gateway.buy({ volume: 0.3 });
    await stopWriting();
    const part = { ticket, volume: 0.1 };
    gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    expect(await gateway.post('/position_close_partial', { ...part, comment: 'lost' }, 'lost')).toMatchObject({
      status: 502,
    });
    await gateway.until(async () => (await gateway.statusOf('lost')) === 'absent');
    const other = { ...part, comment: 'done' };
    expect(await gateway.post('/position_close_partial', other, 'done')).toMatchObject({ status: 200 });
    // Lost journals leave such lines: without an id if the journal was unproven, else with its own id.
    await restartWithoutWrites(
      ({ client_order_id: key, event }) => key !== 'lost' || event === 'intent',
      ({ client_order_id: key }) => (key === 'done' ? { journal_id: 'another', journal_sequence: null } : {}),
    );
    await gateway.until(async () => (await gateway.statusOf('lost')) !== 'unknown');
    expect(await gateway.statusOf('lost')).toBe('absent');
    expect(await volumes()).toEqual([0.2]);
  });

  it('keeps a send as absent that was reported so, although the journal still has it as unknown', async () => {
    const alike = { ...eurusd, type: 'BUY', comment: 'alike' };
    gateway.simulator.faults.set({ kind: 'drop-before-send', times: 1 });
    expect(await gateway.post('/order', alike, 'lost')).toMatchObject({ status: 502 });
    await stopWriting();
    await gateway.until(async () => (await gateway.statusOf('lost')) === 'absent');
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, acts: true, times: 1 });
    expect(await gateway.post('/order', alike, 'done')).toMatchObject({ status: 502 });
    await restartWithoutWrites(({ client_order_id: key, event }) => key !== 'done' || event === 'intent');
    await gateway.until(async () => (await gateway.statusOf('done')) !== 'unknown');
    // A key that was answered as not done would be open again, and could be given the order of the other one.
    expect([await gateway.statusOf('lost'), await gateway.statusOf('done')]).toEqual(['absent', 'recovered']);
  });

  it('is a conflict with other parameters and on another route', async () => {
    const part = await closeInPart('c');
    await restartWithoutWrites();
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    const conflict = { status: 409, body: { error_type: 'idempotency_conflict' } };
    expect(await gateway.post('/position_close_partial', { ...part, volume: 0.2 }, 'c')).toMatchObject(conflict);
    expect(await gateway.post('/order', { ...eurusd, type: 'BUY' }, 'c')).toMatchObject(conflict);
    expect(await gateway.post('/position_close_partial', part, 'c')).toMatchObject(recovered);
    expect(await volumes()).toEqual([0.2]);
  });

  it('is answered for any parameters if an earlier version wrote its line without them', async () => {
    const { ticket } = await closeInPart('c');
    await restartWithoutWrites(undefined, () => ({ request_fingerprint: undefined }));
    await gateway.until(async () => (await gateway.statusOf('c')) === 'recovered');
    expect(await gateway.post('/position_close_partial', { ticket, volume: 0.2 }, 'c')).toMatchObject(recovered);
    expect(await gateway.post('/order', { ...eurusd, type: 'BUY' }, 'c')).toMatchObject({
      status: 409,
      body: { error_type: 'idempotency_conflict', details: { route: 'POST /position_close_partial' } },
    });
    expect(await volumes()).toEqual([0.2]);
  });

  it('is absent if the broker rejected it, and free if it was not sent', async () => {
    const ticket = await gateway.buy();
    await stopWriting();
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10018 });
    expect(await gateway.post('/close_position', { position: ticket }, 'rejected')).toMatchObject({ status: 422 });
    gateway.simulator.faults.clear();
    await restartWithoutWrites();
    await gateway.until(async () => (await gateway.statusOf('rejected')) === 'absent');
    expect(await gateway.post('/close_position', { position: ticket }, 'rejected')).toMatchObject({
      status: 422,
      body: { error_type: 'broker_rejected', terminal_error: { retcode: 10018 } },
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(await gateway.post('/close_position', { position: ticket }, 'other')).toMatchObject({ status: 200 });
  });

  it('is found for a cancellation and for each close of close_all_positions', async () => {
    const { bid } = await gateway.quote();
    const price = Math.round((bid - 0.01) * 1e5) / 1e5;
    const pending = await gateway.post<{ result: { order: number } }>('/order', {
      ...eurusd,
      type: 'BUY_LIMIT',
      price,
    });
    const path = `/orders/${pending.body.result.order}`;
    await gateway.buy();
    await gateway.buy({ volume: 0.2 });
    await stopWriting();
    expect(await gateway.send('DELETE', path, undefined, { 'idempotency-key': 'cancel' })).toMatchObject({
      status: 200,
    });
    expect(await gateway.post('/close_all_positions', {}, 'all')).toMatchObject({ status: 200 });
    await restartWithoutWrites((line) => !isOutcomeOf('cancel')(line));
    await gateway.until(async () => (await gateway.statusOf('cancel')) === 'recovered');
    await gateway.buy();
    expect(await gateway.send('DELETE', path, undefined, { 'idempotency-key': 'cancel' })).toMatchObject(recovered);
    expect(await gateway.post('/close_all_positions', {}, 'all')).toMatchObject({
      ...recovered,
      body: { recovered: true, result: { closed: 2, closed_volume: 0.3 } },
    });
    expect(await volumes()).toEqual([0.1]);
  });
});

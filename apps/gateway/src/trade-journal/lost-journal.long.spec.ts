import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eurusd, TradingGateway, type Json } from './testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

interface JournalHealth extends Json {
  readonly id: string | null;
  readonly state: string;
}

describe('a journal that was lost', () => {
  let gateway: TradingGateway;
  afterEach(() => gateway.stop());

  const file = (): string => join(gateway.folder, 'state', 'trade-journal', 'data.mdb');
  const auditFile = (): string => join(gateway.folder, 'order-audit.jsonl');
  const journal = async (): Promise<JournalHealth> =>
    (await gateway.get<{ journal: JournalHealth }>('/health')).body.journal;
  const started = async (): Promise<void> => {
    gateway = await TradingGateway.start();
  };
  const traded = async (): Promise<number> => {
    await started();
    const ticket = await gateway.buy();
    expect(await gateway.post('/order', order, 'k7')).toMatchObject({ status: 200 });
    return ticket;
  };
  const restartAfter = (loss: () => void): Promise<void> => gateway.restart(loss);

  it.each<[string, () => void]>([
    ['emptied', () => truncateSync(file(), 0)],
    ['deleted', () => rmSync(file())],
    ['deleted with its folder', () => rmSync(join(gateway.folder, 'state'), { recursive: true })],
  ])('is detected after it was %s: new risk is denied and nothing is sent again', async (_case, loss) => {
    await traded();
    await restartAfter(loss);
    const lost = { status: 503, body: { error_type: 'journal_lost' } };
    expect(await gateway.post('/order', order, 'new')).toMatchObject(lost);
    expect(await gateway.get('/trade_requests/new')).toMatchObject(lost);
    // The audit log's record of a key applies.
    expect(await gateway.post('/order', order, 'k7')).toMatchObject({ status: 200, body: { recovered: true } });
    expect(await gateway.get('/trade_requests/k7')).toMatchObject({ status: 200, body: { status: 'recovered' } });
    expect(await journal()).toMatchObject({ state: 'lost' });
    expect((await gateway.get('/health')).body).toMatchObject({ status: 'degraded' });
    expect(await gateway.get('/health/ready')).toMatchObject({
      status: 503,
      body: { checks: { journal: { status: 'down' } } },
    });
    expect(await gateway.metric('journal_lost')).toBe(1);
    // Still true after another restart.
    await gateway.restart();
    expect(await gateway.post('/order', order)).toMatchObject({ status: 503, body: { error_type: 'journal_lost' } });
  });

  it('is detected a second time, however much was refused while the first loss was not accepted', async () => {
    await started();
    await gateway.send('PUT', '/fences/trend', { token: 7, magics: [9] });
    // No order has the tag of a key: the account shows nothing of the loss.
    expect(await gateway.post('/order', { ...order, comment: 'mine' }, 'k7')).toMatchObject({ status: 200 });
    await restartAfter(() => rmSync(file()));
    const refusal = { status: 503, body: { error_type: 'journal_lost' } };
    expect(await gateway.post('/order', order, 'new')).toMatchObject(refusal);
    const [last = ''] = readFileSync(auditFile(), 'utf8').trimEnd().split('\n').slice(-1);
    const { sequence, ...refused } = JSON.parse(last) as { readonly sequence: number };
    expect(refused).toMatchObject({ event: 'refused', journal_id: null });
    const line = (index: number): string => `${JSON.stringify({ ...refused, sequence: sequence + index + 1 })}\n`;
    await restartAfter(() => {
      appendFileSync(auditFile(), Array.from({ length: 5 * 1_024 }, (_, index) => line(index).padEnd(1_024)).join(''));
      rmSync(file());
    });
    expect(await journal()).toMatchObject({ state: 'lost' });
    expect(await gateway.post('/order', order, 'new')).toMatchObject(refusal);
    expect(await gateway.post('/order', { ...order, comment: 'mine' }, 'k7')).toMatchObject({
      status: 200,
      body: { recovered: true },
    });
    expect((await gateway.get('/fences/trend')).body).toMatchObject({ strategy: 'trend', state: 'held' });
  });

  it('keeps the records of the audit log after acceptance: an executed request does not become void', async () => {
    await traded();
    await restartAfter(() => rmSync(file()));
    const { id } = await journal();
    expect(await gateway.post('/journal/accept', { journal_id: id })).toMatchObject({ status: 200 });
    const made = await gateway.send('PUT', '/trade_requests/k7/void');
    expect(made).toMatchObject({ status: 200, body: { status: 'recovered' } });
    const again = await gateway.post('/order', order, 'k7');
    expect(again).toMatchObject({ status: 200, body: { recovered: true } });
  });

  it('binds the keys whose tags the broker shows, after the audit log was lost as well: nothing is sent again', async () => {
    const broker = mkdtempSync(join(tmpdir(), 'broker-'));
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(broker, 'account') });
    const { bid } = await gateway.quote();
    const pending = { ...eurusd, type: 'BUY_LIMIT', price: Math.round((bid - 0.01) * 1e5) / 1e5 };
    const opened = await gateway.post<{ position: number }>('/order', { ...order, sl: 0.8 }, 'open');
    const ticket = opened.body.position;
    const part = { ticket, volume: 0.03 };
    await gateway.post('/position_close_partial', part, 'part');
    await gateway.post('/order', pending, 'pending');
    await gateway.post('/order', order, 'asked-late');
    await gateway.post('/order', { ...order, comment: 'mine' }, 'untagged');
    await restartAfter(() => {
      rmSync(join(gateway.folder, 'state'), { recursive: true });
      rmSync(auditFile());
    });
    const { id, state } = await journal();
    expect(state).toBe('lost');
    // Bound before it is accepted: an exit of then is not executed twice, and an entry is not merely refused.
    expect(await gateway.post('/position_close_partial', part, 'part')).toMatchObject({ status: 502 });
    expect(await gateway.post('/order', { ...order, sl: 0.8 }, 'open')).toMatchObject({ status: 502 });
    expect(await gateway.post('/journal/accept', { journal_id: id })).toMatchObject({
      status: 200,
      body: { orders_without_tag: 1, message: expect.stringMatching(/1 order has neither a request nor a tag/) },
    });
    expect(await gateway.send('PUT', '/trade_requests/pending/void')).toMatchObject({ body: { status: 'unknown' } });
    for (const key of ['open', 'part', 'pending']) {
      await gateway.until(async () => (await gateway.statusOf(key)) === 'recovered');
    }
    expect((await gateway.post('/order', { ...order, sl: 0.8 }, 'open')).body).toMatchObject({
      ...{ recovered: true, state: 'executed', position: ticket, sl_confirmed: true },
    });
    expect((await gateway.post('/position_close_partial', part, 'part')).body).toMatchObject({
      ...{ recovered: true, position: ticket, closed_volume: 0.03, remaining_volume: 0.07 },
    });
    expect((await gateway.post('/order', pending, 'pending')).body).toMatchObject({ recovered: true, state: 'placed' });
    expect(await gateway.post('/close_position', { position: ticket }, 'open')).toMatchObject({ status: 409 });
    await gateway.restart();
    expect(await gateway.post('/order', order, 'asked-late')).toMatchObject({ status: 502 });
    expect(await gateway.post('/order', order, 'new')).toMatchObject({ status: 200 });
    expect(await gateway.rows('/get_positions')).toHaveLength(4);
    expect(await gateway.rows('/orders')).toHaveLength(1);
    rmSync(broker, { recursive: true });
  });

  it('denies new risk under an unknown key until the books can be read for the keys of the lost journal', async () => {
    const broker = mkdtempSync(join(tmpdir(), 'broker-'));
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(broker, 'account') });
    await gateway.post('/order', order, 'k7');
    await restartAfter(() => {
      rmSync(join(gateway.folder, 'state'), { recursive: true });
      rmSync(auditFile());
    });
    const { id } = await journal();
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    expect(await gateway.post('/journal/accept', { journal_id: id })).toMatchObject({
      status: 200,
      body: { orders_without_tag: null },
    });
    const unread = { status: 503, body: { error_type: 'terminal_unavailable' } };
    expect(await gateway.post('/order', order, 'new')).toMatchObject(unread);
    expect(await gateway.get('/trade_requests/new')).toMatchObject(unread);
    expect(await gateway.send('PUT', '/trade_requests/new/void')).toMatchObject(unread);
    // It was seen before.
    expect(await gateway.post('/order', order, 'k7')).toMatchObject({ status: 502 });
    gateway.simulator.faults.clear();
    expect(await gateway.send('PUT', '/trade_requests/new/void')).toMatchObject({ body: { status: 'void' } });
    await gateway.until(async () => (await gateway.statusOf('k7')) === 'recovered');
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
    rmSync(broker, { recursive: true });
  });

  it('keeps void keys void: a late copy of a withdrawn exit does nothing, nor does an order after acceptance', async () => {
    const broker = mkdtempSync(join(tmpdir(), 'broker-'));
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(broker, 'account') });
    const ticket = await gateway.buy();
    for (const key of ['exit', 'entry']) {
      expect(await gateway.send('PUT', `/trade_requests/${key}/void`)).toMatchObject({ body: { status: 'void' } });
    }
    await restartAfter(() => rmSync(file()));
    const isVoid = { status: 422, body: { error_type: 'key_void' } };
    expect(await gateway.post('/close_position', { position: ticket }, 'exit')).toMatchObject(isVoid);
    expect(await gateway.get('/trade_requests/entry')).toMatchObject({ status: 200, body: { status: 'void' } });
    const { id } = await journal();
    expect(await gateway.post('/journal/accept', { journal_id: id })).toMatchObject({ status: 200 });
    expect(await gateway.post('/order', order, 'entry')).toMatchObject(isVoid);
    await gateway.restart();
    expect(await gateway.post('/close_position', { position: ticket }, 'exit')).toMatchObject(isVoid);
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
    rmSync(broker, { recursive: true });
  });

  it('takes precedence over other errors, which would imply that nothing was done under a key', async () => {
    await traded();
    await restartAfter(() => truncateSync(file(), 0));
    const lost = { status: 503, body: { error_type: 'journal_lost' } };
    expect(await gateway.post('/order', { ...order, volume: 99 }, 'new')).toMatchObject(lost);
    const meantForOther = { 'idempotency-key': 'new', 'x-expect-login': '900002' };
    expect(await gateway.send('POST', '/order', order, meantForOther)).toMatchObject(lost);
    expect(await gateway.post('/kill')).toMatchObject({ status: 200 });
    expect(await gateway.post('/order', order, 'new')).toMatchObject(lost);
    expect(await gateway.post('/order', order)).toMatchObject({ status: 423 });
    expect(gateway.audit().filter(({ error_type }) => error_type === 'journal_lost')).toHaveLength(3);
  });

  it('allows reads, closes, cancels and the kill switch with flattening', async () => {
    await started();
    const ticket = await gateway.buy();
    await gateway.buy();
    const { bid } = await gateway.quote();
    const price = Math.round((bid - 0.01) * 1e5) / 1e5;
    const pending = await gateway.post<{ result: { order: number } }>('/order', {
      ...eurusd,
      type: 'BUY_LIMIT',
      price,
    });
    await restartAfter(() => rmSync(file()));
    // The embedded broker of this test is new after a restart; only its answers matter here.
    expect(await gateway.get('/get_positions')).toMatchObject({ status: 200 });
    expect((await gateway.post('/close_position', { position: ticket })).body.error_type).not.toBe('journal_lost');
    expect((await gateway.send('DELETE', `/orders/${pending.body.result.order}`)).body.error_type).not.toBe(
      'journal_lost',
    );
    expect(await gateway.post('/kill?flatten=true')).toMatchObject({ status: 200 });
  });

  it('is trusted again after an operator accepted it by its id, durably and with an audit line', async () => {
    await traded();
    const before = await journal();
    await restartAfter(() => rmSync(file()));
    const { id } = await journal();
    expect(id).not.toBe(before.id);
    expect(await gateway.post('/journal/accept', { journal_id: before.id ?? '' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'journal_id' }] },
    });
    expect(await gateway.post('/journal/accept', { journal_id: id ?? '' })).toMatchObject({
      status: 200,
      body: { ok: true, journal: { id, state: 'ok' } },
    });
    expect(gateway.audit().at(-1)).toMatchObject({ event: 'journal_accepted', journal_id: id });
    expect(await gateway.metric('journal_lost')).toBe(0);
    expect(await gateway.post('/order', order, 'k8')).toMatchObject({ status: 200 });
    await gateway.restart();
    expect(await journal()).toMatchObject({ id, state: 'ok' });
    expect(await gateway.post('/order', order, 'k8')).toMatchObject({ headers: { 'idempotent-replayed': 'true' } });
    // Accepting a trusted journal changes nothing and is reported as such.
    const lines = gateway.audit().length;
    expect(await gateway.post('/journal/accept', { journal_id: id ?? '' })).toMatchObject({
      status: 200,
      body: { message: 'the trade journal is not lost: nothing to accept', journal: { state: 'ok' } },
    });
    expect(gateway.audit()).toHaveLength(lines);
  });

  it('is detected if an older copy replaced it', async () => {
    await traded();
    await gateway.restart();
    let old = Buffer.alloc(0);
    await restartAfter(() => (old = readFileSync(file())));
    expect(await gateway.post('/order', order, 'k9')).toMatchObject({ status: 200 });
    await restartAfter(() => writeFileSync(file(), old));
    expect(await journal()).toMatchObject({ state: 'lost' });
    expect(await gateway.post('/order', order)).toMatchObject({ body: { error_type: 'journal_lost' } });
    // The audit log still has the sends since the copy.
    const again = await gateway.post('/order', order, 'k9');
    expect([200, 502]).toContain(again.status);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  it('is not reported if the audit log was moved away, emptied or cut within a line', async () => {
    await traded();
    await restartAfter(() => renameSync(auditFile(), `${auditFile()}.1`));
    expect(await gateway.post('/order', order, 'k7')).toMatchObject({ headers: { 'idempotent-replayed': 'true' } });
    await restartAfter(() => truncateSync(auditFile(), 0));
    expect(await journal()).toMatchObject({ state: 'ok' });
    await gateway.buy();
    await restartAfter(() => appendFileSync(auditFile(), '{"timestamp":"2026-01-07T10:00'));
    expect(await journal()).toMatchObject({ state: 'ok' });
    expect(await gateway.post('/order', order)).toMatchObject({ status: 200 });
  });

  it('is detected by audit lines of intents without a journal id, as version 0.1.0 wrote them', async () => {
    await traded();
    await restartAfter(() => {
      rmSync(file());
      const lines = gateway.audit().map(({ journal_id: _, journal_sequence: __, ...line }) => JSON.stringify(line));
      writeFileSync(auditFile(), `${lines.join('\n')}\n`);
    });
    expect(await gateway.post('/order', order, 'new')).toMatchObject({ body: { error_type: 'journal_lost' } });
    expect(await gateway.post('/order', order, 'k7')).toMatchObject({ status: 200, body: { recovered: true } });
  });
});

describe('an empty journal without an audit log', () => {
  let gateway: TradingGateway;
  const brokerFolder = mkdtempSync(join(tmpdir(), 'broker-'));
  afterEach(() => gateway.stop());
  afterAll(() => rmSync(brokerFolder, { recursive: true }));

  const startedBeside = async (broker: string): Promise<void> => {
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(brokerFolder, broker) });
  };
  const withoutMemory = async (): Promise<JournalHealth> => {
    await gateway.restart(async () => {
      rmSync(join(gateway.folder, 'state'), { recursive: true });
      rmSync(join(gateway.folder, 'order-audit.jsonl'));
    });
    return (await gateway.get<{ journal: JournalHealth }>('/health')).body.journal;
  };

  it('counts as lost if the account has orders with the tag of a key, also after a restart', async () => {
    await startedBeside('tagged');
    await gateway.buy();
    expect(await withoutMemory()).toMatchObject({ state: 'lost', reason: expect.stringContaining('tag of a key') });
    expect(await gateway.post('/order', order)).toMatchObject({ status: 503, body: { error_type: 'journal_lost' } });
    await gateway.restart();
    expect(await gateway.post('/order', order)).toMatchObject({ status: 503, body: { error_type: 'journal_lost' } });
  });

  const lateHistory = 'session-start empty 60000 --lists deals,history_orders';
  const wiped = (): void => {
    rmSync(join(gateway.folder, 'state'), { recursive: true });
    rmSync(join(gateway.folder, 'order-audit.jsonl'));
  };
  const stateOf = async (): Promise<string> =>
    (await gateway.get<{ journal: JournalHealth }>('/health')).body.journal.state;
  const unloaded = { status: 503, body: { error_type: 'account_not_synchronized' } };

  it('does not count as new before the history is loaded: a closed position has its tags only there', async () => {
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(brokerFolder, 'late'), SIM_HABITS: lateHistory });
    await gateway.until(async () => (await stateOf()) === 'ok');
    const ticket = await gateway.buy();
    expect(await gateway.post('/close_position', { position: ticket })).toMatchObject({ status: 200 });
    expect(await gateway.post('/order', order, 'closed')).toMatchObject({ status: 200 });
    expect(await gateway.post('/close_all_positions', {})).toMatchObject({ status: 200 });
    await gateway.restart(wiped);
    expect(await stateOf()).toBe('unproven');
    expect(await gateway.post('/order', order, 'closed')).toMatchObject(unloaded);
    expect((await gateway.get<{ journal: { reason: string } }>('/health')).body.journal.reason).toMatch(
      /the account has a balance of [\d.]+, and the history has no deal/,
    );
    await gateway.until(async () => (await stateOf()) !== 'unproven');
    expect(await stateOf()).toBe('lost');
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });

  it('refuses unknown keys after the acceptance until the history adds up, and binds those that it shows then', async () => {
    gateway = await TradingGateway.start({ SIM_STATE_FILE: join(brokerFolder, 'gap') });
    await gateway.buy();
    await gateway.agedBy(120_000);
    for (const key of ['closed', 'other']) {
      expect(await gateway.post('/order', order, key)).toMatchObject({ status: 200 });
      const [, { ticket } = { ticket: 0 }] = await gateway.rows('/get_positions');
      expect(await gateway.post('/close_position', { position: ticket })).toMatchObject({ status: 200 });
    }
    await gateway.restart(wiped, { SIM_HABITS: 'history-gap 60' });
    const { id, state } = (await gateway.get<{ journal: JournalHealth }>('/health')).body.journal;
    expect(state).toBe('lost');
    expect(await gateway.post('/journal/accept', { journal_id: id })).toMatchObject({
      status: 200,
      body: { orders_without_tag: null, message: expect.stringContaining('the deals of the history sum up to') },
    });
    const refused = await gateway.post('/order', order, 'closed');
    expect([refused, refused.body.retry_with]).toMatchObject([unloaded, 'same_key']);
    expect(await gateway.get('/trade_requests/closed')).toMatchObject(unloaded);
    expect(await gateway.send('PUT', '/trade_requests/closed/void')).toMatchObject(unloaded);
    gateway.simulator.faults.clear();
    expect(await gateway.post('/order', order, 'closed')).toMatchObject({ status: 502 });
    // A list that is shorter again takes nothing back.
    gateway.simulator.faults.set({ kind: 'history-lacks', what: 'all' });
    expect(await gateway.post('/order', order, 'other')).toMatchObject({ status: 502 });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('waits for an operator if the account has money and shows no deal, however long', async () => {
    await startedBeside('empty');
    await gateway.restart(wiped, { SIM_HABITS: 'history-lacks all' });
    await gateway.agedBy(120_000);
    expect(await stateOf()).toBe('unproven');
    const { account_evidence } = (await gateway.get<{ account_evidence: { since: string } }>('/health')).body;
    expect(await gateway.post('/account/accept', { since: account_evidence.since })).toMatchObject({ status: 200 });
    await gateway.agedBy(120_000);
    expect(await gateway.post('/order', order, 'new')).toMatchObject(unloaded);
    const { id } = (await gateway.get<{ journal: JournalHealth }>('/health')).body.journal;
    expect(await gateway.post('/journal/accept', { journal_id: id })).toMatchObject({
      body: { journal: { state: 'ok' }, orders_without_tag: 0 },
    });
    expect(await gateway.post('/order', order, 'new')).toMatchObject({ status: 200 });
  });

  it('counts as new if the account has none, also after a restart', async () => {
    await startedBeside('untouched');
    expect(await withoutMemory()).toMatchObject({ state: 'ok', id: expect.any(String) });
    await gateway.buy();
    await gateway.restart();
    expect(await gateway.post('/order', order)).toMatchObject({ status: 200 });
  });
});

describe('the audit log of a gateway', () => {
  it('names the journal and its last durable commit on every line of the trade path', async () => {
    const gateway = await TradingGateway.start();
    await gateway.buy();
    const { id } = (await gateway.get<{ journal: JournalHealth }>('/health')).body.journal;
    const [intent, answer] = gateway.audit().slice(-2);
    expect([intent?.event, intent?.journal_id, answer?.journal_id]).toEqual(['intent', id, id]);
    expect(Number(intent?.journal_sequence)).toBeGreaterThan(0);
    expect(Number(answer?.journal_sequence)).toBeGreaterThanOrEqual(Number(intent?.journal_sequence));
    await gateway.stop();
  });
});

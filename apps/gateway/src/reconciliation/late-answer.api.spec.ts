import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Files } from '@libs/files';
import { SimulatedDisk } from '@libs/simulated-disk';
import { LastErrorCode } from '@libs/terminal-client';
import { type RudeAnswer, RudeGateway } from '../account-evidence/testing/rude-gateway';
import { filesWith, Gate } from '../trade-journal/testing/held-writes';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

interface Flattened {
  readonly closed: readonly unknown[];
  readonly failed: readonly unknown[];
}

describe('a late answer', () => {
  const log = new Gate();
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({}, filesWith(log, '"refused"'));
    await gateway.waitFor(gateway.clock.sleep(5_000));
    // The terminal shows nothing of what the broker did for so long that look-ups find it absent.
    gateway.simulator.faults.set({ kind: 'frozen-account' });
  });
  afterEach(async () => {
    log.release();
    await gateway.stop();
  });

  const audited = (event: string): boolean => gateway.audit().some((line) => line.event === event);

  it('counts although it arrives while the gateway writes that nothing was done', async () => {
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 200_000, times: 1 });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    log.hold();
    await gateway.until(() => log.held > 0);
    expect(await gateway.statusOf('k')).toBe('unknown');
    await gateway.clock.advance(200_000);
    log.release();
    await gateway.until(async () => (await gateway.statusOf('k')) !== 'unknown');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200, body: { recovered: true } });
  });

  it.each([
    ['a position', '/modify_sl_tp', { sl: 0.85, tp: null }],
    ['an order', '/orders', { price: 0.98, stoplimit: null, sl: 0.85, tp: null }],
  ])('of a change of %s states what it set, although the lists show what it replaced', async (what, path, set) => {
    gateway.simulator.faults.clear('frozen-account');
    const of = what === 'an order' ? { type: 'BUY_LIMIT', price: 0.99 } : {};
    const ticket = await gateway.buy({ sl: 0.8, ...of });
    const change = () =>
      what === 'an order'
        ? gateway.send('PUT', `${path}/${ticket}`, { price: 0.98, sl: 0.85 }, { 'idempotency-key': 'k' })
        : gateway.post(path, { position: ticket, sl: 0.85 }, 'k');
    gateway.simulator.faults.set({ kind: 'late-lists', positionsMs: 60_000, ordersMs: 60_000 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 12_000, times: 1 });
    expect(await gateway.waitFor(change())).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await change()).toMatchObject({ status: 200, body: { ...set, sl_confirmed: null, recovered: true } });
  });

  it('is completed with the fill of a close that it only accepts', async () => {
    gateway.simulator.faults.clear('frozen-account');
    const close = { position: await gateway.buy() };
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10008, acts: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    expect(await gateway.waitFor(gateway.post('/close_position', close, 'k'))).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await gateway.post('/close_position', close, 'k')).toMatchObject({
      body: { state: 'closed', closed_volume: 0.1, fill_price_source: 'deal' },
    });
  });

  it('names the order by which the broker has replaced the one that was changed', async () => {
    gateway.simulator.faults.clear('frozen-account');
    const price = Number(((await gateway.quote()).bid - 0.01).toFixed(5));
    const ticket = await gateway.buy({ type: 'BUY_LIMIT', price });
    gateway.simulator.faults.set({ kind: 'replaced-orders' });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 12_000, times: 1 });
    const change = () => gateway.send('PUT', `/orders/${ticket}`, { price: price - 0.01 }, { 'idempotency-key': 'k' });
    expect(await gateway.waitFor(change())).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [order] = await gateway.rows('/orders');
    expect(order?.ticket).not.toBe(ticket);
    expect(await change()).toMatchObject({
      status: 200,
      body: {
        ticket: order?.ticket,
        price: order?.price_open,
        message: expect.stringContaining('replaced it by order'),
      },
    });
  });

  it('does not settle a close that it only accepts while its fill cannot be read', async () => {
    gateway.simulator.faults.clear('frozen-account');
    const close = { position: await gateway.buy() };
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10008, acts: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 25_000, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet'] });
    expect(await gateway.waitFor(gateway.post('/close_position', close, 'k'))).toMatchObject({ status: 502 });
    await gateway.until(() => audited('recovered'));
    await gateway.waitFor(gateway.clock.sleep(150_000), 1_000);
    expect(await gateway.statusOf('k')).toBe('unknown');
    gateway.simulator.faults.clear('failed-reads');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await gateway.post('/close_position', close, 'k')).toMatchObject({
      body: { state: 'closed', closed_volume: 0.1, fill_price_source: 'deal' },
    });
  });

  it('does not settle a request whose order the lists do not show within one look-up', async () => {
    gateway.simulator.faults.clear('frozen-account');
    await gateway.agedBy(50_000);
    gateway.simulator.faults.set({ kind: 'lag', ms: 50_000 });
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 12_000, times: 1 });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [position] = await gateway.rows('/get_positions');
    expect(position).toMatchObject({ client_order_id: 'k' });
  });

  it('of a request of many sends leaves the late answer to another one of them in place', async () => {
    gateway.simulator.faults.clear('frozen-account');
    await gateway.buy();
    await gateway.buy({ volume: 0.2 });
    await gateway.waitFor(gateway.clock.sleep(5_000));
    gateway.simulator.faults.set({ kind: 'frozen-account' });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 400_000, times: 2 });
    await gateway.waitFor(gateway.post('/close_all_positions', {}, 'k'));
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
    await gateway.until(() => gateway.audit().filter(({ event }) => event === 'recovered').length === 2);
    const replayed = async () => (await gateway.post<Flattened>('/close_all_positions', {}, 'k')).body;
    await gateway.until(async () => (await replayed()).closed.length === 2);
    // Which positions it was to close is not known any more, so its answer is complete once the account is explained.
    gateway.simulator.faults.clear('frozen-account');
    await gateway.until(async () => (await replayed()).failed.length === 0);
    expect(await replayed()).toMatchObject({ closed: [{}, {}] });
  });

  it('ends the answer of a request for many that nothing was done at once, and the next start completes it', async () => {
    const crashing = new Crashing();
    const lagging = await crashing.start();
    await lagging.buy();
    await lagging.waitFor(lagging.clock.sleep(5_000));
    lagging.simulator.faults.set({ kind: 'frozen-account' });
    lagging.simulator.faults.set({ kind: 'retcode', retcode: 10008, acts: true, times: 1 });
    lagging.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    lagging.simulator.faults.set({ kind: 'lose-answer', lateMs: 300_000, times: 1 });
    await lagging.waitFor(lagging.post('/close_all_positions', {}, 'k'));
    await lagging.until(async () => (await lagging.statusOf('k')) === 'absent');
    const answer = async () => (await lagging.post<Flattened>('/close_all_positions', {}, 'k')).text;
    const isUndone = async () => (await answer()).includes('nothing was done');
    expect(await isUndone()).toBe(true);
    await lagging.until(() => lagging.audit().some(({ event }) => event === 'recovered'));
    // The look-up of its fill goes on for a minute.
    await lagging.waitFor(lagging.clock.sleep(20_000));
    expect(await isUndone()).toBe(false);
    await crashing.crash(lagging);
    expect(await isUndone()).toBe(false);
    const closed = async () => (await lagging.post<Flattened>('/close_all_positions', {}, 'k')).body.closed;
    await lagging.until(async () => (await closed()).length === 1);
    await lagging.until(async () => (await answer()).includes(`"failed":[]`));
    await lagging.stop();
    crashing.removeFolders();
  });

  it('ends the answer that nothing was done from the next start on if the gateway ends within the writes', async () => {
    const crashing = new Crashing();
    const log = new Gate();
    const lagging = await crashing.start(filesWith(log, '"recovered"'));
    await lagging.waitFor(lagging.clock.sleep(5_000));
    lagging.simulator.faults.set({ kind: 'frozen-account' });
    lagging.simulator.faults.set({ kind: 'lose-answer', lateMs: 200_000, times: 1 });
    expect(await lagging.waitFor(lagging.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    await lagging.until(async () => (await lagging.statusOf('k')) === 'absent');
    log.hold();
    await lagging.until(() => log.held > 0);
    await crashing.crash(lagging, () => Promise.resolve(log.release()));
    expect(lagging.audit().filter(({ event }) => event === 'recovered')).toHaveLength(1);
    const [position] = await lagging.rows('/get_positions');
    expect(await lagging.post('/order', order, 'k')).toMatchObject({
      status: 200,
      body: { recovered: true, result: { order: position?.ticket } },
    });
    await lagging.stop();
    crashing.removeFolders();
  });

  it('ends the answer that nothing was done at once, before its ticket is found', async () => {
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 200_000, times: 1 });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
    await gateway.until(async () => (await gateway.statusOf('k')) !== 'absent');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200, body: { result: { order: null } } });
    gateway.simulator.faults.clear('frozen-account');
    const named = async (): Promise<unknown> => (await gateway.rows('/get_positions'))[0]?.client_order_id;
    await gateway.until(async () => (await named()) === 'k');
    const [position] = await gateway.rows('/get_positions');
    const replayed = async (): Promise<unknown> => {
      const { result } = (await gateway.post<{ result: { order: unknown } }>('/order', order, 'k')).body;
      return result.order;
    };
    await gateway.until(async () => (await replayed()) === position?.ticket);
  });
});

/** A gateway whose broker outlives it. */
class Crashing {
  readonly folders = [mkdtempSync(join(tmpdir(), 'broker-')), mkdtempSync(join(tmpdir(), 'gateway-copy-'))] as const;

  start(files?: Files): Promise<TradingGateway> {
    return TradingGateway.start({ SIM_STATE_FILE: join(this.folders[0], 'account') }, files);
  }

  /** Restarts a gateway with what is on disk at this instant. */
  async crash(gateway: TradingGateway, meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const [, copy] = this.folders;
    cpSync(gateway.folder, copy, { recursive: true });
    await meanwhile();
    await gateway.restart(() => {
      rmSync(gateway.folder, { recursive: true });
      cpSync(copy, gateway.folder, { recursive: true });
    });
  }

  /** A gateway that ends when the answer to a send is on disk, and its request looks for more; and the one after it. */
  async restart(gateway: TradingGateway, pending: Promise<unknown>, loses: 'journal' | 'nothing'): Promise<void> {
    const sends = gateway.audit().filter(({ event }) => event === 'intent').length;
    // In small steps: the line may come late, and the request ends what it looks for after three seconds.
    await gateway.until(() => gateway.audit().filter(({ event }) => event === 'broker_response').length > sends, 10);
    await this.crash(gateway, () => {
      if (loses === 'journal') rmSync(join(this.folders[1], 'state', 'trade-journal'), { recursive: true });
      return gateway.waitFor(pending);
    });
  }

  removeFolders(): void {
    for (const folder of this.folders) rmSync(folder, { recursive: true });
  }
}

describe('an answer that leaves something open, when the gateway ends before it is looked up', () => {
  let crashing: Crashing;
  let gateway: TradingGateway;
  beforeEach(async () => {
    crashing = new Crashing();
    gateway = await crashing.start();
  });
  afterEach(async () => {
    await gateway.stop();
    crashing.removeFolders();
  });

  it('gets the ticket of its order from the next start', async () => {
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['ordersGet'] });
    await crashing.restart(gateway, gateway.post('/order', order, 'k'), 'nothing');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [position] = await gateway.rows('/get_positions');
    expect(position).toMatchObject({ client_order_id: 'k' });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ body: { result: { order: position?.ticket } } });
  });

  it('gets its ticket from the next start when a stop ends the look-up', async () => {
    await gateway.agedBy(600_000);
    gateway.simulator.faults.set({ kind: 'lag', ms: 600_000 });
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 12_000, times: 1 });
    await gateway.waitFor(gateway.post('/order', order, 'k'));
    await gateway.until(() => gateway.audit().some(({ event }) => event === 'recovered'));
    const stoppedMs = gateway.clock.nowMs();
    await gateway.restart();
    expect(gateway.clock.nowMs() - stoppedMs).toBeLessThan(30_000);
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [position] = await gateway.rows('/get_positions');
    expect(position).toMatchObject({ client_order_id: 'k' });
  });

  it.each([
    ['from the next start', 'nothing'],
    ['from the next start, also without its journal', 'journal'],
  ] as const)('gets the fill of a close that was only accepted %s', async (_case, loses) => {
    const close = { position: await gateway.buy() };
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10008, acts: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet'] });
    await crashing.restart(gateway, gateway.post('/close_position', close, 'k'), loses);
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await gateway.post('/close_position', close, 'k')).toMatchObject({
      body: { state: 'closed', closed_volume: 0.1, fill_price_source: 'deal', recovered: true },
    });
  });
});

describe('a late answer that names the order of another request', () => {
  const limit = { symbol: 'EURUSD', type: 'BUY_LIMIT', volume: 0.1, price: 0.9, magic: 7 };
  const timeout = { code: LastErrorCode.INTERNAL_FAIL_TIMEOUT, message: 'timeout' };
  const lost = { kind: 'unknown', reason: 'the terminal did not answer', lastError: timeout } as const;
  let rude: RudeGateway;
  beforeEach(async () => {
    rude = await RudeGateway.start((clock) => new SimulatedDisk(clock, () => 0.5).view);
  });
  afterEach(() => rude.stop());

  const orderOf = ({ body }: RudeAnswer): number => (body.result as { order: number }).order;
  const place = async (): Promise<number> => orderOf(await rude.post('/order', limit));

  it.each<[string, () => Promise<() => Promise<RudeAnswer>>, () => Promise<number>]>([
    [
      'an entry',
      () => Promise.resolve(() => rude.post('/order', { ...order, comment: 'mine' }, 'a')),
      async () => orderOf(await rude.post('/order', { ...order, comment: 'mine' }, 'b')),
    ],
    [
      'a pending order',
      () => Promise.resolve(() => rude.post('/order', { ...limit, comment: 'mine' }, 'a')),
      async () => orderOf(await rude.post('/order', { ...limit, comment: 'mine' }, 'b')),
    ],
    [
      'a close',
      async () => {
        const position = await rude.buy();
        return () => rude.post('/close_position', { position }, 'a');
      },
      async () => orderOf(await rude.post('/close_position', { position: await rude.buy() }, 'b')),
    ],
    [
      'a change of a pending order',
      async () => {
        const ticket = await place();
        return () => rude.send('PUT', `/orders/${ticket}`, { price: 0.91 }, 'a');
      },
      place,
    ],
    [
      'a cancellation',
      async () => {
        const ticket = await place();
        return () => rude.send('DELETE', `/orders/${ticket}`, {}, 'a');
      },
      place,
    ],
    [
      'a change of levels',
      async () => {
        const position = await rude.buy();
        return () => rude.post('/modify_sl_tp', { position, sl: 0.5 }, 'a');
      },
      place,
    ],
  ])('proves nothing about %s that did not reach the broker', async (_what, prepare, another) => {
    const request = await prepare();
    rude.answerToNext = lost;
    expect(await request()).toMatchObject({ status: 502 });
    const intentId = rude.sent.at(-1) ?? '';
    const ticket = await another();
    const owner = async (): Promise<unknown> =>
      (await rude.get(`/history_orders_get?ticket=${ticket}`)).body.data ?? (await rude.get('/orders')).body.data;
    const before = await owner();
    rude.answerLate(intentId, { order: ticket, volume: 0.1, price: 1.1 });
    await rude.clock.sleep(2_000);
    expect(await request()).toMatchObject({ status: 502 });
    // The account shows that nothing was done.
    await rude.clock.sleep(120_000);
    expect((await rude.get('/trade_requests/a')).body).toMatchObject({ status: 'absent' });
    expect(await owner()).toEqual(before);
  });
});

import type { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { TerminalUnavailableError } from '@libs/terminal-client';
import { habits, RudeGateway } from './testing/rude-gateway';

const disk = (clock: VirtualClock) => new SimulatedDisk(clock, () => 0.5).view;
let rude: RudeGateway;
afterEach(() => rude.stop());

const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 };

describe('an exit on a netting account whose list is not loaded', () => {
  it('is not sent for a position that is not shown: if it is gone, the order would open the opposite one', async () => {
    rude = await RudeGateway.start(disk, {}, { marginMode: 'netting' });
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.habit = habits['lists are empty'];
    const error = { status: 503, body: { error_type: 'account_not_synchronized' } };
    expect(await rude.post('/close_position', { position: ticket })).toMatchObject(error);
    expect(await rude.post('/close_all_positions', {})).toMatchObject(error);
    const failed = [{ kind: 'position', ticket, symbol: 'EURUSD', error_type: 'account_not_synchronized' }];
    expect((await rude.post('/kill?flatten=true', {})).body).toMatchObject({
      flatten: { complete: false, closed: [], failed },
    });
    expect(await rude.atBroker()).toMatchObject([{ ticket, volume: 0.1 }]);
  });

  it.each(['hedging', 'netting'] as const)(
    'is that of what is shown, not of the larger volume of before, of which the rest stays open: %s',
    async (marginMode) => {
      rude = await RudeGateway.start(disk, {}, { marginMode });
      const ticket = await rude.buy({ volume: 0.2 });
      await rude.clock.sleep(3_000);
      rude.habit = (list, rows) => (list === 'positionsGet' ? rows.map((row) => ({ ...row, volume: 0.1 })) : rows);
      expect(await rude.post('/close_position', { position: ticket })).toMatchObject({
        status: 200,
        body: { state: 'partially_closed', closed_volume: 0.1, remaining_volume: 0.1 },
      });
      expect(await rude.atBroker()).toMatchObject([{ ticket, volume: 0.1 }]);
    },
  );

  it.each([
    ['its deals', null],
    ['what was known', 'the history has no deals'],
  ] as const)('is not sent for a position that is shown on the other side than by %s', async (_by, also) => {
    rude = await RudeGateway.start(disk, {}, { marginMode: 'netting' });
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    const history = also === null ? null : habits[also];
    rude.habit = (list, rows) => {
      if (list === 'positionsGet') return rows.map((row) => ({ ...row, type: 1 }));
      return history ? history(list, rows) : rows;
    };
    const error = { status: 503, body: { error_type: 'account_not_synchronized' } };
    const sends = rude.sent.length;
    expect(await rude.post('/close_position', { position: ticket })).toMatchObject(error);
    expect(await rude.post('/close_position', { position: ticket, volume: 0.04 })).toMatchObject(error);
    expect(await rude.post('/close_all_positions', {})).toMatchObject(error);
    expect((await rude.post('/kill?flatten=true', {})).body).toMatchObject({
      flatten: { complete: false, closed: [] },
    });
    expect(rude.sent).toHaveLength(sends);
    expect(await rude.atBroker()).toMatchObject([{ ticket, type: 0, volume: 0.1 }]);
  });

  it('is sent for a position that is shown while the history cannot be read, and what is known is of its side', async () => {
    rude = await RudeGateway.start(disk, {}, { marginMode: 'netting' });
    const tickets = [await rude.buy(), await rude.buy({ symbol: 'GBPUSD' }), await rude.buy({ symbol: 'USDJPY' })];
    await rude.clock.sleep(3_000);
    const [closed = 0, flattened = 0, hidden = 0] = tickets;
    let side: object = {};
    rude.habit = (list, rows) => {
      if (list.startsWith('history')) throw new TerminalUnavailableError('failed', { code: -1, message: 'No history' });
      return list === 'positionsGet'
        ? rows.filter((row) => row['ticket'] !== hidden).map((row) => ({ ...row, ...side }))
        : rows;
    };
    await rude.clock.sleep(3_000);
    side = { type: 1 };
    expect((await rude.post('/close_position', { position: closed })).status).toBe(503);
    side = {};
    expect(await rude.post('/close_position', { position: closed })).toMatchObject({ status: 200 });
    await rude.post('/kill?flatten=true', {});
    expect((await rude.atBroker()).map(({ ticket, type }) => [ticket, type])).toEqual([[hidden, 0]]);
    expect(flattened).toBeGreaterThan(closed);
  });
});

describe.each(['hedging', 'netting'] as const)('flattening a %s account whose lists are late', (marginMode) => {
  const flattened = async (): Promise<object> => (await rude.post('/kill?flatten=true', {})).body['flatten'] as object;
  beforeEach(async () => {
    rude = await RudeGateway.start(disk, {}, { marginMode });
  });

  const unexplained = { error_type: 'account_not_synchronized' };
  const openUnseen = async (): Promise<void> => {
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'late-lists', positionsMs: 20_000, sums: true });
    await rude.byHand('EURUSD');
  };

  /** The first send is the last thing that works. */
  const failReadsOnceSent = (): void => {
    const before = rude.sent.length;
    rude.habit = (_list, rows) => {
      if (rude.sent.length > before)
        rude.simulator.faults.set({ kind: 'failed-reads', methods: ['positionsGet'], code: -1 });
      return rows;
    };
  };

  it('by closing all positions is refused while no list shows what was opened since the last look', async () => {
    await openUnseen();
    expect(await rude.post('/close_all_positions', {})).toMatchObject({ status: 503, body: unexplained });
  });

  it('is not complete by a look that failed, which would show what no list shows yet', async () => {
    await openUnseen();
    rude.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet'], code: -1 });
    expect(await rude.post('/close_all_positions', {})).toMatchObject({ status: 503, body: unexplained });
    expect(await flattened()).toMatchObject({ complete: false, closed: [], failed: [unexplained] });
  });

  it('is not complete while no list shows what was opened since the last look', async () => {
    await openUnseen();
    expect(await flattened()).toMatchObject({ complete: false, closed: [], failed: [unexplained] });
    rude.simulator.faults.clear();
    expect(await flattened()).toMatchObject({ complete: true, closed: [{ volume: 0.1 }] });
    expect(await rude.atBroker()).toEqual([]);
  });

  it('sends each exit once, and waits until the lists show it', async () => {
    const tickets = [await rude.buy(), await rude.buy({ symbol: 'GBPUSD' })];
    const { body } = await rude.post('/order', { ...order, type: 'BUY_LIMIT', price: 1 });
    const resting = (body['result'] as { order: number }).order;
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'late-lists', positionsMs: 1_000, ordersMs: 1_500, sums: true });
    const before = rude.sent.length;
    expect(await flattened()).toEqual({
      cancelled: [{ ticket: resting, symbol: 'EURUSD' }],
      closed: tickets.map((ticket): object => expect.objectContaining({ ticket, volume: 0.1 }) as object),
      failed: [],
      unknown: [],
      complete: true,
    });
    expect(rude.sent.length - before).toBe(3);
  });

  it('sends no second close of a position whose close the broker has only accepted', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    const lateMs = { positionsMs: 9_000, ordersMs: 9_000, dealsMs: 9_000, historyOrdersMs: 9_000 };
    rude.simulator.faults.set({ kind: 'late-lists', ...lateMs, sums: true });
    rude.simulator.faults.set({ kind: 'retcode', retcode: 10_008, acts: true });
    expect(await flattened()).toMatchObject({ complete: false, failed: [{ ticket }, {}] });
    expect(rude.sent).toHaveLength(2);
  });

  it('reports what it has closed although the account cannot be read afterwards', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    failReadsOnceSent();
    const failed = [{ ticket: 0, error_type: 'terminal_unavailable' }];
    expect(await flattened()).toMatchObject({ complete: false, closed: [{ ticket }], failed, unknown: [] });
    expect(rude.sent).toHaveLength(2);
  });

  it('by closing all positions reports what it has closed, too', async () => {
    const ticket = await rude.buy();
    await openUnseen();
    failReadsOnceSent();
    expect(await rude.post('/close_all_positions', {})).toMatchObject({
      status: 207,
      body: { closed: [{ ticket }], failed: [{ ticket: 0, error_type: 'terminal_unavailable' }] },
    });
  });

  it('does not call a close refused that was refused at first and then acknowledged', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'retcode', retcode: 10_018, times: 1 });
    rude.simulator.faults.set({ kind: 'late-lists', positionsMs: 20_000, sums: true });
    const report = await flattened();
    expect(report).toMatchObject({ complete: false, closed: [{ ticket }] });
    expect(JSON.stringify(report)).not.toContain('broker_rejected');
  });

  it('says of what a list goes on to show that the broker has acknowledged its exit', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'frozen-account' });
    const failed = [{ kind: 'position', ticket, error: expect.stringContaining('acknowledged') }];
    expect(await flattened()).toMatchObject({ complete: false, closed: [{ ticket }], failed });
    expect(rude.sent).toHaveLength(2);
  });

  it.each(['half', 'empty'] as const)('is complete although each second read of a list is %s', async (shows) => {
    await rude.buy();
    await rude.buy({ symbol: 'GBPUSD' });
    await rude.post('/order', { ...order, type: 'BUY_LIMIT', price: 1 });
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'flickering-lists', shows, every: 2 });
    expect(await flattened()).toMatchObject({ complete: true, failed: [] });
    expect(await rude.atBroker()).toEqual([]);
  });
});

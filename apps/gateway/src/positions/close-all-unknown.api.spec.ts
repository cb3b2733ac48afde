import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Retcode } from '@libs/terminal-client';
import { removeFolder } from '../testing/gateway-under-test';
import { TradingGateway } from '../trade-journal/testing/trading-gateway';

interface Item {
  readonly ticket: number;
  readonly error_type?: string;
  readonly profit?: number | null;
}
interface Lists {
  readonly closed: readonly Item[];
  readonly failed: readonly Item[];
  readonly unknown: readonly Item[];
}

const ticketsOf = (items: readonly Item[]): number[] => items.map(({ ticket }) => ticket).sort();

describe('closing all positions when an outcome is unknown', () => {
  let gateway: TradingGateway;
  let tickets: number[];
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'broker-'));
    gateway = await TradingGateway.start({
      TERMINAL_TRADE_TIMEOUT_MS: '1000',
      SIM_STATE_FILE: join(folder, 'broker.json'),
    });
    tickets = [await gateway.buy(), await gateway.buy({ symbol: 'GBPUSD' }), await gateway.buy({ symbol: 'USDJPY' })];
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(folder);
  });

  const closeAll = () => gateway.post<Lists>('/close_all_positions', {}, 'all');

  it('is a 502 with the lists, replayed until the outcome is known', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.TIMEOUT, acts: true, times: 1 });
    const first = await closeAll();
    expect(first).toMatchObject({
      status: 502,
      body: {
        ok: false,
        error_type: 'unknown_outcome',
        details: { client_order_id: 'all' },
        closed: [{}, {}],
        failed: [],
        unknown: [{ kind: 'position', error_type: 'unknown_outcome' }],
      },
    });
    expect(ticketsOf([...first.body.closed, ...first.body.unknown])).toEqual(tickets.sort());
    expect(await closeAll()).toMatchObject({ status: 502, text: first.text });

    await gateway.until(async () => (await gateway.statusOf('all')) === 'recovered');
    const resolved = await closeAll();
    expect(resolved).toMatchObject({ status: 200, body: { ok: true, recovered: true, failed: [] } });
    expect(ticketsOf(resolved.body.closed)).toEqual(tickets.sort());
    // The facts of the first response are kept; the profit of the close that was found is read from its deal.
    expect(resolved.body.closed.filter(({ profit }) => profit !== null)).toHaveLength(3);
  });

  it('is a 207 once it is known that the close did nothing', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.TIMEOUT, times: 1 });
    expect(await closeAll()).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('all')) === 'recovered');
    const { status, body } = await closeAll();
    expect(status).toBe(207);
    expect(body).toMatchObject({ closed: [{}, {}], failed: [{ error_type: 'broker_rejected' }] });
  });

  it('lists a close that the broker accepted without a fill (10008) among the failed ones', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.PLACED, times: 1 });
    const { status, body } = await gateway.waitFor(closeAll());
    expect(status).toBe(207);
    expect(body).toMatchObject({ closed: [{}, {}], failed: [{ error_type: 'unknown_outcome' }] });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('lists a position that was closed already (10036) among the failed ones while the list shows it', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.POSITION_CLOSED, times: 1 });
    const { status, body } = await gateway.waitFor(closeAll());
    expect(status).toBe(207);
    expect(body).toMatchObject({
      closed: [{}, {}],
      failed: [
        {
          error_type: 'unknown_outcome',
          error: 'the broker says that the position was closed already; no list shows that yet',
        },
      ],
    });
  });

  it('lists a position that was closed already (10036) among the closed ones once the list lacks it', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.POSITION_CLOSED, acts: true, times: 1 });
    expect(await closeAll()).toMatchObject({ status: 200, body: { closed: [{}, {}, {}], failed: [] } });
  });

  it('still names positions that failed before any send', async () => {
    // Only one symbol's quote can no longer be read, so its close is not even tried.
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['symbolInfo'], times: 1 });
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.TIMEOUT, acts: true, times: 1 });
    const first = await closeAll();
    expect(first).toMatchObject({
      status: 502,
      body: { closed: [{}], failed: [{ error_type: 'terminal_unavailable' }], unknown: [{}] },
    });
    await gateway.until(async () => (await gateway.statusOf('all')) === 'recovered');
    const { status, body } = await closeAll();
    expect(status).toBe(207);
    expect(body).toMatchObject({ closed: [{}, {}], failed: first.body.failed });
  });

  /** The tickets that the recovered answer names when the lists of the first one were lost with the journal, one of them opened later. */
  async function namedAfterLostLists() {
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['symbolInfo'], times: 1 });
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.TIMEOUT, acts: true, times: 1 });
    expect(await closeAll()).toMatchObject({ status: 502, body: { failed: [{ error_type: 'terminal_unavailable' }] } });
    const [left] = await gateway.rows('/get_positions');
    await gateway.waitFor(gateway.clock.sleep(60_000), 10_000);
    const later = await gateway.buy();
    await gateway.restart(() => rmSync(join(gateway.folder, 'state'), { recursive: true }));
    const { id } = (await gateway.get<{ journal: { id: string } }>('/health')).body.journal;
    expect(await gateway.post('/journal/accept', { journal_id: id })).toMatchObject({ status: 200 });
    await gateway.until(async () => (await gateway.statusOf('all')) === 'recovered');
    const { status, body } = await closeAll();
    expect(status).toBe(207);
    expect(body).toMatchObject({
      ...{ recovered: true, closed: [{}, {}] },
      failed: body.failed.map(() => ({ error_type: 'unknown_outcome' })),
    });
    return { named: ticketsOf(body.failed), left: left?.ticket, later };
  }

  it('names the positions that are open once its lists were lost with the journal, but no later one', async () => {
    const { named, left } = await namedAfterLostLists();
    expect(named).toEqual([left]);
  });

  it('names those that were opened before also where the clock repeats an hour, which does not tell what was later', async () => {
    expect(await gateway.post('/close_all_positions', {})).toMatchObject({ status: 200 });
    gateway.clock.jump(Date.UTC(2026, 9, 25, 0, 50) - gateway.clock.nowMs());
    for (const symbol of ['EURUSD', 'GBPUSD', 'USDJPY']) await gateway.buy({ symbol });
    await gateway.waitFor(gateway.clock.sleep(1_200_000), 10_000);
    const { named, left, later } = await namedAfterLostLists();
    expect(named).toEqual([left, later]);
  });

  it('summarizes in `result` once everything is known', async () => {
    expect(await closeAll()).toMatchObject({
      status: 200,
      body: { result: { positions: 3, closed: 3, failed: 0, closed_volume: 0.3, profit: expect.any(Number) } },
    });
  });

  it('appears in the report of a flattening, which is then incomplete', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: Retcode.TIMEOUT, acts: true, times: 1 });
    const { status, body } = await gateway.post<{ flatten: Lists }>('/kill?flatten=true');
    expect(status).toBe(207);
    expect(body.flatten).toMatchObject({
      complete: false,
      closed: [{}, {}],
      failed: [],
      unknown: [{ kind: 'position', error_type: 'unknown_outcome' }],
    });
  });
});

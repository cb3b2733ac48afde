import { setTimeout as pause } from 'node:timers/promises';
import { Scratch } from '../e2e/programs/scratch';
import type { DaemonProgram } from '../e2e/daemon/daemon-program';
import { DrillRig, flip, holdOne, logOf, tellHoles } from '../e2e/daemon/drill-rig';
import type { Fault } from '../e2e/daemon/faulty-proxy';

const refusal = (status: number, error_type: string, headers = {}): Fault => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: { ok: false, error: `drill ${status}`, error_type, request_id: 'drill' },
});
const page = (status: number): Fault => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html>drill</html>',
});
const ok = (more: object): Fault => ({ status: 200, body: { ok: true, ...more } });

/** What may come instead of an answer, and what the daemon says of it. */
const answers: readonly (readonly [name: string, fault: Fault, lastError: RegExp])[] = [
  ['500', refusal(500, 'internal_error'), /drill 500/],
  ['502 with a page', page(502), /status 502 without/],
  ['503', refusal(503, 'terminal_unavailable'), /drill 503/],
  ['401', refusal(401, 'authentication_error'), /drill 401/],
  ['429', { status: 429, headers: { 'retry-after': '1' }, body: 'slow down' }, /status 429 without/],
  ['200 with a page', page(200), /status 200 without/],
  ['200 with half a body', 'cut-short', /status 200 without/],
  ['200 that says no', { status: 200, body: { ok: false, error: 'drill no', error_type: 'x' } }, /drill no/],
  ['200 with nothing', { status: 200, body: {} }, /status 200 without/],
];
/** What may come instead of the positions. */
const lists: readonly (readonly [name: string, fault: Fault, lastError: RegExp])[] = [
  ['no list', ok({}), /no list of positions/],
  ['an object', ok({ data: {} }), /no list of positions/],
  ['null', ok({ data: null }), /no list of positions/],
  ['rows without members', ok({ data: [{}], total: 1 }), /position has no ticket/],
  ['a row without a volume', ok({ data: [{ ticket: 1, magic: 1, type: 0, symbol: 'X' }] }), /position has no time/],
  ['fewer rows than it counts', ok({ data: [], total: 1 }), /counts 1 position and lists 0/],
];

describe('a gateway that does not answer', () => {
  const scratch = new Scratch();
  let rig: DrillRig;
  beforeEach(async () => (rig = await DrillRig.start(scratch)));
  afterEach(() => scratch.clear());

  const lastError = (daemon: DaemonProgram, pattern: RegExp) =>
    daemon.untilHealth(({ gateways }) => pattern.test(String(gateways[0]?.lastError)));
  const recovered = async (daemon: DaemonProgram): Promise<void> => {
    rig.proxy.fault = () => null;
    await daemon.untilHealth(({ condition }) => condition === 'ok');
  };
  it('for an hour of the market with an order in flight: one position, no double, no bar missed', async () => {
    const module = rig.module(`${tellHoles}\n${holdOne}`);
    rig.proxy.fault = (method, path) => {
      if (method !== 'POST' || path !== '/order') return null;
      rig.proxy.fault = () => 'lost-before';
      return 'lost-after';
    };
    const daemon = await rig.daemon([{ name: 'probe', module }]);
    await daemon.untilHealth(({ gateways }) => gateways[0]?.reachable === false);
    await daemon.untilStatus('probe', ({ orders }) => orders.unknown === 1);
    // Six seconds at 600 times the pace.
    await pause(6_000);
    expect(await daemon.status('probe')).toMatchObject({ positions: [], trades: 0, orders: { inFlight: 1 } });
    rig.proxy.fault = () => null;
    const back = await daemon.untilStatus('probe', (now) => now.positions.length === 1 && now.orders.inFlight === 0);
    expect(back).toMatchObject({ trades: 1, missedBars: 0, halted: false, orders: { unknown: 1, rejected: 0 } });
    expect(rig.proxy.keys('/order')).toHaveLength(1);
    expect(await rig.positions()).toHaveLength(1);
    expect(await logOf(daemon, 'probe')).not.toContain('a hole before');
    expect(await recovered(daemon)).toBeUndefined();
  });

  it('but with something else: nothing is closed, doubled or believed, entries are denied, and it recovers', async () => {
    // At every bar it wants one more than it may have.
    const module = rig.module(`${tellHoles}\nif (!trade.warmingUp) trade.buy('main', { volume: 0.1 });`);
    const daemon = await rig.daemon([{ name: 'probe', module, more: { risk: { maxOpenPositions: 1 } } }]);
    const { positions } = await daemon.untilStatus('probe', (now) => now.positions.length === 1);
    const isOfAccount = (path: string): boolean => /^\/(get_positions|orders|account|health|history.*)$/.test(path);
    const denials = async (reason: string): Promise<number> => (await logOf(daemon, 'probe')).split(reason).length;
    for (const [, fault, pattern] of answers) {
      const before = await denials('the account could not be read');
      rig.proxy.fault = (method, path) => (method === 'GET' && isOfAccount(path) ? fault : null);
      const health = await lastError(daemon, pattern);
      expect(health.gateways[0]).toMatchObject({ ready: false });
      while ((await denials('the account could not be read')) < before + 2) await pause(50);
      expect(await daemon.status('probe')).toMatchObject({ trades: 1, state: 'running', halted: false });
      expect((await daemon.status('probe')).positions).toMatchObject([{ ticket: positions[0]?.ticket, volume: 0.1 }]);
      await recovered(daemon);
      const allowed = await denials('reached');
      while ((await denials('reached')) === allowed) await pause(50);
    }
    expect(await rig.positions()).toEqual([expect.objectContaining({ ticket: positions[0]?.ticket })]);
    expect([rig.proxy.keys('/order').length, rig.proxy.sends.length]).toEqual([1, 1]);
    expect(await daemon.status('probe')).toMatchObject({ missedBars: 0, orders: { rejected: 0, unknown: 0 } });
    expect(await logOf(daemon, 'probe')).not.toContain('a hole before');
  });

  it('but with something else to an order: it is looked for under its key, never sent under another', async () => {
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(flip) }]);
    for (const [, fault] of answers.filter(([name]) => name !== '401')) {
      const before = await daemon.untilStatus('probe', ({ orders }) => orders.inFlight === 0);
      let failures = 2;
      rig.proxy.fault = (method, path) => (method === 'POST' && path === '/order' && failures-- > 0 ? fault : null);
      await daemon.untilStatus(
        'probe',
        ({ orders }) => orders.unknown > before.orders.unknown && orders.inFlight === 0,
      );
    }
    await rig.gateway.call('/kill', { method: 'POST' });
    const last = await daemon.untilStatus('probe', ({ orders }) => orders.blocked >= 1 && orders.inFlight === 0);
    const deals = (await rig.gateway.call('/history_deals_range?magic=41001')).body['data'] as { entry: number }[];
    const journal = await Promise.all(
      rig.proxy.keys('/order').map((key) => rig.gateway.call(`/trade_requests/${encodeURIComponent(key)}`)),
    );
    const done = journal.filter(({ body }) => body['response_status'] === 200);
    expect(done).toHaveLength(deals.filter(({ entry }) => entry === 0).length);
    expect(last.realized).toBeCloseTo((await rig.balance()) - 10_000, 6);
  });

  it('with the positions: a missing list does not count as an empty account', async () => {
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(holdOne) }]);
    const before = await daemon.untilStatus('probe', ({ positions }) => positions.length === 1);
    for (const [, fault, pattern] of lists) {
      rig.proxy.fault = (_method, path) => (path === '/get_positions' ? fault : null);
      const health = await lastError(daemon, pattern);
      expect(health.gateways[0]).toMatchObject({ reachable: false });
      const { positions, trades } = await daemon.status('probe');
      expect([positions.map(({ ticket }) => ticket), trades]).toEqual([[before.positions[0]?.ticket], 1]);
    }
    await recovered(daemon);
    expect(await rig.positions()).toEqual([expect.objectContaining({ ticket: before.positions[0]?.ticket })]);
    expect(rig.proxy.keys('/order')).toHaveLength(1);
  });
});

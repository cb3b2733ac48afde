import { Scratch } from '../e2e/programs/scratch';
import { DrillRig, flip, holdOne, logOf } from '../e2e/daemon/drill-rig';

describe('an account that is swapped behind the address', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('gets no order, however short the moment: the request itself says whom it is for', async () => {
    const rig = await DrillRig.start(scratch);
    const other = await rig.stranger();
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(flip) }]);
    await daemon.untilStatus('probe', ({ trades }) => trades >= 2);
    // Only the trade requests reach another account: a read of the account cannot show it.
    rig.proxy.fault = (method) => (method === 'GET' ? null : { to: other.url });
    const astray = await daemon.untilStatus('probe', ({ orders }) => orders.rejected >= 2);
    expect(await rig.positions(other)).toEqual([]);
    expect((await other.call('/history_orders_get')).body['data']).toEqual([]);
    expect(await logOf(daemon, 'probe')).toContain(
      'account_mismatch: the request is for account 100001; the logged-in account is 100002',
    );
    rig.proxy.fault = () => null;
    await daemon.untilStatus('probe', ({ trades }) => trades > astray.trades);
  });

  it('is not believed about a key it never heard of, and an order that was carried out is not lost', async () => {
    const rig = await DrillRig.start(scratch);
    const other = await rig.stranger();
    // The order reaches the account, its answer does not come back, and the address is another's from then on.
    rig.proxy.fault = (method, path) => {
      if (method !== 'POST' || path !== '/order') return null;
      rig.proxy.fault = () => ({ to: other.url });
      return 'lost-after';
    };
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(holdOne) }]);
    await daemon.untilStatus('probe', ({ orders }) => orders.inFlight === 1);
    const health = await daemon.untilHealth(({ gateways }) => String(gateways[0]?.lastError).includes('100002'));
    expect(health).toMatchObject({ status: 'ok', condition: 'degraded' });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await daemon.status('probe')).orders).toMatchObject({ inFlight: 1, rejected: 0, unknown: 1 });
    rig.proxy.fault = () => null;
    const found = await daemon.untilStatus(
      'probe',
      ({ positions, orders }) => positions.length === 1 && orders.inFlight === 0,
    );
    expect(found).toMatchObject({ trades: 1, halted: false });
    expect(await rig.positions()).toHaveLength(1);
    expect(rig.proxy.keys('/order')).toHaveLength(1);
    expect(await rig.positions(other)).toEqual([]);
  });

  it('is shared by no two daemons under one magic: the second one halts', async () => {
    const rig = await DrillRig.start(scratch);
    const strategies = [{ name: 'probe', module: rig.module(holdOne) }];
    const first = await rig.daemon(strategies);
    await first.untilStatus('probe', ({ positions }) => positions.length === 1);
    const [position] = await rig.positions();
    const second = await rig.daemon(strategies, { state: 'other-state' });
    const status = await second.untilStatus('probe', ({ halted }) => halted);
    expect(status).toMatchObject({
      haltReason: `positions under magic 41001 that the strategy did not open: ${position?.ticket}`,
      positions: [],
      orders: { submitted: 0 },
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await rig.positions()).toEqual([expect.objectContaining({ ticket: position?.ticket })]);
    expect(await first.status('probe')).toMatchObject({ state: 'running', trades: 1 });
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { Scratch } from '../e2e/programs/scratch';
import { DrillRig, holdOne, logOf, tellHoles } from '../e2e/daemon/drill-rig';

describe('a gateway that answers slowly', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('delays no answer of the daemon, gets no more requests, and loses no bar', async () => {
    const rig = await DrillRig.start(scratch);
    const keen = rig.module(`${tellHoles}\nif (!trade.warmingUp) trade.buy('main', { volume: 0.1 });`, 'keen');
    const risk = { maxOpenPositions: 1 };
    const daemon = await rig.daemon([
      { name: 'keen', module: keen, more: { risk } },
      { name: 'second', module: rig.module(holdOne, 'second'), magic: 41002, symbol: 'GBPUSD' },
      { name: 'third', module: rig.module(holdOne, 'third'), magic: 41003, symbol: 'USDJPY' },
    ]);
    for (const name of ['keen', 'second', 'third']) {
      await daemon.untilStatus(name, ({ positions }) => positions.length === 1);
    }
    // Per gateway: two for a read of the account, one for quotes that are not streamed; per stream: its bars and its quote.
    const most = 2 + 1 + 3 * 2;

    rig.proxy.fault = () => ({ lateMs: 3_000 });
    rig.proxy.mostInFlight = rig.proxy.inFlight;
    for (let asked = 0; asked < 20; asked++) {
      // One that has only just come, so that it has nearly all of its three seconds left.
      const { arrivals } = rig.proxy;
      while (rig.proxy.arrivals === arrivals) await pause(5);
      const { body } = await daemon.call<{ positions: unknown[] }>('/status/keen');
      expect(body.positions).toHaveLength(1);
      // It is still in flight: nothing waited for it.
      expect(rig.proxy.inFlight).toBeGreaterThan(0);
      await pause(200);
    }
    expect(rig.proxy.mostInFlight).toBeLessThanOrEqual(most);

    // Beyond the time the daemon gives a read; bars go on, so entries are wanted on an account that cannot be read.
    rig.proxy.fault = (_method, path) => (path === '/fetch_data_pos' ? null : { lateMs: 30_000 });
    await daemon.untilHealth(({ gateways }) => /no answer within 5000 ms/.test(String(gateways[0]?.lastError)));
    // Bars that come late by now are denied as such, before the account is asked.
    while (!/the account could not be read for \d+ s|stale_bar/.test(await logOf(daemon, 'keen'))) await pause(50);
    expect(rig.proxy.mostInFlight).toBeLessThanOrEqual(most);
    expect(await daemon.untilHealth(({ condition }) => condition === 'degraded')).toMatchObject({
      gateways: [{ reachable: false, ready: false }],
    });
    for (const name of ['keen', 'second', 'third']) {
      expect(await daemon.status(name)).toMatchObject({ positions: [{ volume: 0.1 }], trades: 1, halted: false });
    }

    rig.proxy.fault = () => null;
    await daemon.untilHealth(({ condition }) => condition === 'ok');
    const now = await daemon.untilStatus('keen', ({ orders }) => orders.denied > 0);
    expect(now).toMatchObject({ missedBars: 0, trades: 1, orders: { unknown: 0, rejected: 0 } });
    expect(await rig.positions()).toHaveLength(3);
    expect(rig.proxy.keys('/order')).toHaveLength(3);
    expect(await logOf(daemon, 'keen')).not.toContain('a hole before');
  });
});

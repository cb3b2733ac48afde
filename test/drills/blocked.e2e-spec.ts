import { Scratch } from '../e2e/programs/scratch';
import type { DaemonProgram, StatusBody } from '../e2e/daemon/daemon-program';
import { DrillRig } from '../e2e/daemon/drill-rig';

const names = Array.from({ length: 20 }, (_name, index) => `s${index}`);
/** Wants to trade at every tick: in when it is flat, out when it is not. */
const restless = `onTick(_tick: unknown, trade: Trade) {
  if (trade.inFlight > 0) return;
  const [open] = trade.positions();
  if (open) trade.close(open); else trade.buy('main', { volume: 0.01 });
}`;

describe('a kill switch before twenty strategies that want to trade at every tick', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('blocks each intent once; reads go on, nothing is repeated, and trading goes on when it is released', async () => {
    const rig = await DrillRig.start(scratch, { SIM_SPEED: '60' });
    const module = rig.module('', 'restless', restless);
    const daemon = await rig.daemon(names.map((name, index) => ({ name, module, magic: 5_000 + index })));
    const statuses = (): Promise<StatusBody[]> => Promise.all(names.map((name) => daemon.status(name)));
    const all = async (satisfies: (body: StatusBody) => boolean): Promise<StatusBody[]> => {
      for (const name of names) await daemon.untilStatus(name, satisfies);
      return statuses();
    };
    await all(({ trades }) => trades >= 2);

    await rig.gateway.call('/kill', { method: 'POST' });
    await all(({ orders }) => orders.blocked >= 3);
    const reads = await readsOf(daemon);
    await all(({ orders }) => orders.blocked >= 6);
    expect(await readsOf(daemon)).toMatchObject({ reachable: true, lastError: null, streaming: reads.streaming });
    expect((await rig.gateway.call('/health')).body).toMatchObject({ kill_switch_active: true });
    for (const { orders, halted } of await statuses()) {
      expect([halted, orders.rejected, orders.unknown]).toEqual([false, 0, 0]);
    }

    await rig.gateway.call('/kill/release', { method: 'POST' });
    const before = await statuses();
    await all(({ trades }) => trades >= Math.max(...before.map((body) => body.trades)) + 2);
    // Settled by a second halt, so that what went out can be counted.
    await rig.gateway.call('/kill', { method: 'POST' });
    await daemon.stop();
    expect(rig.proxy.sends.length).toBe(new Set(rig.proxy.sends.map(({ key }) => key)).size);
  });
});

async function readsOf(daemon: DaemonProgram): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await daemon.call<{ gateways: readonly Readonly<Record<string, unknown>>[] }>('/health');
  return body.gateways[0] ?? {};
}

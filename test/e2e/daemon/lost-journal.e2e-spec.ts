import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { DrillRig, holdOne } from './drill-rig';

describe('a gateway that lost its journal while an order was in flight', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('settles nothing without an operator: the order is held, not sent again, and settled by the operator', async () => {
    const broker = { ...fastMarket(60), SIM_STATE_FILE: join(scratch.folder(), 'account') };
    const rig = await DrillRig.start(scratch, broker);
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(holdOne) }]);
    rig.proxy.fault = (_method, path) => {
      if (path !== '/order') return null;
      rig.proxy.fault = () => 'lost-before';
      return 'lost-after';
    };
    await daemon.untilStatus('probe', ({ orders }) => orders.unknown === 1);
    await rig.gateway.until('/get_positions', ({ body }) => (body['data'] as unknown[]).length === 1);
    await rig.gateway.stop();

    // The same account, and an empty state directory.
    const successor = await GatewayProgram.startReady(scratch, broker);
    const { journal } = (await successor.call('/health')).body as { journal: { id: string; state: string } };
    expect(journal.state).toBe('lost');
    rig.proxy.lead(successor.url);
    rig.proxy.fault = () => null;
    const held = await daemon.untilStatus('probe', ({ problem }) => problem !== null);
    expect(held).toMatchObject({ positions: [], trades: 0, orders: { inFlight: 1, rejected: 0 } });
    const [, key = ''] = /request (\S+) on demo cannot be resolved: .*journal.*settle/.exec(held.problem ?? '') ?? [];
    expect(key).toBe(rig.proxy.keys('/order')[0]);
    const accepted = await successor.call('/journal/accept', { method: 'POST', body: { journal_id: journal.id } });
    expect(accepted.status).toBe(200);
    // Entries wait until the operator has settled it.
    await daemon.untilStatus('probe', ({ orders }) => orders.inFlight === 1);
    expect(rig.proxy.keys('/order')).toEqual([key]);

    const [position] = await rig.positions(successor);
    const args = ['settle', 'probe', key, '--order', String(position?.ticket)];
    const cli = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), ...args],
      env: { ...bareEnvironment(), API_KEY: 'e2e-key', DAEMON_STATE_DIR: join(rig.folder, 'state') },
    });
    expect([await cli.exitCode(), cli.output]).toEqual([0, `request ${key} of probe settled`]);
    const settled = await daemon.untilStatus('probe', ({ positions }) => positions.length === 1);
    expect(settled).toMatchObject({ problem: null, trades: 1, halted: false, orders: { inFlight: 0 } });
    expect(settled.positions[0]?.ticket).toBe(position?.ticket);
    expect(await rig.positions(successor)).toHaveLength(1);
  });
});

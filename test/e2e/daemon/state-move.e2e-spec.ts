import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { describeWithPostgres, PostgresServer } from '../programs/postgres';
import { Scratch } from '../programs/scratch';
import { waitUntil } from '../programs/waits';
import { configuration, DaemonProgram, type StatusBody, type StrategyText } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';
import { FleetHosts } from './fleet-rig';
import { StateMoveRig } from './state-move-rig';

/** Buys once in its life, as far as it knows. */
const buyOnce = `if (!trade.warmingUp && trade.state.sent === 0) { trade.state.sent = 1; trade.buy('main', { volume: 0.1 }); }`;
const closeAll = `if (!trade.warmingUp && trade.inFlight === 0) for (const open of trade.positions()) trade.close(open);`;

interface Kept {
  readonly keptState: { readonly value: { readonly sent: number } } | null;
}

describeWithPostgres('the state of a daemon without a database', () => {
  const scratch = new Scratch();
  let server: PostgresServer;
  let rig: StateMoveRig;
  beforeEach(() => {
    server = PostgresServer.start();
    scratch.undo(() => server.end());
    rig = new StateMoveRig(server, join(scratch.folder(), 'state'));
  });
  afterEach(() => scratch.clear());

  describe('with a position, kept state, a halt and a request without an answer', () => {
    let gateway: GatewayProgram;
    let proxy: FaultyProxy;
    let folder: string;
    beforeEach(async () => {
      gateway = await GatewayProgram.startReady(scratch, fastMarket());
      proxy = await FaultyProxy.start(gateway.url);
      scratch.undo(() => proxy.stop());
      folder = scratch.folder();
    });

    const strategy = (name: string, onBar: string): string => {
      const path = join(folder, `${name}.ts`);
      writeFileSync(
        path,
        `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, state: { version: 1, initial: { sent: 0 } },
  create: () => ({ onBar(bar, trade) { ${onBar} } }) });`,
      );
      return path;
    };
    const started = (strategies: readonly StrategyText[], dir = rig.stateDir): Promise<DaemonProgram> =>
      DaemonProgram.start(scratch, {
        config: configuration(folder, proxy.url, strategies),
        stateDir: dir,
        env: { API_KEY: 'e2e-key' },
      });
    /** The first host of the fleet, on the directory of the moved state. */
    const hostOf = (strategies: readonly StrategyText[]): Promise<DaemonProgram> =>
      DaemonProgram.start(scratch, {
        config: configuration(folder, gateway.url, strategies),
        stateDir: rig.stateDir,
        env: { API_KEY: 'e2e-key', DAEMON_DATABASE_URL: server.url, DAEMON_LEASE_SECONDS: '3' },
      });
    const ticketsOf = async (): Promise<readonly number[]> => {
      const { body } = await gateway.call('/get_positions');
      return (body['data'] as readonly { readonly ticket: number }[]).map(({ ticket }) => ticket).sort();
    };

    it('goes on in a fleet: nothing is lost, no order is sent twice, and no copy of it trades', async () => {
      const holder = { name: 'holder', module: strategy('holder', buyOnce), magic: 1 };
      const asker = { name: 'asker', module: strategy('asker', buyOnce), magic: 2 };
      const idle = { name: 'idle', module: strategy('idle', ''), magic: 3 };
      const all = [holder, asker, idle];
      let daemon = await started([holder, idle]);
      const [position] = (await daemon.untilStatus('holder', ({ positions }) => positions.length === 1)).positions;
      expect(await rig.commanded('halt', 'idle', '--reason', 'by hand').exitCode()).toBe(0);
      await daemon.stop();
      // The order is carried out; neither its answer nor a look at its key comes back.
      proxy.fault = (method, path) => {
        if (path === '/order' && method === 'POST') return 'lost-after';
        return path.startsWith('/trade_requests') ? 'lost-before' : null;
      };
      daemon = await started(all);
      await daemon.untilStatus('asker', ({ orders }) => orders.inFlight === 1);
      await waitUntil('the order at the broker', ticketsOf, ({ length }) => length === 2);
      const tickets = await ticketsOf();
      const refused = rig.commanded('state', 'move');
      expect(await refused.exitCode()).toBe(1);
      expect(refused.output).toBe(`nothing was moved:\n  a daemon is using ${rig.stateDir}: stop it`);
      await daemon.kill();
      proxy.fault = () => null;
      const old = join(scratch.folder(), 'old');
      cpSync(rig.stateDir, old, { recursive: true });
      const lines = await rig.linesOf(join(old, 'state.lmdb'));

      expect(await rig.moved()).toMatch(
        /^UNIT .*\nasker +0 +1 .*\nholder +1 +0 .*\nidle +0 +0 +0 +1 +\d+\nmoved into /,
      );
      expect(rig.written()).toEqual(lines);
      const single = DaemonProgram.spawn({
        ...{ config: configuration(folder, proxy.url, all), stateDir: rig.stateDir, env: { API_KEY: 'e2e-key' } },
      });
      expect(await single.exitCode()).toBe(1);
      expect(single.output).toContain(`the state of ${rig.stateDir} was moved into the database`);

      const hosts = new FleetHosts(scratch, server, gateway, all);
      const host = await hostOf(all);
      const isSettled = ({ state, positions, orders }: StatusBody) =>
        state === 'running' && positions.length === 1 && orders.inFlight === 0;
      const [held, found] = [await host.untilStatus('holder', isSettled), await host.untilStatus('asker', isSettled)];
      expect([held.positions[0]?.ticket, found.positions[0]?.ticket].sort()).toEqual(tickets);
      expect(held.positions[0]?.ticket).toBe(position?.ticket);
      expect(await host.status('idle')).toMatchObject({ halted: true, haltReason: 'by hand' });
      for (const name of ['holder', 'asker']) {
        const { body } = await host.call<Kept>(`/status/${name}`);
        expect(body.keptState?.value).toEqual({ sent: 1 });
      }

      // A daemon on a copy of the directory of before wants to close what it knows of.
      strategy('holder', closeAll);
      const copy = await started([holder], old);
      await waitUntil(
        'a refused close',
        () => Promise.resolve(hosts.audit().filter(({ error_type: type }) => type === 'fence_required').length),
        (refusals) => refusals > 0,
      );
      await copy.stop();
      expect(await ticketsOf()).toEqual(tickets);
      expect(hosts.sentKeys).toHaveLength(2);
      expect(new Set(hosts.sentKeys).size).toBe(2);
      expect((await host.status('holder')).positions).toHaveLength(1);
    });

    it('has an exit that never arrived sent by the first host, once and under its own key', async () => {
      const closer = { name: 'closer', module: strategy('closer', buyOnce), magic: 4 };
      let daemon = await started([closer]);
      await daemon.untilStatus('closer', ({ positions }) => positions.length === 1);
      await daemon.stop();
      const path = '/close_position';
      proxy.fault = (_method, asked) => (asked === path || asked.startsWith('/trade_requests') ? 'lost-before' : null);
      strategy('closer', closeAll);
      daemon = await started([closer]);
      await daemon.untilStatus('closer', ({ orders }) => orders.inFlight === 1);
      await waitUntil(
        'the close',
        () => Promise.resolve(proxy.keys(path).length),
        (sent) => sent > 0,
      );
      await daemon.kill();
      expect(await ticketsOf()).toHaveLength(1);
      expect(await rig.moved()).toMatch(/^closer +1 +1 /m);

      // It asks for nothing any more: what is closed is closed by the request of before.
      strategy('closer', '');
      const host = await hostOf([closer]);
      await host.untilStatus('closer', ({ state, positions, orders }) => {
        return state === 'running' && positions.length === 0 && orders.inFlight === 0;
      });
      expect(await ticketsOf()).toEqual([]);
      const { sends } = new FleetHosts(scratch, server, gateway, [closer]);
      const [key] = proxy.keys(path);
      expect(sends.map((sent) => [sent.client_order_id === key, sent.fence_token ?? null])).toEqual([
        ...[
          [false, null],
          [true, 2],
        ],
      ]);
    });
  });
});

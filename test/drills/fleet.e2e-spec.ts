import { strategyFile, type DaemonProgram } from '../e2e/daemon/daemon-program';
import { flip } from '../e2e/daemon/drill-rig';
import { FleetHosts, holdersInTurn } from '../e2e/daemon/fleet-rig';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { fastMarket } from '../e2e/programs/markets';
import { describeWithPostgres, PostgresServer } from '../e2e/programs/postgres';
import { Scratch } from '../e2e/programs/scratch';
import { effort } from '../setup/effort';

jest.setTimeout(3_600_000);

describeWithPostgres('the daemons of a fleet', () => {
  const scratch = new Scratch();
  let server: PostgresServer;
  let hosts: FleetHosts;
  beforeEach(async () => {
    server = PostgresServer.start();
    scratch.undo(() => server.end());
    const gateway = await GatewayProgram.startReady(scratch, fastMarket());
    const module = strategyFile(scratch.folder(), 'probe', flip);
    hosts = new FleetHosts(scratch, server, gateway, [{ name: 'probe', module }]);
  });
  afterEach(() => scratch.clear());

  const endings = ['SIGTERM', 'SIGKILL', 'SIGSTOP'] as const;

  it('hand a strategy over again and again, however its host ends, and trade as one', async () => {
    const takeovers = effort(3, 60);
    let running = await hosts.start('host-0');
    await hosts.untilTrades(running, 'probe');
    for (let number = 1; number <= takeovers; number++) {
      const ending = endings[number % endings.length];
      const next = await hosts.start(`host-${number}`);
      if (ending === 'SIGTERM') await running.stop();
      else if (ending === 'SIGKILL') await running.kill();
      else running.program.signal('SIGSTOP');
      await hosts.untilTrades(next, 'probe', 1);
      if (ending === 'SIGSTOP') await resumed(running);
      running = next;
    }
    const { own, broker } = await hosts.books(running, 'probe');
    expect(own).toEqual(broker);
    expect(holdersInTurn(hosts.sentUnder)).toBe(takeovers + 1);
  });

  it('lose nothing when the database is killed and started again', async () => {
    const first = await hosts.start('first');
    await hosts.untilTrades(first, 'probe');
    server.halt('immediate');
    const during = await first.untilStatus('probe', ({ orders }) => orders.denied >= 2);
    expect(during.persistence.lastError).not.toBeNull();
    server.boot();
    await first.untilStatus('probe', ({ trades }) => trades >= during.trades + 2);
    const second = await hosts.start('second');
    await first.stop();
    await hosts.untilTrades(second, 'probe');
    const { own, broker } = await hosts.books(second, 'probe');
    expect(own).toEqual(broker);
    expect(holdersInTurn(hosts.sentUnder)).not.toBeNull();
  });

  it('let a strategy that was killed during an outage of the database be continued elsewhere', async () => {
    const first = await hosts.start('first');
    await hosts.untilTrades(first, 'probe');
    const second = await hosts.start('second');
    server.signal('SIGSTOP');
    await first.untilStatus('probe', ({ orders }) => orders.denied >= 2);
    await first.kill();
    server.signal('SIGCONT');
    await hosts.untilTrades(second, 'probe');
    const { own, broker } = await hosts.books(second, 'probe');
    expect(own).toEqual(broker);
    expect(holdersInTurn(hosts.sentUnder)).toBe(2);
  });
});

/** A paused host goes on, and stops what it no longer holds. */
async function resumed(daemon: DaemonProgram): Promise<void> {
  daemon.program.signal('SIGCONT');
  await daemon.until<{ strategies: number }>('/health', ({ strategies }) => strategies === 0);
  await daemon.stop();
}

import { strategyFile, type DaemonProgram } from '../e2e/daemon/daemon-program';
import { flip } from '../e2e/daemon/drill-rig';
import { FleetHosts, holdersInTurn } from '../e2e/daemon/fleet-rig';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { fastMarket } from '../e2e/programs/markets';
import { describeWithPostgres, PostgresServer } from '../e2e/programs/postgres';
import { Scratch } from '../e2e/programs/scratch';
import { waitUntil } from '../e2e/programs/waits';
import { effort } from '../setup/effort';

/** Has a position at most times, and reduces it with every bar: there is an exit to send in an outage. */
const reduce = `if (trade.warmingUp || trade.inFlight > 0) return;
  const [open] = trade.positions();
  if (!open) trade.buy('main', { volume: 0.3 });
  else if (open.volume > 0.15) trade.closePart(open, 0.01);
  else trade.close(open);`;

describeWithPostgres('the daemons of a fleet', () => {
  const scratch = new Scratch();
  let server: PostgresServer;
  let hosts: FleetHosts;
  let gateway: GatewayProgram;
  const running = (body: string): FleetHosts =>
    new FleetHosts(scratch, server, gateway, [
      { name: 'probe', module: strategyFile(scratch.folder(), 'probe', body) },
    ]);
  beforeEach(async () => {
    server = PostgresServer.start();
    scratch.undo(() => server.end());
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    hosts = running(flip);
  });
  afterEach(() => scratch.clear());

  const endings = ['SIGTERM', 'SIGKILL', 'SIGSTOP'] as const;

  it('hand a strategy over again and again, however its host ends, and trade as one', async () => {
    const takeovers = effort(3, 60);
    let holder = await hosts.start('host-0');
    await hosts.untilTrades(holder, 'probe');
    for (let number = 1; number <= takeovers; number++) {
      const ending = endings[number % endings.length];
      const next = await hosts.start(`host-${number}`);
      if (ending === 'SIGTERM') await holder.stop();
      else if (ending === 'SIGKILL') await holder.kill();
      else holder.program.signal('SIGSTOP');
      await hosts.untilTrades(next, 'probe', 1);
      if (ending === 'SIGSTOP') await resumed(holder);
      holder = next;
    }
    const { own, broker } = await hosts.books(holder, 'probe');
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

  it('lose no exit that a host sent during an outage of the database, is killed after, and sends none twice', async () => {
    hosts = running(reduce);
    const first = await hosts.start('first');
    await hosts.untilTrades(first, 'probe');
    const second = await hosts.start('second');
    const before = hosts.sentKeys.length;
    server.halt('immediate');
    await waitUntil(
      'two exits during the outage',
      () => Promise.resolve(hosts.sentKeys.length),
      (sent) => sent >= before + 2,
    );
    await first.kill();
    const during = hosts.sentKeys.slice(before);
    server.boot();
    await hosts.untilTrades(second, 'probe');
    const back = await hosts.start('first');
    await second.stop();
    await hosts.untilTrades(back, 'probe');
    const { own, broker } = await hosts.books(back, 'probe');
    expect(own).toEqual(broker);
    expect(holdersInTurn(hosts.sentUnder)).toBe(3);
    expect(new Set(hosts.sentKeys).size).toBe(hosts.sentKeys.length);
    const known = server.sql(
      'trading',
      `select convert_from(value, 'UTF8') from trading.entry where table_name like 'intents%'`,
    );
    expect(during.filter((key) => !known.includes(key))).toEqual([]);
  });
});

/** A paused host goes on, and stops what it no longer holds. */
async function resumed(daemon: DaemonProgram): Promise<void> {
  daemon.program.signal('SIGCONT');
  await daemon.until<{ strategies: number }>('/health', ({ strategies }) => strategies === 0);
  await daemon.stop();
}

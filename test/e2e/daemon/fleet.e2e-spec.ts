import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { describeWithPostgres, PostgresServer } from '../programs/postgres';
import { Scratch } from '../programs/scratch';
import { waitUntil } from '../programs/waits';
import { strategyFile, type DaemonProgram } from './daemon-program';
import { flip } from './drill-rig';
import { FleetHosts, holdersInTurn } from './fleet-rig';

describeWithPostgres('daemons of a fleet', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('run a strategy on one host at a time, after an order, after SIGTERM and after a pause longer than the lease', async () => {
    const server = PostgresServer.start();
    scratch.undo(() => server.end());
    const gateway = await GatewayProgram.startReady(scratch, fastMarket());
    const module = strategyFile(scratch.folder(), 'probe', flip);
    const hosts = new FleetHosts(scratch, server, gateway, [{ name: 'probe', module }]);

    const first = await hosts.start('first');
    await hosts.untilTrades(first, 'probe');
    const second = await hosts.start('second');
    expect((await second.call('/status/probe')).status).toBe(404);
    expect(await hosts.command('move', 'probe', 'second')).toBe('probe moved to second, token 2');
    await hosts.untilTrades(second, 'probe');
    expect((await second.call('/list?scope=fleet')).body).toMatchObject([{ name: 'probe', host: 'second' }]);
    const [row] = await first.until<readonly Readonly<Record<string, unknown>>[]>(
      '/status?scope=fleet',
      ([shown]) => shown?.['isStale'] === false && shown['state'] === 'running',
    );
    expect(row).toMatchObject({ name: 'probe', host: 'second', state: 'running', ageMs: expect.any(Number) as number });
    expect((await first.call('/status')).body).toEqual([]);
    await second.stop();
    await hosts.untilTrades(first, 'probe');

    expect(await hosts.apply()).toMatch(/^version 1 applied$/m);
    first.program.signal('SIGSTOP');
    const third = await hosts.start('third', true);
    await hosts.untilTrades(third, 'probe');
    first.program.signal('SIGCONT');
    await first.until<{ strategies: number }>('/health', ({ strategies }) => strategies === 0);
    expect(holdersInTurn(hosts.sentUnder)).toBe(4);
    expect((await third.call('/health')).body).toMatchObject({
      condition: 'ok',
      config: { version: 1 },
      fleet: { host: 'third', database: 'ok', leases: [{ name: 'probe', token: 4, entryProblem: null }] },
    });
    const linesOf = async (host: DaemonProgram): Promise<string> => (await host.call('/logs/probe?lines=10000')).text;
    expect(await linesOf(third)).toContain('INFO runs on this host {\\"host\\":\\"third\\",\\"leaseToken\\":4}');
    expect(await linesOf(first)).toContain('INFO handed over to another host {\\"host\\":\\"first\\"}');
    expect(third.program.output).toMatch(/"hostName":"third","unit":"probe","leaseToken":4,"msg":"lease taken"/);
    expect((await third.call('/metrics')).text).toMatch(/^daemon_lease_token\{unit="probe"\} 4$/m);
    await first.stop();

    // Another holder has the fence, and not the lease, as after the database was restored from a backup.
    await gateway.call('/fences/probe', { method: 'PUT', body: { token: 40 } });
    await waitUntil(
      'a send under a higher token',
      () => Promise.resolve(hosts.sentUnder.at(-1)),
      (token) => token === 41,
    );
    const { own, broker } = await hosts.books(third, 'probe');
    expect(own).toEqual(broker);
    expect(holdersInTurn(hosts.sentUnder)).toBe(5);
  });
});

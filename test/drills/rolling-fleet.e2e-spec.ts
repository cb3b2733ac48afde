import { join } from 'node:path';
import { strategyFile, type DaemonProgram, type StatusBody } from '../e2e/daemon/daemon-program';
import { flip } from '../e2e/daemon/drill-rig';
import { FleetHosts, holdersInTurn } from '../e2e/daemon/fleet-rig';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { describeWithPostgres, PostgresServer } from '../e2e/programs/postgres';
import { Scratch } from '../e2e/programs/scratch';
import { waitUntil } from '../e2e/programs/waits';
import { effort } from '../setup/effort';
import { KeyedClients, magicOfClients } from './keyed-clients';

const rounds = effort(2, 6);
const names = ['one', 'two'] as const;
const strategies = [
  { name: 'trend', magic: 7001 },
  { name: 'mean', magic: 7002 },
  { name: 'carry', magic: 7003 },
] as const;

interface Order {
  readonly ticket: number;
  readonly magic: number;
}
interface Deal extends Order {
  readonly profit: number;
  readonly commission: number;
  readonly swap: number;
  readonly fee: number;
}

describeWithPostgres('an upgrade of a fleet under load, its gateway and each daemon stopped and started again', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it(`loses no order, places none twice, and runs each strategy on one host at a time, over ${rounds} rounds`, async () => {
    const server = PostgresServer.start();
    scratch.undo(() => server.end());
    const folder = scratch.folder();
    const settings = {
      ...{ SIM_SPEED: '60', SIM_HOURS: 'always', SIM_STATE_FILE: join(folder, 'account') },
      // Thousands of positions of clients need margin.
      SIM_BALANCE: '10000000',
      ...{ TERMINAL_SERVER_TIME_ZONE: 'UTC', STATE_DIR: join(folder, 'gateway') },
    };
    let gateway = await GatewayProgram.startReady(scratch, settings);
    const { port } = new URL(gateway.url);
    const again = { TERMINAL_API_PORT: port, ORDER_AUDIT_FILE: join(gateway.folder, 'order-audit.jsonl') };
    const deployed = strategies.map((one) => ({ ...one, module: strategyFile(folder, one.name, flip) }));
    const hosts = new FleetHosts(scratch, server, gateway, deployed);
    const running = new Map<string, DaemonProgram>();
    for (const name of names) running.set(name, await hosts.start(name));
    const clients = new KeyedClients(4, () => gateway, 500);

    /** Of the host that runs it. */
    const statusOf = (strategy: string, satisfies: (status: StatusBody) => boolean): Promise<StatusBody> => {
      const ask = async (): Promise<StatusBody | undefined> => {
        const all = await Promise.all([...running.values()].map((daemon) => daemon.status(strategy)));
        return all.find((status) => status.state === 'running' && satisfies(status));
      };
      return waitUntil(`${strategy} to go on`, ask, (status) => status !== undefined) as Promise<StatusBody>;
    };
    const goOn = async (): Promise<void> => {
      const placed = clients.acknowledged.size;
      for (const { name } of strategies) {
        const { trades } = await statusOf(name, () => true);
        await statusOf(name, (status) => status.trades >= trades + 2);
      }
      await waitUntil(
        'the clients to go on',
        () => Promise.resolve(clients.acknowledged.size),
        (size) => size > placed,
      );
    };

    await goOn();
    for (let round = 0; round < rounds; round++) {
      await gateway.stop();
      gateway = await GatewayProgram.startReady(scratch, { ...settings, ...again });
      await goOn();
      for (const name of names) {
        await running.get(name)?.stop();
        running.delete(name);
        // The other host has all strategies.
        await goOn();
        running.set(name, await hosts.start(name));
        await goOn();
      }
    }
    await clients.end();
    await gateway.call('/kill', { method: 'POST' });
    const books = await Promise.all(
      strategies.map(({ name }) => statusOf(name, ({ orders }) => orders.blocked > 0 && orders.inFlight === 0)),
    );

    const since = 'from_date=2020-01-01';
    const rowsOf = async <Row>(path: string) => (await gateway.call(path)).body['data'] as readonly Row[];
    const orders = await rowsOf<Order>(`/history_orders_get?${since}`);
    const placed = orders.filter(({ magic }) => magic === magicOfClients).map(({ ticket }) => ticket);
    expect(placed.sort()).toEqual([...clients.acknowledged.values()].sort());
    expect(new Set(placed).size).toBe(clients.acknowledged.size);
    expect((await gateway.call('/reconcile')).body).toMatchObject({ differences: [], unresolved: [] });
    expect(new Set(hosts.sentKeys).size).toBe(hosts.sentKeys.length);
    const held = await rowsOf<Order>('/get_positions');
    const deals = await rowsOf<Deal>(`/history_deals_get?${since}`);
    for (const [index, { name, magic }] of strategies.entries()) {
      const own = held.filter((position) => position.magic === magic).map(({ ticket }) => ticket);
      const result = deals.filter((deal) => deal.magic === magic).reduce((sum, deal) => sum + resultOf(deal), 0);
      expect([name, books[index]?.positions.map(({ ticket }) => ticket)]).toEqual([name, own]);
      expect([name, books[index]?.realized.toFixed(6)]).toEqual([name, result.toFixed(6)]);
      expect(own.length).toBeLessThanOrEqual(1);
      const tokens = hosts.sends.filter(({ fence }) => fence === name).map(({ fence_token: token }) => token ?? null);
      // Each round, it has left a host at least once.
      expect(holdersInTurn(tokens)).toBeGreaterThan(rounds);
    }
  });
});

/** In the account's currency. */
function resultOf({ profit, commission, swap, fee }: Deal): number {
  return profit + commission + swap + fee;
}

import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storedEntries } from '@libs/store';
import { Client } from 'pg';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { describeWithPostgres, PostgresServer } from '../programs/postgres';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { waitUntil } from '../programs/waits';
import { configuration, DaemonProgram, type StatusBody, type StrategyText } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';
import { FleetHosts } from './fleet-rig';

jest.setTimeout(180_000);

/** Buys once in its life, as far as it knows. */
const buyOnce = `if (!trade.warmingUp && trade.state.sent === 0) { trade.state.sent = 1; trade.buy('main', { volume: 0.1 }); }`;
const closeAll = `if (!trade.warmingUp && trade.inFlight === 0) for (const open of trade.positions()) trade.close(open);`;

interface Kept {
  readonly keptState: { readonly value: { readonly sent: number } } | null;
}

describeWithPostgres('the state of a daemon without a database', () => {
  const scratch = new Scratch();
  let server: PostgresServer;
  let stateDir: string;
  beforeEach(() => {
    server = PostgresServer.start();
    scratch.undo(() => server.end());
    stateDir = join(scratch.folder(), 'state');
  });
  afterEach(() => scratch.clear());

  const entry = join(repository, 'dist/apps/daemon/src/main.js');
  const commanded = (...args: readonly string[]): StartedProgram => {
    const env = { ...bareEnvironment(), DAEMON_DATABASE_URL: server.url };
    return new StartedProgram({
      ...{ command: process.execPath, args: [entry, ...args, '--state-dir', stateDir], env },
    });
  };
  const moved = async (): Promise<string> => {
    const program = commanded('state', 'move');
    expect([await program.exitCode(), program.output]).toEqual([0, expect.stringContaining('trading')]);
    return program.output;
  };
  const linesOf = async (path: string): Promise<string[]> => {
    const entries = await storedEntries('the state', path);
    return entries.map(({ table, key, value }) => `${table} ${key.toString('hex')} ${value.toString('hex')}`).sort();
  };
  const written = (): string[] => {
    const columns = `table_name || ' ' || encode(key, 'hex') || ' ' || encode(value, 'hex')`;
    return server.sql('trading', `select ${columns} from trading.entry`).split('\n').filter(Boolean).sort();
  };
  const copyOf = (): string => {
    const [name = ''] = readdirSync(stateDir).filter((file) => /^state\.moved-[0-9a-f]+\.lmdb$/.test(file));
    return join(stateDir, name);
  };

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
    const started = (strategies: readonly StrategyText[], dir = stateDir): Promise<DaemonProgram> =>
      DaemonProgram.start(scratch, {
        config: configuration(folder, proxy.url, strategies),
        stateDir: dir,
        env: { API_KEY: 'e2e-key' },
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
      expect(await commanded('halt', 'idle', '--reason', 'by hand').exitCode()).toBe(0);
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
      const refused = commanded('state', 'move');
      expect(await refused.exitCode()).toBe(1);
      expect(refused.output).toBe(`nothing was moved:\n  a daemon is using ${stateDir}: stop it`);
      await daemon.kill();
      proxy.fault = () => null;
      const old = join(scratch.folder(), 'old');
      cpSync(stateDir, old, { recursive: true });
      const lines = await linesOf(join(old, 'state.lmdb'));

      expect(await moved()).toMatch(/^UNIT .*\nasker +0 +1 .*\nholder +1 +0 .*\nidle +0 +0 +0 +1 +\d+\nmoved into /);
      expect(written()).toEqual(lines);
      const single = DaemonProgram.spawn({
        ...{ config: configuration(folder, proxy.url, all), stateDir, env: { API_KEY: 'e2e-key' } },
      });
      expect(await single.exitCode()).toBe(1);
      expect(single.output).toContain(`the state of ${stateDir} was moved into the database`);

      const hosts = new FleetHosts(scratch, server, gateway, all);
      const host = await DaemonProgram.start(scratch, {
        config: configuration(folder, gateway.url, all),
        stateDir,
        env: { API_KEY: 'e2e-key', DAEMON_DATABASE_URL: server.url, DAEMON_LEASE_SECONDS: '3' },
      });
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
  });

  describe('is whole in one place when the command is killed', () => {
    /** The command waits here while the test holds the lock. */
    const gate = (when: string, table: string, more = ''): void => {
      const kind = more.includes('deferrable') ? 'constraint trigger' : 'trigger';
      server.sql(
        'trading',
        `create function trading.gate() returns trigger language plpgsql as $$ begin
          perform pg_advisory_xact_lock_shared(1); return new; end $$;
        create ${kind} gate ${when} on trading.${table} ${more} execute function trading.gate()`,
      );
    };
    let client: Client;
    beforeEach(async () => {
      mkdirSync(stateDir);
      cpSync(join(repository, 'test/fixtures/v0.1.0/daemon/state.lmdb'), join(stateDir, 'state.lmdb'));
      // Makes the tables.
      await commanded('state', 'move', '--dry-run').exitCode();
      client = new Client({ connectionString: server.urlOf('admin') });
      await client.connect();
      scratch.undo(() => client.end());
      await client.query('select pg_advisory_lock(1)');
    });

    const blocked = `from pg_stat_activity where wait_event = 'advisory'`;
    const killedAtGate = async (): Promise<void> => {
      const program = commanded('state', 'move');
      await waitUntil(
        'the command at the gate',
        async () => (await client.query(`select 1 ${blocked}`)).rowCount,
        (found) => found === 1,
      );
      program.signal('SIGKILL');
      await program.exitCode();
    };
    const opened = async (): Promise<void> => {
      await client.query('select pg_advisory_unlock(1)');
      await waitUntil(
        'the end of its connection',
        async () =>
          (await client.query(`select 1 from pg_stat_activity where application_name like 'trading%'`)).rowCount,
        (found) => found === 0,
      );
    };
    const held = (): string => server.sql('trading', `select count(*) from trading.lease where expires_at > now()`);

    it('while it writes: in the directory, and a repeated command moves it', async () => {
      const lines = await linesOf(join(stateDir, 'state.lmdb'));
      gate('before insert', 'entry', `for each row when (new.lease = 'ladder')`);
      await killedAtGate();
      await opened();
      expect([written(), held()]).toEqual([[], '0']);
      expect(await linesOf(join(stateDir, 'state.lmdb'))).toEqual(lines);
      expect(await moved()).toContain('moved into');
      expect([written(), await linesOf(copyOf()), held()]).toEqual([lines, lines, '0']);
    });

    it('before it hears of the commit: in the directory, and in the database where no host takes it', async () => {
      const lines = await linesOf(join(stateDir, 'state.lmdb'));
      gate('after update', 'lease', `deferrable initially deferred for each row when (new.holder like 'import%')`);
      await killedAtGate();
      await opened();
      expect([written(), held()]).toEqual([lines, '3']);
      expect(await linesOf(join(stateDir, 'state.lmdb'))).toEqual(lines);
      expect(await moved()).toContain('moved into');
      expect([written(), await linesOf(copyOf()), held()]).toEqual([lines, lines, '0']);
    });

    it('before it gives the units to the hosts: in the database, and a repeated command completes it', async () => {
      const lines = await linesOf(join(stateDir, 'state.lmdb'));
      gate('before update', 'lease', `for each row when (old.holder like 'import%' and new.holder is null)`);
      await killedAtGate();
      await client.query(`select pg_terminate_backend(pid) ${blocked}`);
      await opened();
      expect([written(), held()]).toEqual([lines, '3']);
      await expect(linesOf(join(stateDir, 'state.lmdb'))).rejects.toThrow('the file is not a database');
      expect(await moved()).toContain('completed: book, flip, ladder moved into');
      expect([written(), await linesOf(copyOf()), held()]).toEqual([lines, lines, '0']);
      expect(await moved()).toContain('the state was moved before into');
    });
  });
});

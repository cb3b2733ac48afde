import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { describeWithPostgres, PostgresServer } from '../programs/postgres';
import { Scratch } from '../programs/scratch';
import { repository } from '../programs/started-program';
import { waitUntil } from '../programs/waits';
import { StateMoveRig } from './state-move-rig';

describeWithPostgres('a move of a state that is killed leaves the whole state in one place', () => {
  const scratch = new Scratch();
  let server: PostgresServer;
  let rig: StateMoveRig;
  beforeEach(() => {
    server = PostgresServer.start();
    scratch.undo(() => server.end());
    rig = new StateMoveRig(server, join(scratch.folder(), 'state'));
  });
  afterEach(() => scratch.clear());

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
    mkdirSync(rig.stateDir);
    cpSync(join(repository, 'test/fixtures/v0.1.0/daemon/state.lmdb'), join(rig.stateDir, 'state.lmdb'));
    // Makes the tables.
    await rig.commanded('state', 'move', '--dry-run').exitCode();
    client = new Client({ connectionString: server.urlOf('admin') });
    await client.connect();
    scratch.undo(() => client.end());
    await client.query('select pg_advisory_lock(1)');
  });

  const blocked = `from pg_stat_activity where wait_event = 'advisory'`;
  const killedAtGate = async (): Promise<void> => {
    const program = rig.commanded('state', 'move');
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
    const lines = await rig.linesOf();
    gate('before insert', 'entry', `for each row when (new.lease = 'ladder')`);
    await killedAtGate();
    await opened();
    expect([rig.written(), held()]).toEqual([[], '0']);
    expect(await rig.linesOf()).toEqual(lines);
    expect(await rig.moved()).toContain('moved into');
    expect([rig.written(), await rig.linesOf(rig.copyOf()), held()]).toEqual([lines, lines, '0']);
  });

  it('before it hears of the commit: in the directory, and in the database where no host takes it', async () => {
    const lines = await rig.linesOf();
    gate('after update', 'lease', `deferrable initially deferred for each row when (new.holder like 'import%')`);
    await killedAtGate();
    await opened();
    expect([rig.written(), held()]).toEqual([lines, '3']);
    expect(await rig.linesOf()).toEqual(lines);
    expect(await rig.moved()).toContain('moved into');
    expect([rig.written(), await rig.linesOf(rig.copyOf()), held()]).toEqual([lines, lines, '0']);
  });

  it('before it gives the units to the hosts: in the database, and a repeated command completes it', async () => {
    const lines = await rig.linesOf();
    gate('before update', 'lease', `for each row when (old.holder like 'import%' and new.holder is null)`);
    await killedAtGate();
    await client.query(`select pg_terminate_backend(pid) ${blocked}`);
    await opened();
    expect([rig.written(), held()]).toEqual([lines, '3']);
    await expect(rig.linesOf()).rejects.toThrow('the file is not a database');
    expect(await rig.moved()).toContain('completed: book, flip, ladder moved into');
    expect([rig.written(), await rig.linesOf(rig.copyOf()), held()]).toEqual([lines, lines, '0']);
    expect(await rig.moved()).toContain('the state was moved before into');
  });
});

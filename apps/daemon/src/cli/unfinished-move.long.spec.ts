import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { blankRecord } from '../core/records';
import { beginMove } from '../state-move/moved-state';
import { StateStore } from '../state/state-store';
import { printedBy } from '../testing/printed';
import { movedUnits as units, StateMoveRig } from '../testing/state-move-rig';

describeWithPostgres('daemon state move that ends in the middle', () => {
  let server: PostgresServer;
  let rig: StateMoveRig;
  beforeAll(() => void (server = PostgresServer.start()));
  beforeEach(async () => void (rig = await StateMoveRig.make(server)));
  afterEach(() => rig.end());
  afterAll(() => server.end());

  /** Changes the state as a daemon does that is started in between. */
  const traded = async (): Promise<void> => {
    const store = StateStore.open(rig.stateDir);
    await store.write({ strategy: { ...blankRecord('flip'), trades: 99 } });
    await store.write({ strategy: blankRecord('late') });
    await store.close();
  };
  const failing = (name: string, table: string, when: string, condition: string): void => {
    rig.server.sql(
      'trading',
      `create function trading.${name}() returns trigger language plpgsql as $$ begin raise exception '${name}'; end $$;
      create trigger ${name} before ${when} on trading.${table} for each row when (${condition}) execute function trading.${name}()`,
    );
  };
  const mended = (name: string, table: string): void =>
    void rig.server.sql('trading', `drop trigger ${name} on trading.${table}; drop function trading.${name}`);

  it('of the writes has written nothing; a repeated command moves what the state is by then', async () => {
    failing('refusal', 'entry', 'insert', `new.lease = 'ladder'`);
    await expect(rig.move()).rejects.toThrow('refusal');
    expect(rig.written()).toEqual([]);
    await rig.started({});
    const host = await rig.joined();
    expect(host.held).toEqual(units);
    await rig.left(host);
    mended('refusal', 'entry');
    await traded();
    const lines = await rig.linesOf();
    await rig.move();
    expect(rig.written()).toEqual(lines);
  });

  it('before the state is out of the directory: it is usable there, and no host can take the units', async () => {
    // Of an attempt that has written nothing, in a container of another name.
    await beginMove(rig.stateDir, { note: '', id: 'a', source: '/x on y', database: 'd', units: [], begunAt: '' });
    mkdirSync(join(rig.stateDir, 'state.moved-a.lmdb'));
    await expect(rig.move()).rejects.toThrow(/^the move is not complete: EISDIR.*; run the command again$/);
    expect(rig.written()).toEqual(await rig.linesOf());
    await rig.started({});
    const host = await rig.joined();
    expect(host.held).toEqual([]);
    expect(await printedBy('hosts')).toMatch(/^flip +import of \/x on y, a +1 /m);
    // What a daemon does until the command is repeated is moved as well.
    await traded();
    const lines = await rig.linesOf();
    rmSync(join(rig.stateDir, 'state.moved-a.lmdb'), { recursive: true });
    await rig.move();
    expect(rig.written()).toEqual(lines);
    await expect(rig.started({})).rejects.toThrow('was moved into the database');
    await host.round();
    expect(host.held).toEqual(units);
  });

  it('after the state is out of the directory: it is usable nowhere until the command is repeated', async () => {
    const lines = await rig.linesOf();
    failing('refusal', 'lease', 'update', 'old.holder is not null and new.holder is null');
    const unfinished = 'the move is not complete: refusal; run the command again';
    await expect(rig.move()).rejects.toThrow(unfinished);
    await expect(rig.started({})).rejects.toThrow('was moved into the database');
    const host = await rig.joined();
    expect(host.held).toEqual([]);
    await expect(rig.move()).rejects.toThrow(unfinished);
    mended('refusal', 'lease');
    expect(await rig.move('--dry-run')).toBe('to be completed: no host can take book, flip, ladder yet\n');
    await host.round();
    expect(host.held).toEqual([]);
    expect(await rig.move()).toMatch(/^completed: book, flip, ladder moved into /);
    expect(rig.written()).toEqual(lines);
    await host.round();
    expect(host.held).toEqual(units);
    expect(await rig.move()).toMatch(/^the state was moved before into /);
  });

  it('is not completed with another database', async () => {
    await rig.move();
    rig.server.sql('trading', 'truncate trading.entry');
    await expect(rig.move()).rejects.toThrow(
      /^nothing was moved:\n {2}the state was moved into .*; .* does not have that of book, flip, ladder$/,
    );
  });
});

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

const buy = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };

describe('the backup of a gateway', () => {
  const scratch = new Scratch();
  let home: string;
  let settings: Record<string, string>;

  beforeEach(() => {
    home = scratch.folder();
    settings = {
      STATE_DIR: join(home, 'state'),
      ORDER_AUDIT_FILE: join(home, 'log', 'order-audit.jsonl'),
      KILL_SWITCH_FILE: join(home, 'kill-switch'),
      SIM_STATE_FILE: join(home, 'broker.json'),
    };
  });
  afterEach(() => scratch.clear());

  const start = (): Promise<GatewayProgram> => GatewayProgram.startReady(scratch, settings);
  const command = async (...args: readonly string[]) => {
    const env = { ...bareEnvironment(), ...settings };
    const program = new StartedProgram({
      ...{ command: process.execPath, args: ['dist/apps/gateway/src/main.js', 'backup', ...args], env },
    });
    return { code: await program.exitCode(), output: program.output };
  };
  /** The commands of the documentation that contain a word, for another folder. */
  const documented = (word: string, folder: string) => {
    const page = readFileSync(join(repository, 'docs/questions/backup-and-restore.md'), 'utf8');
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
    const script = blocks.find((block) => block.includes(`gateway backup ${word}`)) ?? 'exit 9';
    const program = 'gateway() { node dist/apps/gateway/src/main.js "$@"; }';
    const commands = `${program}\n${script.replaceAll('backups/2026-01-05', folder)}`;
    const env = { ...bareEnvironment(), ...settings };
    const { status, stdout } = spawnSync('bash', ['--norc', '-euc', commands], {
      cwd: repository,
      env,
      encoding: 'utf8',
    });
    return { code: status, output: stdout };
  };
  const order = (gateway: GatewayProgram, key: string) =>
    gateway.call('/order', { method: 'POST', body: buy, headers: { 'idempotency-key': key } });
  const positions = async (gateway: GatewayProgram): Promise<number> => {
    const { status, body } = await gateway.call('/positions_total');
    expect(status).toBe(200);
    return Number(body['total']);
  };
  const journal = async (gateway: GatewayProgram): Promise<Record<string, unknown>> =>
    (await gateway.call('/health')).body['journal'] as Record<string, unknown>;

  it('is taken while the gateway trades, and restored where all state was lost: nothing is sent twice', async () => {
    const first = await start();
    const before = await order(first, 'before');
    expect(before.status).toBe(200);
    const backup = join(home, 'backup');
    // Orders go on while the gateway copies its journal. Each position is closed, or the margin would run out.
    let isDone = false;
    const traded: string[] = [];
    const trading = (async () => {
      for (let number = 0; !isDone; number++) {
        const key = `during-${number}`;
        const bought = await order(first, key);
        expect(bought).toMatchObject({ status: 200 });
        traded.push(key);
        const { order: ticket } = bought.body['result'] as { order: number };
        expect(await first.trade('/close_position', { position: { ticket } })).toMatchObject({ status: 200 });
      }
    })();
    expect(await command('create', backup)).toMatchObject({ code: 0, output: expect.stringContaining('2 files') });
    isDone = true;
    await trading;
    expect(await command('create', backup)).toMatchObject({ code: 1, output: expect.stringContaining('is not empty') });
    expect(await command('verify', backup)).toMatchObject({ code: 0 });
    expect((await order(first, 'after')).status).toBe(200);
    const open = await positions(first);
    await first.kill();
    for (const lost of ['state', 'log']) rmSync(join(home, lost), { recursive: true });

    expect(await command('restore', backup)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/audit log: restored[^]*POST \/journal\/accept/),
    });
    const restored = await start();
    const { state, reason, id } = await journal(restored);
    expect([state, reason]).toEqual(['lost', expect.stringContaining('it was restored from a backup of ')]);
    const replayed = await order(restored, 'before');
    expect([replayed.status, replayed.body['result']]).toEqual([200, before.body['result']]);
    const refused = { status: 503, body: expect.objectContaining({ error_type: 'journal_lost' }) as unknown };
    expect(await order(restored, 'new')).toMatchObject(refused);
    // A key that is not in the backup is bound by the tag of its order in the books of the broker.
    const bound = (one: Awaited<ReturnType<typeof order>>): unknown => one.body['error_type'] ?? one.body['recovered'];
    expect(['unknown_outcome', true]).toContain(bound(await order(restored, 'after')));
    const again: Awaited<ReturnType<typeof order>>[] = [];
    for (const key of traded) again.push(await order(restored, key));
    const inBackup = again.filter(({ status, body }) => status === 200 && body['recovered'] !== true);
    for (const one of again.filter((one) => !inBackup.includes(one))) {
      expect(['unknown_outcome', true]).toContain(bound(one));
    }
    expect(await positions(restored)).toBe(open);
    const [held] = (await restored.call('/get_positions')).body['data'] as { ticket: number }[];
    const closed = await restored.trade('/close_position', { position: { ticket: held?.ticket } });
    expect(closed.status).toBe(200);
    await restored.call('/journal/accept', { method: 'POST', body: { journal_id: id } });
    expect(await journal(restored)).toMatchObject({ state: 'ok', id });
    expect((await order(restored, 'new')).status).toBe(200);
    expect(await positions(restored)).toBe(open);
    // Accepted once is accepted for good.
    await restored.stop();
    expect(await journal(await start())).toMatchObject({ state: 'ok', id });
  });

  it('is restored beside an audit log that is newer: what was sent after the backup is known from there', async () => {
    const first = await start();
    await order(first, 'before');
    await first.stop();
    const backup = join(home, 'backup');
    expect(documented('create', backup)).toMatchObject({
      code: 0,
      output: expect.stringContaining('is whole: 2 files'),
    });
    const gateway = await start();
    const after = await order(gateway, 'after');
    await gateway.call('/kill', { method: 'POST', body: {} });
    expect(await command('restore', backup)).toEqual({
      code: 1,
      output: 'a gateway is using the state: stop it to restore a backup',
    });
    await gateway.stop();
    expect(await command('restore', backup)).toEqual({
      code: 1,
      output: `there is a trade journal in ${join(home, 'state', 'trade-journal')}: --replace moves it aside`,
    });
    expect(documented('restore', backup)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/audit log: kept[^]*is now in .*trade-journal\.replaced-/),
    });
    expect(readdirSync(join(home, 'state')).filter((name) => name.includes('replaced'))).toHaveLength(1);
    const restored = await start();
    expect(await journal(restored)).toMatchObject({ state: 'lost' });
    const replayed = await order(restored, 'after');
    expect([replayed.status, replayed.body['result']]).toMatchObject([
      200,
      { order: (after.body['result'] as { order: number }).order },
    ]);
    expect(await positions(restored)).toBe(2);
    // The halt of the time after the backup stays as well.
    expect((await restored.call('/health')).body['kill_switch_active']).toBe(true);
  });

  it('keeps a halt, and is refused when a file of it has changed', async () => {
    const gateway = await start();
    await order(gateway, 'before');
    await gateway.call('/kill', { method: 'POST', body: {} });
    await gateway.stop();
    const backup = join(home, 'backup');
    await command('create', backup);
    const lose = (): void => {
      for (const lost of ['state', 'log', 'kill-switch']) rmSync(join(home, lost), { recursive: true });
    };
    lose();
    expect((await command('restore', backup)).output).toContain('trading is halted, as it was at the backup');
    expect(existsSync(join(home, 'kill-switch'))).toBe(true);
    lose();
    const [audit, database] = [join(backup, 'order-audit.jsonl'), join(backup, 'trade-journal', 'data.mdb')];
    expect([audit, database].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['600', '600']);
    appendFileSync(audit, '{}\n');
    rmSync(database);
    for (const verb of ['verify', 'restore']) {
      expect(await command(verb, backup)).toEqual({
        code: 1,
        output: `the backup in ${backup} cannot be used: trade-journal/data.mdb cannot be read; order-audit.jsonl has changed since the backup`,
      });
    }
    expect(existsSync(join(home, 'state', 'trade-journal'))).toBe(false);
    expect(await command('create', backup)).toEqual({
      code: 1,
      output: `${backup} is not empty: name a new folder for each backup`,
    });
    expect(await command('create', join(home, 'second'))).toEqual({
      code: 1,
      output: `STATE_DIR: the trade journal does not exist in ${join(home, 'state', 'trade-journal')}`,
    });
    expect(existsSync(join(home, 'second', 'backup.json'))).toBe(false);
    expect(await command('restore')).toMatchObject({
      code: 2,
      output: expect.stringContaining('usage: gateway backup create'),
    });
  });
});

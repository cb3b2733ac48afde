import { chmodSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram, type Answer } from './programs/gateway-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

const orderOf = ({ body }: Answer): number => (body['result'] as { readonly order: number }).order;

describe('the state folder of a gateway', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('is refused to a second gateway while the first one runs, and free the moment it has ended', async () => {
    const folder = scratch.folder();
    const first = await GatewayProgram.startReady(scratch, { STATE_DIR: folder });
    const second = new StartedProgram({
      command: process.execPath,
      args: ['dist/apps/gateway/src/main.js'],
      cwd: repository,
      env: {
        ...bareEnvironment(),
        ORDER_AUDIT_FILE: `${folder}/audit.jsonl`,
        STATE_DIR: folder,
        TERMINAL_API_PORT: '0',
      },
    });
    expect(await second.exitCode()).toBe(1);
    expect(second.output).toContain('another gateway process is using');
    expect(second.output).toContain('STATE_DIR');
    expect((await first.call('/account')).status).toBe(200);
    await first.stop();
    await GatewayProgram.startReady(scratch, { STATE_DIR: folder });
  });

  it('has the account of the simulated broker beside the journal: after kill -9 both know the same orders', async () => {
    const folder = scratch.folder();
    const first = await GatewayProgram.startReady(scratch, { STATE_DIR: folder });
    const buy = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };
    const before = await first.trade('/order', buy);
    expect(before.status).toBe(200);
    await first.kill();
    const second = await GatewayProgram.startReady(scratch, { STATE_DIR: folder });
    const { body } = await second.call('/reconcile');
    expect(body).toMatchObject({ differences: [], positions: [{ ticket: orderOf(before) }] });
    const after = await second.trade('/order', buy);
    expect(orderOf(after)).toBeGreaterThan(orderOf(before));
  });

  it('has a send that was under way when a second signal ended the stop at once', async () => {
    const folder = scratch.folder();
    const settings = { STATE_DIR: folder, TERMINAL_TRADE_TIMEOUT_MS: '600000' };
    const first = await GatewayProgram.startReady(scratch, { ...settings, SIM_FAULTS: '1' });
    const fault = ['latency', '600000', '--calls', 'sends', '--state-dir', folder];
    const setting = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/libs/simulator/src/cli/fault-main.js'), ...fault],
      env: bareEnvironment(),
    });
    expect(await setting.exitCode()).toBe(0);
    const body = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', client_order_id: 'under-way' };
    const answer = first.call('/order', { method: 'POST', body }).catch(() => 'no answer');
    await first.until('/trade_requests/under-way', ({ status }) => status === 200);
    const ended = first.stop();
    await first.logLine(/"stopping"/);
    // Sooner it would be the same signal, passed on twice.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    void first.stop();
    expect([await ended, await answer]).toEqual([1, 'no answer']);
    expect(first.logs.join('\n')).toMatch(/"requests":1.*a second signal came: ended at once/);
    const second = await GatewayProgram.startReady(scratch, settings);
    expect((await second.call('/trade_requests/under-way')).body).toMatchObject({ status: 'unknown' });
  });

  it('keeps no account of the simulated broker with SIM_STATE_FILE=none', async () => {
    const settings = { STATE_DIR: scratch.folder(), SIM_STATE_FILE: 'none' };
    const first = await GatewayProgram.startReady(scratch, settings);
    expect((await first.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' })).status).toBe(200);
    await first.kill();
    const second = await GatewayProgram.startReady(scratch, settings);
    expect((await second.call('/get_positions')).body).toMatchObject({ total: 0 });
  });

  const failedStart = async (folder: string, stateDir: string): Promise<string> => {
    const program = new StartedProgram({
      command: process.execPath,
      args: ['dist/apps/gateway/src/main.js'],
      env: {
        ...bareEnvironment(),
        ORDER_AUDIT_FILE: join(folder, 'audit.jsonl'),
        STATE_DIR: stateDir,
        TERMINAL_API_PORT: '0',
      },
    });
    expect(await program.exitCode()).toBe(1);
    return program.output;
  };
  const stopped = async (folder: string): Promise<void> => {
    const gateway = await GatewayProgram.startReady(scratch, { STATE_DIR: folder });
    expect((await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' })).status).toBe(200);
    await gateway.stop();
  };

  it.each(['trade-journal', 'trade-events'])('ends the start in one line when its %s is damaged', async (name) => {
    const folder = scratch.folder();
    await stopped(folder);
    const file = join(folder, name, 'data.mdb');
    truncateSync(file, 8_192);
    expect(await failedStart(folder, folder)).toMatch(
      new RegExp(
        `^ORDER_AUDIT_FILE \\(its folder is STATE_DIR .*\\): the .* in ${file} is damaged: the file is truncated: it has 8192 of \\d+ bytes$`,
      ),
    );
  });

  it('ends the start in one line when it cannot be made', async () => {
    const folder = scratch.folder();
    writeFileSync(join(folder, 'file'), '');
    expect(await failedStart(folder, join(folder, 'file', 'state'))).toMatch(
      /^STATE_DIR: the folder .*state cannot be created: ENOTDIR.*$/,
    );
  });

  it('has its databases in files and folders that only their owner can read', async () => {
    const folder = scratch.folder();
    await stopped(folder);
    const folders = ['trade-journal', 'trade-events'].map((name) => join(folder, name));
    const files = folders.flatMap((path) => ['data.mdb', 'lock.mdb'].map((name) => join(path, name)));
    for (const path of folders) chmodSync(path, 0o755);
    for (const path of files) chmodSync(path, 0o644);
    await stopped(folder);
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect([folders.map(modeOf), files.map(modeOf)]).toEqual([
      ['700', '700'],
      ['600', '600', '600', '600'],
    ]);
  });

  it('may be another one, but the audit log is refused to a second gateway all the same', async () => {
    const folder = scratch.folder();
    await GatewayProgram.startReady(scratch, { ORDER_AUDIT_FILE: `${folder}/audit.jsonl` });
    const second = new StartedProgram({
      command: process.execPath,
      args: ['dist/apps/gateway/src/main.js'],
      cwd: repository,
      env: {
        ...bareEnvironment(),
        ORDER_AUDIT_FILE: `${folder}/audit.jsonl`,
        STATE_DIR: `${folder}/own`,
        TERMINAL_API_PORT: '0',
      },
    });
    expect(await second.exitCode()).toBe(1);
    expect(second.lines).toEqual([
      expect.stringMatching(/^another gateway process is writing .*audit\.jsonl\. Set ORDER_AUDIT_FILE/),
    ]);
  });
});

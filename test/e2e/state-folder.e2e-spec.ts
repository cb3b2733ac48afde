import { chmodSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

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
      new RegExp(`^STATE_DIR: the .* in ${file} is damaged: the file is truncated: it has 8192 of \\d+ bytes$`),
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

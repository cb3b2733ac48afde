import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LauncherProgram, allGone } from '../e2e/programs/launcher-program';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository } from '../e2e/programs/started-program';

describe('a newcomer with Node, npm and a fresh clone', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('has it trading by npm start, places the printed order, and ends it with Ctrl-C', async () => {
    const clone = join(scratch.folder(), 'trading-gateway');
    // The checkout may have another owner: a build server often runs its tests under another account.
    const configuration = join(scratch.folder(), 'gitconfig');
    writeFileSync(configuration, '[safe]\n  directory = *\n');
    const cloned = spawnSync('git', ['clone', '--quiet', repository, clone], {
      encoding: 'utf8',
      env: { ...bareEnvironment(), GIT_CONFIG_GLOBAL: configuration },
    });
    expect(cloned).toMatchObject({ status: 0 });
    const launcher = await LauncherProgram.start(scratch, { cwd: clone, command: ['npm', 'start'] });
    await launcher.started();

    const printed = await launcher.program.line(/^\s*curl .*\/order /);
    const { stdout } = spawnSync('bash', ['--norc', '-c', printed], { encoding: 'utf8', cwd: scratch.folder() });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, state: 'executed', result: { volume: 0.1 } });

    const listed = (await (await fetch(`${launcher.shown('Daemon')}/list`)).json()) as { state: string }[];
    expect(listed.map(({ state }) => state)).not.toContain('failed');
    expect(listed.length).toBeGreaterThan(0);

    // As a terminal does it: to everything in the foreground group.
    launcher.program.signal('SIGINT');
    expect(await launcher.program.exitCode()).toBe(0);
    await allGone([launcher.program.pid]);
    await expect(fetch(`http://127.0.0.1:${launcher.port}/health/live`)).rejects.toThrow();
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { configuration, DaemonProgram, strategyFile } from './daemon-program';

jest.setTimeout(120_000);

describe('the daemon’s commands', () => {
  const scratch = new Scratch();
  let folder: string;
  let config: string;
  let url: string;

  beforeAll(async () => {
    const gateway = await GatewayProgram.startReady(scratch, fastMarket());
    url = gateway.url;
    folder = scratch.folder();
    const module = strategyFile(folder, 'thrower', `if (!trade.warmingUp && bars < 8) throw new Error('no idea');`);
    config = configuration(folder, url, [{ name: 'thrower', module }]);
  });
  afterAll(() => scratch.clear());

  const run = async (...args: string[]) => {
    const program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), ...args],
      env: { ...bareEnvironment(), API_KEY: 'e2e-key', DAEMON_STATE_DIR: join(folder, 'state') },
    });
    const code = await program.exitCode();
    return { code, output: program.output };
  };

  it('check a configuration, its strategies and, when asked to, its gateways', async () => {
    expect(await run('check', '--config', config)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/strategy +thrower +ok +version 1/),
    });
    const online = await run('check', '--config', config, '--online');
    expect(online).toMatchObject({ code: 0, output: expect.stringMatching(/gateway +demo +ok +account 100001/) });
    writeFileSync(join(folder, 'broken.ts'), 'export default {');
    const broken = configuration(scratch.folder(), url, [{ name: 'broken', module: join(folder, 'broken.ts') }]);
    expect(await run('check', '--config', broken)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/broken +FAILED .*broken\.ts:1:/),
    });
  });

  it('say when no daemon runs, and refuse what they do not know', async () => {
    expect(await run('status')).toMatchObject({ code: 1, output: expect.stringContaining('no daemon is running') });
    expect(await run('statuss')).toMatchObject({ code: 2, output: expect.stringContaining('did you mean status?') });
    expect(await run('list', '--jsno')).toMatchObject({ code: 2, output: expect.stringContaining('--json') });
  });

  it('show a running daemon, resume a halted strategy and print the state', async () => {
    const daemon = await DaemonProgram.start(scratch, {
      config,
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key', DAEMON_LATENCY_TRACKING: '1' },
    });
    await daemon.untilStatus('thrower', ({ halted }) => halted);
    expect((await run('list')).output).toMatch(/^NAME.*\nthrower +strategy +halted/);
    expect((await run('status', 'thrower')).output).toContain('5 handlers threw in a row');
    expect((await run('logs', 'thrower', '--level', 'error')).output).toContain('no idea');
    expect((await run('latency')).output).toMatch(/thrower +strategy +\d+/);
    expect(JSON.parse((await run('status', '--json')).output)).toMatchObject([{ name: 'thrower', halted: true }]);
    expect(await run('resume', 'thrower')).toEqual({ code: 0, output: 'thrower resumed' });
    await daemon.untilStatus('thrower', ({ halted, state }) => !halted && state === 'running');
    expect(await run('resume', 'thrower')).toEqual({ code: 1, output: 'thrower is not halted' });
    expect(await run('resume', 'nobody')).toEqual({ code: 1, output: 'no strategy nobody' });
    expect(JSON.parse((await run('state', 'dump')).output)).toMatchObject({
      strategies: [{ name: 'thrower', halt: null }],
    });
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LauncherProgram } from './programs/launcher-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npm run simulator:fault -- ...args`. */
function fault(args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const script = join(repository, 'scripts/simulator-fault.mjs');
  return spawnSync(process.execPath, [script, ...args], {
    cwd: repository,
    env: { ...bareEnvironment(), ...env },
    encoding: 'utf8',
  });
}

describe('npm run simulator:fault', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  async function product(
    env: Record<string, string>,
  ): Promise<{ stateDir: string; call: typeof call; output(): string }> {
    const folder = scratch.folder();
    const launcher = await LauncherProgram.start(scratch, {
      args: ['--data-dir', folder],
      env: { API_KEY: 'k', ...env },
    });
    await launcher.started();
    async function call(path: string, body?: object): Promise<Record<string, unknown>> {
      const response = await fetch(`http://127.0.0.1:${launcher.port}${path}`, {
        headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, ...((await response.json()) as object) };
    }
    return { stateDir: join(folder, 'gateway/state'), call, output: () => launcher.program.output };
  }

  it('breaks the gateway of npm start, shows in its answers, and heals it again', async () => {
    const { stateDir, call, output } = await product({ SIM_FAULTS: '1' });
    const at = ['--state-dir', stateDir];
    expect(output()).toContain('SIM_FAULTS is on');
    expect(output()).toContain(`npm run simulator:fault -- list --state-dir '${stateDir}'`);
    expect(fault(['list', ...at])).toMatchObject({ status: 0, stdout: 'no fault is in force\n' });

    const set = fault(['retcode', '10018', ...at]);
    expect(set).toMatchObject({ status: 0, stdout: 'in force:\n  {"kind":"retcode","retcode":10018}\n' });
    const order = { symbol: 'GBPUSD', volume: 0.1, type: 'BUY' };
    expect(await call('/order', order)).toMatchObject({ status: 422, terminal_error: { retcode: 10_018 } });
    expect(fault(['clear', 'retcode', ...at])).toMatchObject({ status: 0, stdout: 'no fault is in force\n' });
    expect(await call('/order', order)).toMatchObject({ status: 200, state: 'executed' });

    expect(fault(['set-symbol', 'GBPUSD', 'volume_min=0.5', ...at])).toMatchObject({ status: 0 });
    expect(await call('/symbol_info/GBPUSD')).toMatchObject({ volume_min: 0.5 });

    expect(fault(['disconnected', ...at])).toMatchObject({ status: 0 });
    expect(await call('/account')).toMatchObject({ status: 503 });
    expect(fault(['clear', ...at])).toMatchObject({ status: 0 });
  });

  it('finds no gateway that was started without faults', async () => {
    const { stateDir } = await product({});
    const { status, stderr } = fault(['list', '--state-dir', stateDir]);
    expect(status).toBe(1);
    expect(stderr).toContain(`no gateway with SIM_FAULTS=1 runs on ${stateDir}`);
  });

  it('breaks a served simulator and its link', async () => {
    const program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'scripts/simulator.mjs'), '--port', '0', '--token', 't'],
      env: { ...bareEnvironment(), SIM_HISTORY_DAYS: '2' },
    });
    scratch.undo(() => program.stop());
    const port = (await program.line(/^listening on \d+$/)).replace(/\D/g, '');
    const at = ['--port', port];
    const env = { TERMINAL_BRIDGE_TOKEN: 't' };
    expect(fault(['interrupt', '*', 'no-answer', '--times', '100', ...at], env)).toMatchObject({ status: 0 });
    expect(fault(['slippage', '12', ...at], env)).toMatchObject({
      status: 0,
      stdout: 'in force:\n  {"kind":"slippage","points":12}\n',
    });
    expect(fault(['feed-status', ...at], env).stdout).toContain('"kind":"generated"');
    expect(fault(['advance', '60000', ...at], env)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('this market shows the wall clock; set SIM_SPEED or SIM_FEED=replay:...'),
    });
    expect(fault(['drop-connections', ...at], env)).toMatchObject({ status: 0, stdout: 'cut every connection\n' });
    expect(fault(['list', ...at, '--token', 'guessed'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not authorised'),
    });
  });

  it('names the argument that is wrong, and where its help is', () => {
    expect(fault(['latency', 'soon'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/MS must be a number, not "soon"\n.*--help/),
    });
    const { status, stdout } = fault(['--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('trading-off terminal|server|account|api');
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['simulator:fault']).toBe('exec node scripts/simulator-fault.mjs');
  });
});

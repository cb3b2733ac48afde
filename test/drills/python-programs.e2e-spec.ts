import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository } from '../e2e/programs/started-program';
import { describeWithPackage } from '../python/python-package';

/** Of PyPI, as their authors publish them; they need `metatrader5`, which has a wheel for Windows only. */
const programs = ['pdmt5==1.2.3', 'metatrader-mcp-server==0.5.1', 'mcp<2', 'mt5-order-handle==1.0.1', 'doubo==1.1'];
/** It requires one old version of the package. */
const pinned = 'pymt5adapter==0.4.4';
const checkers = ['metatrader5-stubs==0.1.3', 'mypy'];

describeWithPackage('unmodified programs of others', () => {
  const scratch = new Scratch();
  let python: string;

  function run(command: string, ...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: scratch.folder() });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  beforeAll(() => {
    const folder = scratch.folder();
    run('python3', '-m', 'venv', join(folder, 'venv'));
    python = join(folder, 'venv/bin/python');
    const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check'];
    run(python, ...install, join(repository, 'python'));
    const wheels = join(folder, 'wheels');
    run(python, '-m', 'MetaTrader5._wheel', wheels);
    run(python, ...install, '--find-links', wheels, ...programs, ...checkers);
    run(python, ...install, '--no-deps', pinned);
  });
  afterAll(() => scratch.clear());

  it.each(['pdmt5_program.py', 'mcp_program.py', 'order_handle_program.py', 'pymt5adapter_program.py'])(
    'trade on the simulator: %s',
    async (program) => {
      const gateway = await GatewayProgram.startReady(scratch);
      const env = { ...bareEnvironment(), GATEWAY_URL: gateway.url, API_KEY: gateway.key };
      const result = spawnSync(python, [join(__dirname, 'python-programs', program)], {
        ...{ encoding: 'utf8', timeout: 120_000, env: { ...env, GATEWAY_STATE_DIR: scratch.folder() } },
      });
      expect(result.stdout + result.stderr).toMatch(/: done\n$/);
      expect((await gateway.call('/get_positions')).body).toMatchObject({ data: [] });
    },
  );

  it('find everything that the type stubs of others declare, but for what the genuine package does not have either', () => {
    const { stdout } = spawnSync(python, ['-m', 'mypy.stubtest', 'MetaTrader5'], {
      encoding: 'utf8',
      timeout: 300_000,
    });
    const missing = [...stdout.matchAll(/^error: (\S+) is not present at runtime/gm)].map(([, name = '']) => name);
    expect(missing.filter((name) => !/\._(make|replace)$/.test(name))).toEqual([]);
    expect(stdout).toMatch(/checked \d+ modules/);
    const values = [...stdout.matchAll(/^error: (MetaTrader5\.[A-Z_\d]+) /gm)].map(([, name]) => name);
    expect(values).toEqual([]);
  });
});

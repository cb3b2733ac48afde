import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  argumentForms,
  evaluate,
  numbersInRange,
  numbersOutOfRange,
  refusedArguments,
  withoutTerminal,
} from '../contract/package-behaviour';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { textOf } from '../e2e/programs/pages';
import { Scratch } from '../e2e/programs/scratch';
import { effort } from '../setup/effort';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import { describeWithPackage, describeWithUv, packageWheel, pythonEnvironment, pythonVersions } from './python-package';

const tests = join(repository, 'python/tests');
const zone = { SIM_SERVER_TIME_ZONE: 'Europe/Athens', TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' };

describeWithPackage('the Python package (needs Python 3.10 with numpy, httpx and hatchling)', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;

  beforeAll(async () => {
    gateway = await GatewayProgram.startReady(scratch, zone);
  });

  afterAll(() => scratch.clear());

  const environment = (): Record<string, string> =>
    pythonEnvironment(scratch.folder(), { GATEWAY_URL: gateway.url, API_KEY: gateway.key });

  it.each(readdirSync(tests).filter((name) => /^test_.*\.py$/.test(name)))('passes %s', async (file) => {
    const args = ['-W', 'error', '-m', 'unittest', '-q', file.slice(0, -3)];
    const program = new StartedProgram({ command: 'python3', args, env: environment() });
    scratch.undo(() => program.stop());
    expect({ code: await program.exitCode(), output: program.output }).toEqual({
      code: 0,
      output: expect.stringMatching(/Ran [1-9]\d* tests? in [\d.]+s\n\nOK( \(skipped=\d+\))?$/),
    });
  });

  it('has what follows from the OpenAPI document, and the synchronous forms of its asynchronous modules', () => {
    const document = join(scratch.folder(), 'openapi.json');
    const { stdout: fetched } = spawnSync('curl', ['-s', `${gateway.url}/apidocs/openapi.json`], { encoding: 'utf8' });
    writeFileSync(document, fetched);
    const args = ['-B', join(repository, 'python/scripts/generate.py'), document, '--check'];
    expect(spawnSync('python3', args, { encoding: 'utf8' }).stdout).toBe('nothing is stale\n');
  });

  it.each([
    ['README.md', /^10009 1\.\d+\n$/],
    ['docs/metatrader5.md', /^opened 10009 10009\nclosed 10009 0\n$/],
    [
      'python/examples/first-trades.ipynb',
      /^200 bars, .*\n(sell .*\n){5}(buy .*\n){5}partially_closed 0\.2 0\.0\n10009 0\n$/,
    ],
    ['docs/python.md', /^100001 [\d.]+ USD\n500 1\.\d+\n-?[\d.]+\n\d* ?\w+ \w+\n$/],
  ])('runs the programs of %s', async (page, expected) => {
    await gateway.call('/close_all_positions', { method: 'POST', body: {} });
    const programs = page.endsWith('.ipynb') ? [cellsOf(page)] : programsOf(page);
    const runs = programs.map((program) =>
      spawnSync('python3', ['-W', 'error', '-c', program], {
        ...{ encoding: 'utf8', env: environment(), timeout: 30_000 },
      }),
    );
    expect(runs.map(({ stderr }) => stderr).join('')).toBe('');
    expect(runs.map(({ stdout }) => stdout).join('')).toMatch(expected);
  });

  it('prints how long its reads take', () => {
    const args = [join(repository, 'bench/python.py')];
    const { status, stdout } = spawnSync('python3', args, { encoding: 'utf8', env: environment() });
    expect(status).toBe(0);
    process.stdout.write(stdout);
  });

  it('has the syntax of the oldest Python that it names', () => {
    const parsed = spawnSync('python3', ['-c', parsing, join(repository, 'python')], { encoding: 'utf8' });
    expect(parsed).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^3\.\d+: [1-9]\d* files\n$/),
    });
  });

  it('has the version of the product', () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
    expect(readFileSync(join(repository, 'python/pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
  });
});

const parsing = `
import ast, pathlib, re, sys
folder = pathlib.Path(sys.argv[1])
oldest = tuple(map(int, re.search(r'requires-python = ">=(\\d+)\\.(\\d+)"', (folder / "pyproject.toml").read_text()).groups()))
files = list((folder / "src").rglob("*.py"))
for file in files:
    ast.parse(file.read_text(), str(file), feature_version=oldest)
print(f"{oldest[0]}.{oldest[1]}: {len(files)} files")
`;

function programsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/** The cells of a notebook as one program: a kernel runs them one after the other. */
function cellsOf(notebook: string): string {
  const { cells } = JSON.parse(textOf(notebook)) as { cells: { cell_type: string; source: readonly string[] }[] };
  return cells.map(({ cell_type, source }) => (cell_type === 'code' ? `${source.join('')}\n` : '')).join('');
}

describeWithUv('the wheel of the package (needs uv)', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('is installed by uv without an index', () => {
    const target = scratch.folder();
    const args = ['pip', 'install', '-q', '--offline', '--no-deps', '--target', target, packageWheel()];
    expect(spawnSync('uv', args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    const env = { ...bareEnvironment(), PYTHONPATH: target };
    const check =
      'import MetaTrader5, trading_gateway; print(MetaTrader5.__file__, MetaTrader5.initialize("", login="x"))';
    const { stdout } = spawnSync('python3', ['-B', '-c', check], { encoding: 'utf8', env });
    expect(stdout).toBe(`${join(target, 'MetaTrader5/__init__.py')} False\n`);
  });

  // Only in the long form, because each needs its own NumPy.
  for (const [version, python] of effort([], pythonVersions()))
    it(`passes its tests on Python ${version}, with what the index has for it`, async () => {
      const gateway = await GatewayProgram.startReady(scratch, zone);
      const place = scratch.folder();
      for (const args of [
        ['venv', '-q', '--clear', '--python', python, place],
        ['pip', 'install', '-q', '--python', place, packageWheel()],
      ])
        expect(spawnSync('uv', args, { encoding: 'utf8' })).toMatchObject({ status: 0 });
      const way = { GATEWAY_URL: gateway.url, API_KEY: gateway.key, PYTHONPATH: tests };
      const args = ['-m', 'unittest', '-q', 'test_metatrader5', 'test_trading_gateway'];
      const env = pythonEnvironment(scratch.folder(), way);
      const { stderr } = spawnSync(join(place, 'bin/python'), args, { encoding: 'utf8', env });
      expect(stderr).toMatch(/\n\nOK( \(skipped=\d+\))?\n$/);
    });
});

describeWithPackage('MetaTrader5 without a connection (needs Python 3.10 with numpy, httpx and hatchling)', () => {
  it('does what the genuine package does: the tables that it is held to as well', () => {
    // Why it cannot connect is the gateway's to say.
    const answers = withoutTerminal.filter(([expression]) => !expression.includes('initialize'));
    const expected: readonly (readonly [string, unknown, unknown])[] = [
      ...answers,
      ...argumentForms,
      ...refusedArguments.map(([, expression, text]) => [expression, null, [-2, text]] as const),
      ...numbersOutOfRange.map(([expression, code]) => [expression, 'SystemError', [code, expect.anything()]] as const),
      ...numbersInRange.map((expression) => [expression, null, [-10_004, 'No IPC connection']] as const),
    ];
    const expressions = expected.map(([expression]) => expression);
    const found = evaluate(['python3'], pythonEnvironment('/nonexistent'), expressions);
    expect(found.map((answer, index) => [expressions[index], ...answer])).toEqual(expected);
  });
});

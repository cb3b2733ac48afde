import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(__dirname, '..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** A suite of jest.config.js, which `npm test` can run by name. */
interface Suite {
  readonly displayName: string;
  readonly testMatch: readonly string[];
}
/** As CI reads them in the night, with the files that wait for it. */
function readSuites(): readonly Suite[] {
  const print = "process.stdout.write(JSON.stringify(require('./jest.config.js').projects))";
  const env = { ...process.env, TEST_EFFORT: 'long' };
  const { stdout } = spawnSync(process.execPath, ['-e', print], { cwd: root, encoding: 'utf8', env });
  const read: readonly Suite[] = JSON.parse(stdout);
  return read;
}
const suitesAtNight = readSuites();
const suites = suitesAtNight.map(({ displayName }) => displayName);
/** The folders under test/ that have tests. */
const testedFolders = readdirSync(join(root, 'test')).filter(
  (name) => spawnSync('find', [join(root, 'test', name), '-name', '*spec.ts'], { encoding: 'utf8' }).stdout !== '',
);
/** The suite of a folder under test/. */
const suiteOf = (folder: string): string | undefined =>
  suitesAtNight.find(({ testMatch }) => testMatch.includes(`<rootDir>/test/${folder}/**/*spec.ts`))?.displayName;

/** The words of a list such as `gate=(unit contract)` in a shell script. */
function listIn(file: string, name: string): string[] {
  const [, words = ''] = new RegExp(`^${name}=\\((.*)\\)$`, 'm').exec(textOf(file)) ?? [];
  return words.split(/\s+/).filter(Boolean);
}

describe('.ci/run', () => {
  const stages = ['gate', 'rest', 'beside_rest', 'leftover'];

  it('runs every suite of jest.config.js in exactly one stage', () => {
    const listed = stages.flatMap((stage) => listIn('.ci/run', stage));
    expect(listed.sort()).toEqual([...suites].sort());
  });

  it('and the nightly have a suite for every folder that has tests', () => {
    expect(testedFolders).toContain('drills');
    expect(testedFolders.filter((folder) => suiteOf(folder) === undefined)).toEqual([]);
    expect(suitesAtNight.flatMap(({ testMatch }) => testMatch)).toContain(
      '<rootDir>/{apps,libs,strategies,scripts}/**/*.slow.spec.ts',
    );
  });

  it('has no unit test in its gate that starts a whole gateway', () => {
    const starts = spawnSync('grep', ['-rlE', "from '.*/(gateway-under-test|trading-gateway)'", 'apps', 'libs'], {
      ...{ cwd: root, encoding: 'utf8' },
    });
    const unit = /^(?!.*\.(api|long|slow)\.).*\.spec\.ts$/;
    expect(starts.stdout).toContain('place-order.api.spec.ts\n');
    expect(starts.stdout.split('\n').filter((file) => unit.test(file))).toEqual([]);
  });

  it('runs each list that it states', () => {
    for (const stage of stages) expect(textOf('.ci/run')).toContain(`npm test --silent -- "\${${stage}[@]}"`);
    expect(textOf('.ci/run')).toContain('start beside-rest npm test --silent -- "${beside_rest[@]}" --half\n');
    expect(textOf('.ci/run')).toContain('ended beside-rest\n');
    expect(textOf('.ci/run')).toContain('start leftover nice -n 19 npm test --silent -- "${leftover[@]}"');
    expect(textOf('.ci/run')).toContain('ended leftover\n');
  });

  it('makes every check that is not a suite of tests', () => {
    const [, all = ''] = /new Map\(\[\n(.*?)\n\]\);/s.exec(textOf('scripts/check.mjs')) ?? [];
    const names = [...all.matchAll(/^ {2}\['(\w+)'/gm)].map(([, name]) => name);
    expect([...listIn('.ci/run', 'checks'), 'unit']).toEqual(names);
    expect(textOf('.ci/run')).toContain('npm run --silent check -- "${checks[@]}"');
  });
});

describe('.ci/nightly', () => {
  it('runs all of each suite of which .ci/run has one half', () => {
    const [, halved = ''] = /^const inHalves = new Set\(\[(.*)\]\);$/m.exec(textOf('scripts/test.mjs')) ?? [];
    const names = [...halved.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
    expect(names).toContain('e2e');
    const atNight = ['long', 'whole'].flatMap((list) => listIn('.ci/nightly', list));
    expect(names.filter((name) => !atNight.includes(name))).toEqual([]);
  });

  it('runs suites that exist, each list that it states, and the long form of what .ci/run shortens', () => {
    for (const list of ['long', 'whole', 'portable']) {
      expect(suites).toEqual(expect.arrayContaining(listIn('.ci/nightly', list)));
      expect(textOf('.ci/nightly')).toContain(`npm test --silent -- "\${${list}[@]}" --once`);
    }
    const shortened = spawnSync('grep', ['-rlE', "from '.*/setup/effort'", 'apps', 'libs', 'test'], {
      ...{ cwd: root, encoding: 'utf8' },
    });
    const suiteOfFile = (file: string): string => {
      const folder = /^test\/(\w+)\//.exec(file)?.[1];
      const kind = /\.(api|long|slow)\./.exec(file)?.[1]?.replace('slow', 'long');
      return (folder === undefined ? kind : suiteOf(folder)) ?? 'unit';
    };
    const files = shortened.stdout.trim().split('\n');
    expect([...new Set(files.map(suiteOfFile))].sort()).toEqual(listIn('.ci/nightly', 'long').sort());
  });
});

describe('a stage of CI', () => {
  const shell = (script: string) =>
    spawnSync('bash', ['--norc', '-c', `set -euo pipefail; source ${join(root, '.ci/stage.sh')}; ${script}`], {
      ...{ cwd: mkdtempSync(join(tmpdir(), 'ci-')), encoding: 'utf8' },
    });

  it('states what passed, and what follows it runs', () => {
    const { status, stdout } = shell('stage "some suites" echo working; echo after');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^\n══ some suites ══\nworking\nPassed after \d+ s, \d+ s of processor: some suites\nafter\n$/,
    );
  });

  it('states the processor time of what it waited for', () => {
    const twoSeconds = 't=$(getconf CLK_TCK); until read -ra s </proc/$$/stat; ((s[13] + s[14] >= 2 * t)); do :; done';
    const { stdout } = shell(`stage "a busy loop" bash -c '${twoSeconds}'`);
    expect(stdout).toMatch(/Passed after \d+ s, [1-9]\d* s of processor: a busy loop\n$/);
  });

  it('that fails ends the run with its status, and its name is printed last', () => {
    const { status, stdout } = shell('stage "some suites" bash -c "echo working; exit 3"; echo after');
    expect(status).toBe(3);
    expect(stdout).toMatch(/working\nFailed after \d+ s: some suites\n$/);
  });

  it('waits for what was started beside another, and fails with it and with all it printed', () => {
    const started =
      'start slow bash -c "seq 9; exit $end"; stage "more" echo more; stage "slow" ended slow; echo after';
    expect(shell(`end=0; ${started}`)).toMatchObject({
      ...{ status: 0, stdout: expect.stringMatching(/more\nPassed.*\n\n══ slow ══\n7\n8\n9\nPassed.*\nafter\n$/) },
    });
    expect(shell(`end=4; ${started}`)).toMatchObject({
      ...{ status: 4, stdout: expect.stringMatching(/══ slow ══\n1\n2\n(\d\n)+Failed after \d+ s: slow\n$/) },
    });
  });
});

describe('the files of the forge', () => {
  interface Workflow {
    readonly jobs: Readonly<
      Record<string, { readonly steps: readonly { readonly run?: string; readonly uses?: string }[] }>
    >;
    readonly permissions: object;
  }
  const forge = readdirSync(join(root, '.github'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yml'))
    .map((name) => join('.github', name));
  const workflows = forge.filter((file) => file.includes('workflows'));
  const yamlOf = <T>(file: string): T => {
    const document: T = parse(textOf(file), { strict: true, uniqueKeys: true });
    return document;
  };
  const { engines, scripts } = yamlOf<{ engines: { node: string }; scripts: Record<string, string> }>('package.json');

  it('are YAML', () => {
    expect(forge.length).toBeGreaterThanOrEqual(7);
    for (const file of forge) expect(yamlOf(file)).toEqual(expect.any(Object));
  });

  const commands = workflows.flatMap((file) =>
    Object.values(yamlOf<Workflow>(file).jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run }) => (run ?? '').split(/\n|&&/).flatMap((command) => command.trim() || [])),
    ),
  );
  /** Programs of the hosted machine, which are not ours to check. */
  const ofTheMachine = ['pip', 'apt-get'];

  /** What a script says to options with `--help`, which does nothing else. */
  const helpFor = (script: string, options: readonly string[]) =>
    spawnSync(process.execPath, [join(root, script), ...options, '--help'], { cwd: root, encoding: 'utf8' });

  /** Why a command of a workflow would not run; null if it would. */
  function problemOf(command: string): string | null {
    const asRoot = /^sudo (?:--\S+ )*(?:env (?:"?\w+=\S+ )*)?/;
    const [program = '', ...words] = command.replace(asRoot, '').split(' ');
    if (ofTheMachine.includes(program)) return null;
    if (program === 'npm') return problemOfScript(words);
    if (!existsSync(join(root, program))) return `there is no ${program}`;
    if ((statSync(join(root, program)).mode & 0o111) === 0) return `${program} cannot be executed`;
    return words.length === 0 ? null : `${program} takes no options`;
  }

  function problemOfScript([run, name = '', separator, ...options]: readonly string[]): string | null {
    const [, script = ''] = /\bnode (scripts\/\S+)/.exec(scripts[name] ?? '') ?? [];
    if (run !== 'run' || !existsSync(join(root, script)) || script === '') return `there is no script ${name}`;
    if (separator !== undefined && separator !== '--') return `npm takes ${separator} for itself`;
    if (helpFor(script, ['--no-such-option']).status === 0) return `${script} does not check its options`;
    const { status, stderr } = helpFor(script, options);
    return status === 0 ? null : stderr;
  }

  it('run commands that exist and take their options, with no more rights than they state', () => {
    for (const file of workflows) expect(yamlOf<Workflow>(file).permissions).toEqual({ contents: 'read' });
    const programs = commands.filter((command) => command.startsWith('.ci/'));
    expect(programs.sort()).toEqual(['.ci/nightly', '.ci/run']);
    const released = commands.flatMap((command) => /npm run release -- (\w+)/.exec(command)?.[1] ?? []);
    expect(released).toEqual(['build', 'verify']);
    expect(commands.map((command) => [command, problemOf(command)])).toEqual(
      commands.map((command) => [command, null]),
    );
  });

  it.each([
    ['.ci/runs', /^there is no .ci\/runs$/],
    ['.ci/stage.sh', /cannot be executed/],
    ['.ci/run --quick', /takes no options/],
    ['npm run released', /^there is no script released$/],
    ['npm run release --images', /^npm takes --images for itself$/],
    ['npm run release -- build v1.0.0 --image', /Unknown option '--image'/],
    ['sudo --preserve-env=CI env "PATH=$PATH" npm run release -- build --onto release', /Unknown option '--onto'/],
  ])('would not run: %s', (command, problem) => {
    expect(problemOf(command)).toMatch(problem);
  });

  it('release the images with all else, of which the builder has what it takes', () => {
    const build = commands.filter((command) => command.includes('npm run release -- build'));
    expect(build).toEqual([expect.stringMatching(/^sudo .* --images\b/)]);
    const installed = commands.filter((command) => /^sudo apt-get install .*\bbuildah\b/.test(command));
    expect(commands.indexOf(installed[0] ?? '')).toBeGreaterThanOrEqual(0);
    expect(commands.indexOf(installed[0] ?? '')).toBeLessThan(commands.indexOf(build[0] ?? ''));
  });

  it('test the oldest version of Node that is permitted', () => {
    const { jobs } = yamlOf<{ jobs: { run: { strategy: { matrix: { node: string[] } } } } }>(
      '.github/workflows/ci.yml',
    );
    expect(`>=${jobs.run.strategy.matrix.node[0]}.0`).toBe(engines.node);
  });
});

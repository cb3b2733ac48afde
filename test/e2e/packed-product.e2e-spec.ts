import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}
interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/** The packages that an installation without development dependencies has. Only npm itself needs the registry. */
function installDependencies(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock;
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    const isOutermost = path.lastIndexOf('node_modules/') === 0;
    if (!isOutermost || dev === true || devOptional === true) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(repository, path), join(folder, path));
  }
}

describe('the packed product, in an empty folder', () => {
  const scratch = new Scratch();
  let folder: string;
  let installed: string;
  let manifest: Manifest;
  beforeAll(() => {
    folder = scratch.folder();
    installed = join(folder, 'node_modules/trading-gateway');
    mkdirSync(installed, { recursive: true });
    // Without its build, which would replace the programs that other suites run.
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    const name = execFileSync('npm', pack, { cwd: repository, encoding: 'utf8' }).trim();
    execFileSync('tar', ['-xzf', join(folder, name), '--strip-components=1', '-C', installed]);
    installDependencies(folder);
    manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
  });
  afterAll(() => scratch.clear());

  it('has the JSON Schemas of the files that it reads', () => {
    const names = ['daemon', 'notifier', 'signals', 'symbols'];
    const schemas = names.map((name) => join(installed, `dist/apps/schemas/${name}.schema.json`));
    for (const file of schemas) {
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  const env = (more: Record<string, string>) => ({ ...bareEnvironment(), API_KEY: 'packed-key', ...more });
  const program = (bin: string, args: readonly string[], more: Record<string, string> = {}): StartedProgram => {
    const entry = join(installed, manifest.bin[bin] ?? '');
    return new StartedProgram({ command: process.execPath, args: [entry, ...args], cwd: folder, env: env(more) });
  };

  it('is tried with one command, serves the API and the console, answers the commands of its own program, and stops', async () => {
    const data = join(folder, 'data');
    const gateway = program('trading-gateway', ['try', '--data-dir', data], { API_KEY: '', TERMINAL_API_PORT: '0' });
    scratch.undo(() => gateway.stop());
    const order = (await gateway.line(/curl -s \S+\/order /)).trim();
    const url = /(http:\S+)\/order/.exec(order)?.[1] ?? '';
    expect(JSON.parse(execFileSync('sh', ['-c', order], { encoding: 'utf8' }))).toMatchObject({ ok: true });
    const files = {
      ORDER_AUDIT_FILE: join(data, 'gateway/order-audit.jsonl'),
      KILL_SWITCH_FILE: join(data, 'gateway/kill-switch'),
    };
    const key = { API_KEY: readFileSync(join(data, 'api-key'), 'utf8').trim() };
    const account = program('trading-gateway', ['account'], { ...key, GATEWAY_URL: url });
    expect([await account.exitCode(), account.output]).toEqual([
      0,
      expect.stringMatching(/^ACCOUNT +SERVER[^]*\n100001 /),
    ]);
    const state = { ...files, STATE_DIR: join(data, 'gateway/state') };
    const backup = program('trading-gateway', ['backup', 'create', join(folder, 'backup')], state);
    expect([await backup.exitCode(), backup.output]).toEqual([0, expect.stringMatching(/^backup of .* 2 files/)]);
    const page = await (await fetch(`${url}/console`)).text();
    const parts = [...page.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, path]) => path);
    expect(parts).toHaveLength(2);
    for (const part of parts) expect((await fetch(`${url}/${part}`)).status).toBe(200);
    expect(await gateway.stop()).toBe(0);
  });

  it('explains the backup when it is asked to', async () => {
    const help = program('trading-gateway', ['backup', '--help']);
    expect([await help.exitCode(), help.output]).toEqual([
      0,
      expect.stringMatching(/^usage: gateway backup create DIR/),
    ]);
    const all = program('trading-gateway', ['--help']);
    expect([await all.exitCode(), all.output]).toEqual([0, expect.stringContaining('  gateway backup create DIR')]);
  });

  it('brings the daemon', async () => {
    const daemon = program('trading-daemon', ['new', 'idea']);
    expect([await daemon.exitCode(), daemon.output]).toEqual([0, expect.stringContaining('idea')]);
  });

  it('has programs that a shell can start, no scripts that an installation runs, and no source of a test', () => {
    for (const entry of Object.values(manifest.bin)) {
      expect(readFileSync(join(installed, entry), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
    const files = execFileSync('find', [installed, '-type', 'f'], { encoding: 'utf8' }).trim().split('\n');
    expect(files.filter((file) => /\.spec\.|\/test\/|\.env|\.pem$/.test(file))).toEqual([]);
    expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(20_000_000);
  });
});

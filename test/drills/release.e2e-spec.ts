import { appendFileSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import { describeWithPackage } from '../python/python-package';

describeWithPackage('a release that is built from its tag', () => {
  const scratch = new Scratch();
  const folder = scratch.folder();
  const clone = join(folder, 'clone');
  const release = join(folder, 'release');
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const env = { ...bareEnvironment(), GIT_CONFIG_GLOBAL: join(folder, 'gitconfig') };
  afterAll(() => scratch.clear());

  const ran = (command: string, args: readonly string[], cwd = folder, more = {}) =>
    spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...env, ...more } });
  const done = ({ status, stdout, stderr }: ReturnType<typeof ran>): void => {
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
  };
  const script = (...args: readonly string[]) => ran(process.execPath, ['scripts/release.mjs', ...args], clone);
  const fileNamed = (pattern: RegExp): string =>
    join(release, readdirSync(release).find((name) => pattern.test(name)) ?? '');

  beforeAll(() => {
    writeFileSync(
      env.GIT_CONFIG_GLOBAL,
      '[safe]\n  directory = *\n[user]\n  name = test\n  email = test@example.com\n',
    );
    done(ran('git', ['clone', '--quiet', repository, clone]));
    done(ran('git', ['tag', '--annotate', '--message', 'test', `v${version}`], clone));
    // Its packages are those of the suite; the release itself uses npm ci.
    done(script('build', `v${version}`, '--into', release, '--modules', join(repository, 'node_modules')));
  });

  it('has every artifact, with checksums, bill of materials and provenance', () => {
    expect(readdirSync(release).sort()).toEqual(
      [
        ...['SHA256SUMS', 'provenance.intoto.json', `trading-gateway-${version}.cdx.json`],
        ...[`trading-gateway-${version}.tgz`, `trading-gateway-client-${version}.tgz`, `libs-strategy-${version}.tgz`],
        ...[`trading-gateway-deploy-${version}.tar.gz`, `trading-gateway-docs-${version}.tar.gz`],
        ...[`trading_gateway-${version}.tar.gz`, `trading_gateway-${version}-py3-none-any.whl`],
      ].sort(),
    );
    expect(ran('sha256sum', ['--check', '--strict', 'SHA256SUMS'], release)).toMatchObject({ status: 0 });
    const bill = JSON.parse(readFileSync(fileNamed(/cdx\.json$/), 'utf8')) as {
      bomFormat: string;
      components: { name: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['@nestjs/core', 'fastify', 'lmdb']));
    expect(names).not.toContain('jest');
    const commit = ran('git', ['rev-parse', 'HEAD'], clone).stdout.trim();
    expect(readFileSync(fileNamed(/^provenance/), 'utf8')).toContain(`"gitCommit": "${commit}"`);
  });

  it('is published by the commands that a dry run prints, and not if a file was changed', () => {
    const dry = script('publish', release, '--dry-run');
    expect(dry).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/npm publish \S+trading-gateway-[^]*twine upload[^]*gh release create/),
    });
    const changed = join(folder, 'changed');
    cpSync(release, changed, { recursive: true });
    appendFileSync(join(changed, `trading-gateway-${version}.tgz`), 'x');
    writeFileSync(join(changed, 'more'), '');
    const { status, stderr } = script('publish', changed);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/more has no checksum[^]*has another checksum/),
    });
    expect(script('build', 'v9.9.9')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no tag v9.9.9'),
    });
  });

  it('is tried by npx without a clone, takes the printed order, and one of the installed Python package', async () => {
    const place = join(folder, 'empty');
    mkdirSync(place);
    // As the page has it: npx takes an absolute path for a program.
    cpSync(fileNamed(/^trading-gateway-\d.*\.tgz$/), join(place, 'gateway.tgz'));
    const args = ['--yes', '--ignore-scripts', './gateway.tgz', 'try'];
    const gateway = new StartedProgram({
      command: 'npx',
      args,
      cwd: place,
      env: { ...env, TERMINAL_API_PORT: '0' },
      group: true,
    });
    scratch.undo(() => gateway.stop());
    const order = (await gateway.line(/curl -s \S+\/order /)).trim();
    expect(JSON.parse(ran('bash', ['--norc', '-c', order]).stdout)).toMatchObject({ ok: true, state: 'executed' });

    expect(ran('python3', ['-m', 'venv', 'python'], place)).toMatchObject({ status: 0 });
    const wheel = ['install', '--quiet', '--disable-pip-version-check', fileNamed(/\.whl$/)];
    expect(ran('python/bin/pip', wheel, place)).toMatchObject({ status: 0 });
    const key = readFileSync(join(place, '.data/api-key'), 'utf8').trim();
    const first =
      'from trading_gateway import Gateway\nwith Gateway() as gateway: print(gateway.order("EURUSD", 0.1, "BUY"))';
    const url = /(http:\S+)\/order/.exec(order)?.[1] ?? '';
    const python = ran('python/bin/python', ['-c', first], place, { API_KEY: key, GATEWAY_URL: url });
    expect(python).toMatchObject({ status: 0, stdout: expect.stringContaining('EURUSD') });
  });
});

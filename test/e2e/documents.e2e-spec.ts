import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DaemonProgram } from './daemon/daemon-program';
import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';
import { repository } from './programs/started-program';

// Whole programs start and stop in here.
jest.setTimeout(120_000);

const pages = ['README.md', 'CONTRIBUTING.md', ...markdownUnder('docs')];

function markdownUnder(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const textOf = (page: string): string => readFileSync(join(repository, page), 'utf8');

/** The blocks of a page that a shell can run, in order. */
const shellBlocks = (page: string): string[] =>
  [...textOf(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code ?? '');

describe('the documents', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('README: its commands, run one after the other by a shell, all do what they are for', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const daemon = await DaemonProgram.start(scratch, {
      config: join(repository, 'strategies/demo.yaml'),
      stateDir: join(gateway.folder, '.data/daemon'),
      env: { API_KEY: gateway.key, TERMINAL_API_PORT: new URL(gateway.url).port },
    });
    await daemon.untilStatus('ema-eurusd', ({ state }) => state === 'running');
    writeFileSync(join(gateway.folder, '.data/api-key'), `${gateway.key}\n`);

    // Each curl's answer on a line of its own.
    const script = shellBlocks('README.md').join('\n').replaceAll('http://127.0.0.1:5001', gateway.url);
    const shell = spawnSync('bash', ['-euo', 'pipefail', '-c', script.replaceAll('curl -s ', 'curl -sw "\\n" ')], {
      cwd: gateway.folder,
      encoding: 'utf8',
    });
    expect(shell).toMatchObject({ status: 0, stderr: '' });
    const answers = shell.stdout
      .split('\n')
      .filter((line) => /^[{[]/.test(line))
      .map((line): unknown => JSON.parse(line));
    expect(answers).toEqual([
      expect.objectContaining({ ok: true, state: 'executed' }),
      expect.objectContaining({ ok: true, result: expect.anything() }),
      expect.objectContaining({ ok: true, result: expect.anything() }),
      expect.objectContaining({ ok: true, kill_switch_active: true }),
      expect.objectContaining({ ok: true, kill_switch_active: false }),
      expect.objectContaining({ ok: true, magic: 7, positions: [], unresolved: [] }),
      [expect.objectContaining({ name: 'ema-eurusd', state: 'running' })],
      [expect.objectContaining({ name: 'ema-eurusd', magic: 41_001 })],
    ]);
  });

  it('docs/trade-path.md: its command makes a key void', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const command = shellBlocks('docs/trade-path.md').find((block) => block.includes('/void'));
    const script = command?.replaceAll('localhost:5001', new URL(gateway.url).host) ?? '';
    const { stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      env: { ...process.env, API_KEY: gateway.key },
    });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, key: 'my-lost-order', status: 'void' });
  });

  it('docs/configuration.md is what the settings tables say', () => {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/docs-config.mjs', '--check'], {
      cwd: repository,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  it.each(pages)('%s: its npm commands exist, and so does every file it links to', (page) => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: object };
    const text = textOf(page);
    const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) => target ?? '');
    const isBroken = (target: string): boolean => !existsSync(resolve(repository, dirname(page), target));
    expect(links.filter(isBroken)).toEqual([]);
  });
});

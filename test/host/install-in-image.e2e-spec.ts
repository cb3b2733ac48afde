import { buildSync } from 'esbuild';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostRig } from './host-rig';
import { WebSource } from './web-source';

describe('Installing the terminal while the image is built', () => {
  let rig: HostRig;
  let source: WebSource;
  const root = join(__dirname, '../..');
  beforeEach(async () => {
    rig = new HostRig();
    const plan = { runs: ['install'], executable: rig.executable, terminal: join(__dirname, 'stand-in/terminal.cjs') };
    const setup = readFileSync(join(__dirname, 'stand-in/setup.cjs'), 'utf8').replace('PLAN', JSON.stringify(plan));
    source = await WebSource.start((_request, response) => response.end(setup));
    program = join(rig.home, 'install-terminal.cjs');
    buildSync({
      entryPoints: [join(root, 'apps/gateway/src/install-terminal.ts')],
      outfile: program,
      ...{ bundle: true, platform: 'node', tsconfig: join(root, 'tsconfig.json'), logLevel: 'error' },
    });
    sha256 = createHash('sha256').update(setup).digest('hex');
  });
  afterEach(async () => {
    await rig.close();
    await source.stop();
  });
  let program: string;
  let sha256: string;

  /** Runs it as a process of its own. @returns its exit code and the events that it logged */
  function install(checksum: string): Promise<{ code: number | null; events: string[] }> {
    const environment = { ...rig.layout().environment, TERMINAL_HOST_HOME: rig.home, TERMINAL_DESKTOP_SCRIPT: '' };
    const child = spawn(process.execPath, [program], {
      env: { ...environment, TERMINAL_SETUP_URL: `${source.url}/setup.exe`, TERMINAL_SETUP_SHA256: checksum },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return new Promise((done) => {
      child.once('close', (code) => {
        const lines = said.split('\n').filter((line) => line !== '');
        done({ code, events: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) });
      });
    });
  }

  it('runs the installer once its checksum is met, and leaves its record', async () => {
    const { code, events } = await install(sha256);
    expect([code, events.at(-1)]).toEqual([0, 'terminal installed']);
    expect(existsSync(rig.executable)).toBe(true);
    expect(JSON.parse(readFileSync(join(rig.home, 'install.json'), 'utf8'))).toMatchObject({ sha256 });
  });

  it('fails with another checksum, and runs nothing', async () => {
    const { code, events } = await install('0'.repeat(64));
    expect([code, events]).toEqual([1, expect.arrayContaining(['checksum mismatch', 'terminal missing'])]);
    expect(existsSync(rig.executable)).toBe(false);
  });

  it('puts the terminal on a new volume at the first start, and leaves one that is there', async () => {
    const built = join(rig.home, 'built');
    const volume = join(rig.home, 'volume/terminal');
    mkdirSync(join(built, 'wine/drive_c'), { recursive: true });
    writeFileSync(join(built, 'wine/.prepared'), '');
    const executable = (home: string): string => join(home, 'wine/drive_c/terminal64.exe');
    writeFileSync(executable(built), 'the first');
    writeFileSync(join(built, 'install.json'), JSON.stringify({ url: 'u', sha256, executable: executable(built) }));
    const start = (): string =>
      execFileSync(join(root, 'deploy/terminal/start.sh'), ['cat', executable(volume)], {
        env: { PATH: process.env.PATH, HOME: rig.home, WINEPREFIX: join(volume, 'wine'), TERMINAL_BUILT_IN: built },
        encoding: 'utf8',
      });
    expect(start()).toBe('the first');
    expect(JSON.parse(readFileSync(join(volume, 'install.json'), 'utf8'))).toMatchObject({
      executable: executable(volume),
    });
    writeFileSync(executable(built), 'another');
    expect(start()).toBe('the first');
  });
});

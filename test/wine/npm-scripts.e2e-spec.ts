import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** npm runs a script of package.json on Windows as `cmd /d /s /c SCRIPT`, in the folder of package.json. */
describe('The scripts of package.json that begin with exec, by the command line of Windows', () => {
  const home = mkdtempSync(join(tmpdir(), 'scripts-wine-'));
  const env = { PATH: process.env.PATH, HOME: home, WINEPREFIX: join(home, 'wine'), WINEDEBUG: '-all' };

  beforeAll(() => void execFileSync('wineboot', ['-i'], { env, stdio: 'ignore' }));
  afterAll(() => {
    spawnSync('wineserver', ['-k'], { env });
    spawnSync('wineserver', ['-w'], { env });
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const windows = (script: string) => {
    const { stdout, status } = spawnSync('wine', ['cmd', '/d', '/s', '/c', script], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    return { output: stdout.trim(), status };
  };

  it('run what follows, with its arguments and its exit code', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    expect(scripts['start']).toMatch(/^exec node /);
    expect(windows('exec echo --speed 60')).toEqual({ output: '--speed 60', status: 0 });
    expect(windows('exec cmd /c exit 3')).toMatchObject({ status: 3 });
  });
});

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGatewaySettings } from '../../apps/gateway/src/gateway.config';
import { assembleHost } from '../../apps/gateway/src/terminal-host/assemble-host';
import { ChildProcessRunner } from '../../apps/gateway/src/terminal-host/child-process-runner';
import { readHostLayout } from '../../apps/gateway/src/terminal-host/host-layout.config';
import { hostOptions } from '../../apps/gateway/src/terminal-host/host-options';
import { type TerminalHost } from '../../apps/gateway/src/terminal-host/terminal-host';
import { CORE, LOGIN, PASSWORD, SERVER } from '../host/host-rig';
import { HurriedClock } from '../host/hurried-clock';
import { ListLog } from '../host/list-log';
import { WebSource } from '../host/web-source';

const TERMINAL = 'C:\\Program Files\\MetaTrader 5\\terminal64.exe';

describe('A Windows program under Wine, run by the very code that runs the terminal', () => {
  const home = mkdtempSync(join(tmpdir(), 'terminal-wine-'));
  const program = join(home, 'stand-in.exe');
  const terminalHome = join(home, 'wine/drive_c/Program Files/MetaTrader 5');
  const runner = new ChildProcessRunner();
  let display: ChildProcess;
  let source: WebSource;
  let host: TerminalHost | undefined;
  let log: ListLog;
  let clock: HurriedClock;

  const layout = readHostLayout({
    PATH: process.env.PATH,
    HOME: home,
    DISPLAY: ':97',
    TERMINAL_HOST_HOME: home,
    TERMINAL_STARTUP_FOLDER: join(home, 'startup'),
    TERMINAL_BRIDGE_PYTHON: join(home, 'python.exe'),
    TERMINAL_DESKTOP_SCRIPT: '',
  });

  beforeAll(async () => {
    execFileSync('x86_64-w64-mingw32-gcc', ['-O1', '-municode', '-o', program, join(__dirname, 'stand-in.c')]);
    writeFileSync(join(home, 'python.exe'), readFileSync(program));
    display = spawn('Xvfb', [':97', '-screen', '0', '640x480x16', '-nolisten', 'tcp'], { stdio: 'ignore' });
    // Wine that starts before it has no windows at all.
    while (!existsSync('/tmp/.X11-unix/X97')) await new Promise((resolve) => setTimeout(resolve, 50));
    execFileSync('wineboot', ['-i'], { env: { ...layout.environment }, stdio: 'ignore' });
    source = await WebSource.start((_request, response) => response.end(readFileSync(program)));
  });
  afterAll(async () => {
    display.kill();
    await source.stop();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    clock = new HurriedClock(5);
    log = new ListLog(clock);
    rmSync(terminalHome, { recursive: true, force: true });
    rmSync(join(home, 'install.json'), { force: true });
    rmSync(join(home, 'bridge.txt'), { force: true });
  });
  afterEach(async () => {
    await host?.stop();
    const left = await runner.find({ program: undefined, env: `TERMINAL_HOST_HOME=${home}` });
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  });

  function start(env: Readonly<Record<string, string>> = CORE): TerminalHost {
    const settings = readGatewaySettings({
      ...env,
      TERMINAL_SETUP_URL: `${source.url}/setup.exe`,
      TERMINAL_SETUP_SHA256: createHash('sha256').update(readFileSync(program)).digest('hex'),
      TERMINAL_BRIDGE_TOKEN: 'token-of-the-test',
    });
    host = assembleHost(hostOptions(settings, layout), { runner, clock, log, session: { loggedInAs: () => null } });
    host.start();
    return host;
  }
  function behave(word: string): void {
    mkdirSync(terminalHome, { recursive: true });
    writeFileSync(join(terminalHome, 'behaviour.txt'), word);
  }
  const notes = (path: string): string[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
  const launches = (): string[] => notes(join(terminalHome, 'launches.txt'));
  const terminals = (): Promise<readonly number[]> =>
    runner.find({ program: 'terminal64.exe', env: `TERMINAL_HOST_HOME=${home}` });

  it('is downloaded, installed, logged in by its startup file, given its bridge, and closed by its window', async () => {
    const running = start();
    expect(await log.logged('logged in')).toEqual({ login: LOGIN, candidate: SERVER, seen_in: 'journal' });
    const [launch = ''] = launches();
    expect(launch).toContain(`login=${LOGIN} password=${PASSWORD} server=${SERVER} allowed=1`);
    expect(launch.split(' login=')[0]).not.toContain(PASSWORD);
    expect(launch).toContain(TERMINAL);
    expect(existsSync(join(home, 'startup/startup.ini'))).toBe(false);
    await log.logged('bridge said');
    expect(notes(join(home, 'bridge.txt'))).toEqual([
      expect.stringContaining(`token=token-of-the-test terminal=${TERMINAL} `),
    ]);
    // A busy machine needs its time to close a window: 50 real seconds before the signals.
    clock.runAt(0.2);
    await running.stop();
    expect(launches().at(-1)).toBe('closed');
    expect(await terminals()).toEqual([]);
  });

  it('is logged in with a password outside ASCII', async () => {
    start({ ...CORE, TERMINAL_PASSWORD: 'пароль-ü-密碼' });
    await log.logged('logged in');
    expect(launches()[0]).toContain('password=пароль-ü-密碼 ');
  });

  it('is launched and logged in again when it is killed', async () => {
    start();
    await log.logged('logged in');
    for (const pid of await terminals()) runner.signal(pid, 'SIGKILL');
    await log.logged('terminal exited');
    await log.logged('logged in', 2);
    expect(launches()).toHaveLength(2);
  });

  it('is watched on after it has updated itself and come back as another process', async () => {
    behave('update');
    const running = start();
    await log.logged('logged in');
    expect(launches()).toEqual([expect.stringContaining('updated=0'), expect.stringContaining('updated=1')]);
    expect(running.status().terminal_launches).toBe(1);
    expect(await terminals()).toHaveLength(1);
  });

  it('is refused by the broker, and not tried on', async () => {
    behave('refuse');
    start();
    expect(await log.logged('login attempt refused')).toMatchObject({ reason: 'Invalid account' });
    await log.logged('retry scheduled');
    expect(existsSync(join(home, 'startup/startup.ini'))).toBe(false);
  });
});

import { buildSync } from 'esbuild';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE, HostRig, LOGIN } from './host-rig';

describe('Keeping the terminal running', () => {
  let rig: HostRig;
  beforeEach(() => {
    rig = new HostRig();
  });
  afterEach(async () => {
    await rig.close();
  });

  const lastPid = (): number => rig.launches().at(-1)?.pid ?? 0;

  it('logs a terminal in again that ended, with its bridge started anew', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    const host = rig.host(CORE);
    host.start();
    await rig.logged('logged in');
    await rig.until('the bridge', () => rig.bridges().length === 1);
    process.kill(lastPid(), 'SIGKILL');
    expect(await rig.logged('terminal exited')).toMatchObject({ signal: 'SIGKILL' });
    await rig.logged('logged in', 2);
    expect(host.status()).toMatchObject({ state: 'logged_in', terminal_launches: 2 });
    await rig.until('the second bridge', () => rig.bridges().length === 2);
    expect(() => process.kill(rig.bridges()[0]?.pid ?? 0, 0)).toThrow('ESRCH');
  });

  it('waits longer with each terminal that ends soon', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    rig.host(CORE).start();
    for (const life of [1, 2, 3]) {
      await rig.logged('logged in', life);
      process.kill(lastPid(), 'SIGKILL');
      await rig.logged('terminal exited', life);
    }
    await rig.logged('retry scheduled', 2);
    expect(rig.events('retry scheduled').map((fields) => fields['in_seconds'])).toEqual([30, 60]);
  });

  it('starts a bridge again that ended, and leaves the terminal alone', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    const host = rig.host(CORE);
    host.start();
    await rig.until('the bridge', () => rig.bridges().length === 1);
    process.kill(rig.bridges()[0]?.pid ?? 0, 'SIGKILL');
    expect(await rig.logged('bridge ended')).toMatchObject({ signal: 'SIGKILL', restart_in_seconds: 1 });
    await rig.until('the second bridge', () => rig.bridges().length === 2);
    process.kill(rig.bridges()[1]?.pid ?? 0, 'SIGKILL');
    expect(await rig.logged('bridge ended', 2)).toMatchObject({ restart_in_seconds: 2 });
    expect(host.status()).toMatchObject({ terminal_launches: 1, bridge: { starts: 2 } });
  });

  it('gives the bridge its port and token, and no secret beside', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    rig.host({ ...CORE, TERMINAL_BRIDGE_ADDR: '127.0.0.1:18999' }).start();
    await rig.until('the bridge', () => rig.bridges().length === 1);
    const [bridge] = rig.bridges();
    expect(bridge?.token).toBe('bridge-token-of-the-test');
    const terminal = 'C:\\Program Files\\MetaTrader 5\\terminal64.exe';
    expect(bridge?.arguments.slice(1)).toEqual(['--port', '18999']);
    expect(bridge?.environment['TERMINAL_PATH']).toBe(terminal);
    const environment = JSON.stringify(bridge?.environment);
    expect(environment).not.toContain(CORE.TERMINAL_PASSWORD);
    expect(environment).not.toContain(CORE.API_KEY);
  });

  it('tries again after a pause when nothing logged in, and notices a login by hand in the meantime', async () => {
    rig.installTerminal({});
    const host = rig.host({ ...CORE, TERMINAL_LOGIN_FIRST_TRIES: '2' });
    host.start();
    await rig.logged('retry scheduled');
    expect(host.status()).toMatchObject({ state: 'waiting_to_retry', failed_rounds: 1 });
    expect(host.status().next_retry_at).not.toBeNull();
    await rig.logged('retry scheduled', 2);
    expect(rig.events('retry scheduled').map((fields) => fields['in_seconds'])).toEqual([30, 60]);
    rig.session = LOGIN;
    expect(await rig.logged('logged in')).toEqual({ login: LOGIN, candidate: null, seen_in: 'session' });
    expect(host.status()).toMatchObject({ state: 'logged_in', failed_rounds: 0, next_retry_at: null });
  });

  it('asks the terminal to close its window before it signals, and sweeps up after it', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    const host = rig.host(CORE);
    host.start();
    await rig.logged('logged in');
    await host.stop();
    expect(rig.closedByWindow()).toBe(1);
    expect(readFileSync(join(rig.home, 'wineserver.txt'), 'utf8')).toBe('-k\n');
    expect(host.status()).toMatchObject({ state: 'stopped', bridge: { running: false } });
  });

  it('asks again when the first request to close the window has no effect', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise', ignoresCloses: 1 } });
    const host = rig.host(CORE);
    host.start();
    await rig.logged('logged in');
    rig.clock.runAt(5);
    await host.stop();
    expect(rig.closedByWindow()).toBe(1);
  });

  it('can be stopped at any moment of a login', async () => {
    rig.installTerminal({ otherwise: { does: 'nothing', deaf: true } });
    const host = rig.host(CORE);
    host.start();
    await rig.until('the launch', () => rig.launches().length === 1);
    await host.stop();
    expect(existsSync(rig.startupFile)).toBe(false);
    expect(rig.events('logged in')).toEqual([]);
  });

  it('takes over a terminal that outlived an earlier host, when the session finds its account logged in', async () => {
    rig.installTerminal({});
    const orphan = rig.runner.start({
      file: process.execPath,
      args: [rig.executable, '/portable'],
      env: { ...rig.layout().environment, TERMINAL_HOST_HOME: rig.home },
    });
    await rig.until('the orphan', () => rig.launches().length === 1);
    rig.session = LOGIN;
    const host = rig.host(CORE);
    host.start();
    await rig.logged('logged in');
    await rig.until('the bridge', () => rig.bridges().length === 1);
    expect(orphan.isRunning()).toBe(true);
    expect(host.status()).toMatchObject({ state: 'logged_in', terminal_launches: 0 });
  });

  it.each([
    ['the image default', {}, 'image:image'],
    ['CUSTOM_USER and PASSWORD', { CUSTOM_USER: 'trader', PASSWORD: 'desk top' }, 'trader:desk top'],
    ['a slow X server', { CUSTOM_USER: 'slow', PASSWORD: 'x' }, 'slow:x'],
  ])('starts the desktop with %s', async (_name, env, credentials) => {
    rig.installTerminal({});
    const host = rig.host(env);
    host.start();
    const file = join(rig.home, 'desktop.txt');
    await rig.until('the desktop', () => existsSync(file) && readFileSync(file, 'utf8') !== '');
    expect(readFileSync(file, 'utf8')).toBe(`${credentials}\n`);
    expect(host.status().desktop).toEqual({ running: true, starts: 1 });
    // The terminal has a window: it comes after its screen.
    await rig.logged('terminal launched');
    expect(existsSync(join(rig.home, 'x/socket'))).toBe(true);
  });

  it('removes the startup file when the gateway is killed in the middle of a login', async () => {
    const program = join(rig.home, 'login-and-die.cjs');
    buildSync({
      stdin: {
        contents: `
          import { ChildProcessRunner } from './child-process-runner';
          import { StartupFile } from './startup-file';
          const file = new StartupFile({ directory: process.argv[2], algoTrading: true }, new ChildProcessRunner());
          void file.write({ login: 1, password: 'word', server: 'Acme' }, 'Acme').then(() => console.log('written'));
          setInterval(() => undefined, 60000);`,
        resolveDir: join(__dirname, '../../apps/gateway/src/terminal-host'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      outfile: program,
    });
    const gateway = spawn(process.execPath, [program, join(rig.home, 'startup')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => gateway.stdout.once('data', resolve));
    expect(existsSync(rig.startupFile)).toBe(true);
    gateway.kill('SIGKILL');
    await rig.until('the removal by the guard', () => !existsSync(rig.startupFile));
  });
});

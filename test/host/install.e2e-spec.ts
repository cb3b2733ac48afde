import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type RequestListener } from 'node:http';
import { join } from 'node:path';
import { CORE, HostRig } from './host-rig';
import { WebSource } from './web-source';

type Run = 'install' | 'hand over' | 'fail' | 'do nothing' | 'hang';

describe('Installing the terminal', () => {
  let rig: HostRig;
  const sources: WebSource[] = [];
  beforeEach(() => {
    rig = new HostRig();
  });
  afterEach(async () => {
    await rig.close();
    for (const source of sources.splice(0)) await source.stop();
  });

  /** An installer whose runs go as the plan says, and where it is to be had. */
  async function setupOf(
    runs: readonly Run[],
    answer?: (bytes: Buffer) => RequestListener,
    executable = rig.executable,
  ) {
    rig.behave({ otherwise: { does: 'authorise' } });
    const plan = JSON.stringify({ runs, executable, terminal: join(__dirname, 'stand-in/terminal.cjs') });
    const bytes = Buffer.from(readFileSync(join(__dirname, 'stand-in/setup.cjs'), 'utf8').replace('PLAN', plan));
    const source = await WebSource.start(answer ? answer(bytes) : (_request, response) => response.end(bytes));
    sources.push(source);
    const env = {
      ...CORE,
      TERMINAL_SETUP_URL: `${source.url}/setup.exe?token=hidden`,
      TERMINAL_SETUP_SHA256: createHash('sha256').update(bytes).digest('hex'),
    };
    return { source, env };
  }
  const runsOfSetup = (): string[] => {
    const path = join(rig.home, 'setups.txt');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };

  it('downloads from TERMINAL_SETUP_URL, checks, installs silently, logs in, and leaves no installer behind', async () => {
    const { source, env } = await setupOf(['install']);
    rig.host(env).start();
    await rig.logged('logged in');
    expect(source.asked).toEqual(['/setup.exe?token=hidden']);
    expect(runsOfSetup()).toEqual([expect.stringMatching(/^\d+ \/auto$/)]);
    expect(existsSync(join(rig.home, 'terminal-setup.exe'))).toBe(false);
    expect(JSON.stringify(rig.log.lines)).not.toContain('token=hidden');
  });

  it('does not install again what is there from the same URL, and does from another', async () => {
    const { source, env } = await setupOf(['install']);
    const first = rig.host(env);
    first.start();
    await rig.logged('logged in');
    await first.stop();
    const second = rig.host(env);
    second.start();
    await rig.logged('logged in', 2);
    expect(source.asked).toHaveLength(1);
    await second.stop();
    rig.host({ ...env, TERMINAL_SETUP_URL: `${source.url}/other.exe` }).start();
    await rig.logged('logged in', 3);
    expect(source.asked).toEqual(['/setup.exe?token=hidden', '/other.exe']);
  });

  it('starts what is there when no URL is set', async () => {
    rig.installTerminal({ otherwise: { does: 'authorise' } });
    rig.host(CORE).start();
    await rig.logged('logged in');
    expect(rig.events('terminal present')).toEqual([{ executable: rig.executable }]);
  });

  it('finds a terminal that a broker calls otherwise', async () => {
    const other = join(rig.home, 'wine/drive_c/Program Files/Acme Trading Station/terminal64.exe');
    const { env } = await setupOf(['install'], undefined, other);
    rig.host(env).start();
    expect(await rig.logged('terminal installed')).toEqual({ executable: other });
  });

  it('installs nothing without TERMINAL_SETUP_SHA256', async () => {
    const { source, env } = await setupOf(['install']);
    const { TERMINAL_SETUP_SHA256: _, ...without } = env;
    const host = rig.host(without);
    host.start();
    expect(await rig.logged('terminal missing')).toMatchObject({ reason: expect.stringContaining('SHA256') });
    expect(source.asked).toEqual([]);
    expect(host.status()).toMatchObject({ state: 'not_installed', next_retry_at: null });
  });

  it('never runs a file with another checksum, and does not try again', async () => {
    const { source, env } = await setupOf(['install']);
    const host = rig.host({ ...env, TERMINAL_SETUP_SHA256: 'ab'.repeat(32) });
    host.start();
    await rig.logged('terminal missing');
    expect(rig.events('checksum mismatch')).toHaveLength(1);
    expect([source.asked.length, runsOfSetup().length]).toEqual([1, 0]);
    expect(existsSync(join(rig.home, 'terminal-setup.exe'))).toBe(false);
    expect(host.status()).toMatchObject({ state: 'not_installed', next_retry_at: null });
  });

  it.each([['plain HTTP to another machine', 'http://files.example.com/setup.exe']])(
    'refuses %s',
    async (_name, url) => {
      const { env } = await setupOf(['install']);
      const host = rig.host({ ...env, TERMINAL_SETUP_URL: url });
      host.start();
      await rig.logged('terminal missing');
      expect(rig.events('download failed')).toHaveLength(1);
      expect(host.status()).toMatchObject({ state: 'not_installed', next_retry_at: null });
    },
  );

  it('refuses the start with credentials in the URL, and does not repeat them', async () => {
    const { env } = await setupOf(['install']);
    const started = (): unknown => rig.host({ ...env, TERMINAL_SETUP_URL: 'https://user:word@127.0.0.1:1/setup.exe' });
    expect(started).toThrow('TERMINAL_SETUP_URL must not contain a user name or password');
    expect(started).not.toThrow(/word@/);
  });

  it('refuses a redirect that leaves HTTPS, and follows one that does not', async () => {
    const elsewhere = await setupOf(['install']);
    const away = await setupOf(['install'], () => (_request, response) => {
      response.writeHead(302, { location: 'http://files.example.com/setup.exe' }).end();
    });
    const refused = rig.host(away.env);
    refused.start();
    expect(await rig.logged('terminal missing')).toMatchObject({ reason: expect.stringContaining('HTTPS') });
    const here = await setupOf(['install'], () => (_request, response) => {
      response.writeHead(302, { location: elsewhere.env.TERMINAL_SETUP_URL }).end();
    });
    rig.host({ ...here.env, TERMINAL_SETUP_SHA256: elsewhere.env.TERMINAL_SETUP_SHA256 }).start();
    await rig.logged('terminal installed');
  });

  it('tries a broken source TERMINAL_SETUP_ATTEMPTS times, then pauses and goes on', async () => {
    const { source, env } = await setupOf(['install'], () => (_request, response) => {
      response.writeHead(503).end();
    });
    const host = rig.host({ ...env, TERMINAL_SETUP_ATTEMPTS: '2' });
    host.start();
    expect(await rig.logged('retry scheduled')).toMatchObject({ reason: expect.stringContaining('503') });
    expect(source.asked).toHaveLength(2);
    expect(host.status()).toMatchObject({ state: 'not_installed', next_retry_at: expect.stringMatching(/Z$/) });
    await rig.until('the next tries', () => source.asked.length > 2);
  });

  it.each<[string, (bytes: Buffer) => RequestListener]>([
    ['a connection that breaks', (bytes) => breakingOnce(bytes, (response) => response.socket?.destroy())],
    [
      'a file that ends early',
      (bytes) =>
        breakingOnce(bytes, (response) => {
          response.writeHead(200, { 'content-length': bytes.length });
          response.write(bytes.subarray(0, 10), () => response.socket?.end());
        }),
    ],
    [
      'a server that falls silent',
      (bytes) =>
        breakingOnce(bytes, (response) => {
          response.writeHead(200, { 'content-length': bytes.length });
          response.write(bytes.subarray(0, 10));
        }),
    ],
  ])('tries again after %s', async (_name, answer) => {
    const { source, env } = await setupOf(['install'], answer);
    rig.host(env).start();
    await rig.logged('terminal installed');
    expect(rig.events('download failed')).toHaveLength(1);
    expect(source.asked).toHaveLength(2);
  });

  it('waits for a slow source, and reports its progress', async () => {
    const { env } = await setupOf(['install'], (bytes) => (_request, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(bytes.subarray(sent, sent + 300));
        sent += 300;
        if (sent >= bytes.length) {
          clearInterval(timer);
          response.end();
        }
      }, 100);
    });
    rig.host(env).start();
    await rig.logged('terminal installed');
    expect(rig.events('download progress').length).toBeGreaterThan(0);
    expect(rig.events('download failed')).toEqual([]);
  });

  it('runs an installer that failed again, TERMINAL_SETUP_ATTEMPTS times in all', async () => {
    const { env } = await setupOf(['fail', 'fail', 'install']);
    rig.host({ ...env, TERMINAL_SETUP_ATTEMPTS: '3' }).start();
    await rig.logged('terminal installed');
    expect(runsOfSetup()).toHaveLength(3);
    expect(rig.events('installer failed')).toMatchObject([
      { attempt: 1, of: 3 },
      { attempt: 2, of: 3 },
    ]);
  });

  it('ends a stuck installer after TERMINAL_SETUP_TIMEOUT with all it left, and starts it again', async () => {
    const { env } = await setupOf(['hang', 'install']);
    rig.host({ ...env, TERMINAL_SETUP_TIMEOUT: '60' }).start();
    expect(await rig.logged('installer timed out')).toMatchObject({ reason: expect.stringContaining('60 s') });
    await rig.logged('terminal installed');
    expect(runsOfSetup()).toHaveLength(2);
    const [stuck = 0] = runsOfSetup().map((line) => Number.parseInt(line, 10));
    expect(() => process.kill(stuck, 0)).toThrow('ESRCH');
    expect(readFileSync(join(rig.home, 'wineserver.txt'), 'utf8')).toContain('-k');
  });

  it('dismisses dialogs while the installer runs', async () => {
    const { env } = await setupOf(['hang']);
    rig.host(env).start();
    await rig.logged('installer started');
    expect(await rig.logged('dialog dismissed')).toEqual({ line: '"LiveUpdate" dismissed' });
    expect(rig.launches()).toEqual([]);
  });

  it('waits for the second program that an installer hands over to', async () => {
    const { env } = await setupOf(['hand over']);
    rig.host(env).start();
    await rig.logged('terminal installed');
    expect(runsOfSetup()).toHaveLength(1);
  });

  it('does not call it success when an installer ends well and leaves no terminal', async () => {
    const { env } = await setupOf(['do nothing']);
    rig.host({ ...env, TERMINAL_SETUP_ATTEMPTS: '1' }).start();
    expect(await rig.logged('installer failed')).toMatchObject({
      reason: 'the installer succeeded but did not install a terminal',
    });
    expect(rig.events('terminal installed')).toEqual([]);
  });
});

function breakingOnce(bytes: Buffer, breakOff: (response: Parameters<RequestListener>[1]) => void): RequestListener {
  let asked = 0;
  return (_request, response) => {
    asked += 1;
    if (asked === 1) breakOff(response);
    else response.end(bytes);
  };
}

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { LauncherProgram, allGone } from './programs/launcher-program';
import { Scratch } from './programs/scratch';
import { StartedProgram, bareEnvironment, repository } from './programs/started-program';

const answers = async (url: string): Promise<boolean> =>
  fetch(url)
    .then(({ ok }) => ok)
    .catch(() => false);

describe('npm start', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  const launch = async (env: Record<string, string> = {}): Promise<{ launcher: LauncherProgram; folder: string }> => {
    const folder = scratch.folder();
    const launcher = await LauncherProgram.start(scratch, { args: ['--data-dir', folder], env });
    return { launcher, folder };
  };

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends gateway and daemon, and does not count as a failure',
    async (signal) => {
      const { launcher } = await launch();
      await launcher.started();
      const children = launcher.children();
      expect(children).toHaveLength(2);
      expect(await answers(`http://127.0.0.1:${launcher.port}/health/live`)).toBe(true);
      expect(await answers(`${launcher.shown('Daemon')}/health`)).toBe(true);
      expect(await answers(launcher.shown('Console'))).toBe(true);
      process.kill(launcher.program.pid, signal);
      expect(await launcher.program.exitCode()).toBe(0);
      await allGone(children);
      expect(launcher.program.output).not.toContain('Killed');
    },
  );

  it('makes a key that only its owner can read, prints it once and keeps it', async () => {
    const { launcher, folder } = await launch();
    await launcher.started();
    const keyFile = join(folder, 'api-key');
    const key = readFileSync(keyFile, 'utf8').trim();
    expect(key).toMatch(/^[\w-]{32}$/);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(launcher.program.output.split(key)).toHaveLength(2);
    await launcher.program.stop();

    const again = await LauncherProgram.start(scratch, { args: ['--data-dir', folder] });
    await again.started();
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`http://127.0.0.1:${again.port}/account`, { headers })).status).toBe(200);
  });

  it('honours what is set: key, account and limits', async () => {
    const { launcher } = await launch({
      API_KEY: 'mine',
      SIM_LOGIN: '777',
      SIM_BALANCE: '500',
      MAX_ORDER_VOLUME: '0.05',
    });
    await launcher.started();
    const headers = { authorization: 'Bearer mine', 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${launcher.port}`;
    expect(await (await fetch(`${url}/account`, { headers })).json()).toMatchObject({ login: 777, balance: 500 });
    const body = JSON.stringify({ symbol: 'EURUSD', volume: 0.1, type: 'BUY' });
    const refused = await (await fetch(`${url}/order`, { method: 'POST', headers, body })).json();
    expect(refused).toMatchObject({ error_type: 'volume_limit_exceeded' });
    expect(launcher.program.output).not.toContain('mine');
  });

  it('states that trading is halted, where its file is, and how to resume it, instead of a first order', async () => {
    const { launcher, folder } = await launch();
    await launcher.started();
    expect(launcher.program.output).toContain('A first order:');
    const file = launcher.shown('Halt');
    expect(file).toBe(join(folder, 'gateway/kill-switch'));
    await launcher.program.stop();
    writeFileSync(file, '');

    const again = await LauncherProgram.start(scratch, { args: ['--data-dir', folder] });
    await again.started();
    expect(again.program.output).toMatch(
      /Trading is halted\. To resume it:\n\n {2}curl -s -X POST \S+\/kill\/release /,
    );
    expect(again.program.output).not.toContain('A first order:');
    const key = readFileSync(join(folder, 'api-key'), 'utf8').trim();
    const ready = `http://127.0.0.1:${again.port}/health/ready`;
    expect((await fetch(ready, { headers: { authorization: `Bearer ${key}` } })).status).toBe(503);
    await again.program.stop();
    expect(again.program.output).not.toMatch(/gateway: request$/m);
  });

  it('shows the strategies of its daemon in its console', async () => {
    const { launcher, folder } = await launch();
    await launcher.started();
    const key = readFileSync(join(folder, 'api-key'), 'utf8').trim();
    const answer = await fetch(`http://127.0.0.1:${launcher.port}/console/strategies`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('ema-eurusd')]);
  });

  it('says whose port is taken and leaves nothing running', async () => {
    const squatter = createServer();
    scratch.undo(() => squatter.close());
    await new Promise<void>((listening) => squatter.listen(0, '127.0.0.1', listening));
    const address = squatter.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const { launcher } = await launch({ TERMINAL_API_PORT: port });
    expect(await launcher.program.exitCode()).toBe(1);
    expect(launcher.program.output).toMatch(new RegExp(`Port ${port} is taken.*TERMINAL_API_PORT=`));
  });

  it.each([
    ['gateway', 0],
    ['daemon', 1],
  ])('reports a %s that dies and ends the other', async (name, index) => {
    const { launcher } = await launch();
    await launcher.started();
    const children = launcher.children();
    process.kill(children[index] ?? 0, 'SIGKILL');
    expect(await launcher.program.exitCode()).toBe(1);
    expect(launcher.program.output).toContain(`The ${name} ended unexpectedly (signal SIGKILL)`);
    await allGone(children);
  });

  it('leaves nothing trading when it is killed outright', async () => {
    const { launcher } = await launch();
    await launcher.started();
    const children = launcher.children();
    process.kill(launcher.program.pid, 'SIGKILL');
    await allGone(children);
    expect(await answers(`http://127.0.0.1:${launcher.port}/health/live`)).toBe(false);
  });

  it.each([
    [['--spped', '2'], 'Unknown option'],
    [['--speed', '2'], '--speed requires --replay'],
    [['--replay', 'one.csv'], 'two files'],
    [['--replay', 'no-bid.csv', 'no-ask.csv'], 'file not found'],
  ])('refuses %p with its usage', async (args, reason) => {
    const { program } = await LauncherProgram.start(scratch, { args });
    expect(await program.exitCode()).toBe(1);
    expect(program.output).toContain(reason);
    expect(program.output).toContain('Usage: npm start');
  });

  it('names the required version on an older Node', async () => {
    const pretend = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"18.20.0"}})';
    const args = ['--import', `data:text/javascript,${pretend}`, join(repository, 'scripts/start.mjs')];
    const program = new StartedProgram({ command: process.execPath, args, env: bareEnvironment() });
    expect(await program.exitCode()).toBe(1);
    expect(program.output).toMatch(/needs Node 20\.19\.0 or newer; this is Node 18\.20\.0/);
  });
});

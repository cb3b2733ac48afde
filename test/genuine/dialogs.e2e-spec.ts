import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { ChildProcessRunner } from '../../apps/gateway/src/terminal-host/child-process-runner';
import { CleanUp } from '../contract/clean-up';
import { describeWithGenuineParts, genuinePython } from './genuine-python';
import { until } from './stand-in-terminal';
import { WinePrefix } from './wine-prefix';

const script = resolve(__dirname, '../../deploy/terminal/dismiss_dialogs.py');

/** An X server on a free display, once it takes connections: Wine that starts before it has no windows at all. */
async function startedDisplay(): Promise<{ readonly server: ChildProcess; readonly name: string }> {
  const args = ['-displayfd', '3', '-screen', '0', '640x480x16', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const ready = server.stdio[3];
  if (!(ready instanceof Readable)) throw new Error('Xvfb has no pipe to name its display on');
  const [line] = (await once(ready, 'data')) as [Buffer];
  return { server, name: `:${line.toString().trim()}` };
}

describeWithGenuineParts('The dialogs of terminal and installer (needs wine, mvn, mingw-w64, Xvfb)', () => {
  const runner = new ChildProcessRunner();
  const cleanUp = new CleanUp();
  const said: string[] = [];
  let prefix: WinePrefix;
  let display: { readonly server: ChildProcess; readonly name: string };
  let shown = 0;

  beforeAll(async () => {
    const python = genuinePython();
    prefix = new WinePrefix();
    const program = join(prefix.home, 'dialog.exe');
    execFileSync('x86_64-w64-mingw32-gcc', ['-O1', '-municode', '-o', program, join(__dirname, 'dialog.c')]);
    display = await startedDisplay();
    void wine(python, script, '0.5');
  });
  beforeEach(() => {
    said.length = 0;
  });
  afterAll(async () => {
    await cleanUp.run();
    prefix.remove();
    display.server.kill();
  });

  function wine(...args: string[]): Promise<unknown> {
    const env = { ...prefix.env, DISPLAY: display.name };
    const process = runner.start({ file: 'wine', args, env }, (line) => void said.push(line));
    cleanUp.after(process, async (started) => {
      started.signal('SIGKILL');
      await started.exited;
    });
    return process.exited;
  }

  /** Shows a window of a program of this name. Gives the file in which it notes how it was left, and its end. */
  function show(program: string, ...args: string[]): { readonly note: string; readonly ended: Promise<unknown> } {
    const folder = join(prefix.home, `program-${++shown}`);
    mkdirSync(folder);
    copyFileSync(join(prefix.home, 'dialog.exe'), join(folder, program));
    return { note: join(folder, 'dialog.txt'), ended: wine(join(folder, program), ...args) };
  }

  it.each([
    ['terminal64.exe', 'LiveUpdate', [], 'cancelled'],
    ['terminal64.exe', 'Login', [], 'cancelled'],
    ['terminal64.exe', 'Login', ['/window'], 'closed'],
    ['terminal64.exe', 'Open an Account', [], 'cancelled'],
    ['terminal64.exe', '', [], 'cancelled'],
    ['terminal-setup.exe', 'Error', [], 'cancelled'],
  ])('%s: "%s" %j is %s', async (program, title, more, result) => {
    const { note, ended } = show(program, title, ...more);
    await ended;
    expect(readFileSync(note, 'utf8')).toBe(result);
    await until(() => said.includes(`"${title}" dismissed`));
  });

  it('a window of another title or program stays, also one without a title that is not a dialog', async () => {
    const stays = [
      show('terminal64.exe', '5012345: EURUSD,H1'),
      show('terminal64.exe', '', '/window'),
      show('terminal-setup.exe', 'MetaTrader 5 Setup'),
      show('notepad.exe', 'Login'),
    ];
    // One after the other, so that the first ones were open at several looks by then.
    await show('terminal64.exe', 'LiveUpdate').ended;
    await show('terminal64.exe', 'Login').ended;
    await show('terminal64.exe', 'LiveUpdate').ended;
    expect(stays.filter(({ note }) => existsSync(note))).toEqual([]);
    expect(said.filter((line) => !/^"(LiveUpdate|Login)" dismissed$/.test(line))).toEqual([]);
  });
});

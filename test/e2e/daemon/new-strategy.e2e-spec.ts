import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository } from '../programs/started-program';

const main = join(repository, 'dist/apps/daemon/src/main.js');
const compiler = join(repository, 'node_modules/typescript/bin/tsc');
const codeOf = (page: string, language: string): string[] =>
  [...readFileSync(join(repository, page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code);

/** Attaches to each thread as a debugger does, prints what a variable is at the first stop, and lets the thread run on. */
const attachedDebugger = `
const { isMainThread } = require('node:worker_threads');
const { Session } = require('node:inspector');
const session = new Session();
let id = 0;
const send = ({ sessionId }, method, params) =>
  session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id: ++id, method, params }) });
session.on('NodeWorker.attachedToWorker', ({ params }) => {
  send(params, 'Debugger.enable');
  send(params, 'Runtime.runIfWaitingForDebugger');
});
session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
  const { method, params: event, result } = JSON.parse(params.message);
  if (method === 'Debugger.paused') {
    const [{ callFrameId, functionName }] = event.callFrames;
    const expression = JSON.stringify('paused in ' + functionName + ': ') + ' + params.length';
    send(params, 'Debugger.evaluateOnCallFrame', { callFrameId, expression });
    send(params, 'Debugger.disable');
  }
  if (result?.result) console.error(result.result.value);
});
session.connect();
if (isMainThread) session.post('NodeWorker.enable', { waitForDebuggerOnStart: true });
`;

describe('a strategy outside of the repository', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  const run = (folder: string, command: string, args: readonly string[]) =>
    spawnSync(command, args, { cwd: folder, env: bareEnvironment(), encoding: 'utf8' });
  const node = (folder: string, ...args: string[]) => run(folder, process.execPath, args);

  /** A new folder, with its packages linked as `npm install` would place them. */
  function scaffold(): string {
    const parent = scratch.folder();
    expect(node(parent, main, 'new', 'my-idea')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('npm test'),
    });
    const folder = join(parent, 'my-idea');
    install(folder, (name) => (name === '@libs/strategy' ? join(folder, 'sdk') : undefined));
    install(folder, () => undefined, join(folder, 'sdk/package.json'));
    return folder;
  }

  function install(
    folder: string,
    placeOf: (name: string) => string | undefined,
    manifest = join(folder, 'package.json'),
  ): void {
    const { dependencies, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<
      'dependencies' | 'devDependencies',
      Readonly<Record<string, string>>
    >;
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const place = join(folder, 'node_modules', name);
      mkdirSync(join(place, '..'), { recursive: true });
      if (!existsSync(place)) symlinkSync(placeOf(name) ?? join(repository, 'node_modules', name), place);
    }
  }

  it('is written by daemon new, and its test and its types pass as they are', () => {
    const folder = scaffold();
    const tests = node(folder, '--test');
    expect(tests).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# pass 4$/m) });
    expect(node(folder, compiler, '--noEmit')).toMatchObject({ status: 0, stdout: '' });
    writeFileSync(
      join(folder, 'wrong.mjs'),
      `// @ts-check\nimport { backtest } from '@libs/strategy/testing';\nbacktest('x', { bar: [] });`,
    );
    expect(node(folder, compiler, '--noEmit')).toMatchObject({
      status: 2,
      stdout: expect.stringMatching(/^wrong\.mjs\(3,17\): error .*'bar' does not exist in type 'TestOptions'/m),
    });
    writeFileSync(
      join(folder, 'wrong.mjs'),
      `// @ts-check\nimport { defineStrategy } from '@libs/strategy';
defineStrategy({ version: 1, params: class {}, state: { version: 1, initial: { losses: 0 } }, create: () => ({
  onFill: (fill, trade) => { trade.state.losses = 'none'; },
}) });`,
    );
    expect(node(folder, compiler, '--noEmit')).toMatchObject({
      status: 2,
      stdout: expect.stringMatching(/^wrong\.mjs\(4,30\): error .*'string' is not assignable to type 'number'/m),
    });
  });

  it('is run by daemon backtest over its own prices', () => {
    const folder = scaffold();
    const backtest = node(
      folder,
      main,
      'backtest',
      'strategy.ts',
      '--data',
      'prices/eurusd-bid.csv,prices/eurusd-ask.csv',
      '--json',
    );
    expect(backtest).toMatchObject({ status: 0 });
    expect(JSON.parse(backtest.stdout)).toMatchObject({ figures: { trades: expect.any(Number), rejects: 0 } });
  });

  it('comes with a configuration that passes daemon check, with a magic number of its own', () => {
    const folder = scaffold();
    const check = node(folder, main, 'check', '--config', 'daemon.yaml');
    expect(check).toMatchObject({ status: 1, stderr: expect.stringContaining('API_KEY') });
    const keyed = spawnSync(process.execPath, [main, 'check', '--config', 'daemon.yaml'], {
      ...{ cwd: folder, encoding: 'utf8', env: { ...bareEnvironment(), API_KEY: 'key' } },
    });
    expect(keyed).toMatchObject({ status: 0, stderr: '' });
    node(folder, main, 'new', 'my-other-idea');
    const magicIn = (file: string) => /^ +magic: (\d+)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
    expect(magicIn('daemon.yaml')).toMatch(/^\d{6}$/);
    expect(magicIn('my-other-idea/daemon.yaml')).not.toBe(magicIn('daemon.yaml'));
  });

  it('is not written over anything', () => {
    const folder = scratch.folder();
    const create = (name: string) => node(folder, main, 'new', name);
    expect(create('my-idea')).toMatchObject({ status: 0 });
    expect(create('my-idea')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/my-idea is not empty, it has .+: name a new folder/),
    });
    writeFileSync(join(folder, 'file'), '');
    expect(create('file')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('file is a file: name a new folder'),
    });
    expect(create('My Idea')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the name My Idea must have lowercase letters'),
    });
    expect(create('')).toMatchObject({ status: 2, stderr: 'FOLDER is empty\n' });
  });

  it('takes the SDK as a package: the example of its README', () => {
    const folder = scratch.folder();
    const packed = run(join(repository, 'dist/strategy-sdk'), 'npm', [
      'pack',
      '--silent',
      '--pack-destination',
      folder,
    ]);
    const sdk = join(folder, 'node_modules/@libs/strategy');
    mkdirSync(sdk, { recursive: true });
    run(folder, 'tar', ['-xzf', packed.stdout.trim(), '--strip-components=1', '-C', sdk]);
    install(folder, () => undefined, join(sdk, 'package.json'));
    const [strategy = '', test = ''] = codeOf('libs/strategy/README.md', 'js');
    writeFileSync(join(folder, 'strategy.js'), strategy);
    writeFileSync(join(folder, 'strategy.test.js'), test);
    expect(node(folder, '--test')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# pass 1$/m) });
  });

  it('stops at a breakpoint in a backtest', () => {
    const folder = scaffold();
    const text = readFileSync(join(folder, 'strategy.ts'), 'utf8');
    writeFileSync(
      join(folder, 'strategy.ts'),
      text.replace('const past', 'if (bar.high > 0) debugger;\n      const past'),
    );
    writeFileSync(join(folder, 'debugger.cjs'), attachedDebugger);
    const args = ['backtest', 'strategy.ts', '--data', 'prices/eurusd-bid.csv,prices/eurusd-ask.csv'];
    const backtest = node(folder, '--inspect=0', '--require', './debugger.cjs', main, ...args);
    expect(backtest).toMatchObject({ status: 0, stdout: expect.stringContaining('net profit') });
    expect(backtest.stderr).toMatch(/^paused in onBar: 20$/m);
  });

  it('is tested as docs/strategies.md shows', () => {
    const folder = scaffold();
    const [test = ''] = codeOf('docs/strategies.md', 'js').filter((code) => code.includes('@libs/strategy/testing'));
    writeFileSync(join(folder, 'strategy.test.mjs'), test);
    expect(node(folder, '--test')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# pass 1$/m) });
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { waitUntil } from '../programs/waits';

const main = join(repository, 'dist/apps/daemon/src/main.js');
const page = readFileSync(join(repository, 'docs/optimize.md'), 'utf8');
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);

interface Row {
  readonly set: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly run: { readonly figures: object } | null;
  readonly error: string | null;
}
interface Report {
  readonly isComplete: boolean;
  readonly rows: readonly Row[];
}

describe('daemon optimize', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  /** A folder that looks like the repository's top, with every n-th minute of the generated prices. */
  function checkout(each: number, rows = Infinity): { folder: string; data: string } {
    const folder = scratch.folder();
    for (const name of ['dist', 'strategies']) symlinkSync(join(repository, name), join(folder, name));
    mkdirSync(join(folder, '.build/prices'), { recursive: true });
    const data = priceFiles.map((path) => {
      const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
      const target = join(folder, '.build/prices', path.split('/').at(-1) ?? '');
      const kept = lines.filter((_, index) => index % each === 0).slice(0, rows);
      writeFileSync(target, [head, ...kept, ''].join('\n'));
      return target;
    });
    return { folder, data: data.join(',') };
  }

  const run = (folder: string, args: readonly string[]) =>
    spawnSync(process.execPath, [main, ...args], { cwd: folder, env: bareEnvironment(), encoding: 'utf8' });

  it('docs/optimize.md: its commands do what they are for, one after the other', () => {
    const { folder } = checkout(40);
    const shell = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands.join('\n')], {
      ...{ cwd: folder, env: bareEnvironment(), encoding: 'utf8' },
    });
    expect(shell).toMatchObject({ status: 0, stderr: '' });
    expect(shell.stdout.match(/^ranked by /gm)).toHaveLength(commands.length);
    expect(shell.stdout).toMatch(/^\{"set":0,.*\n\{"report":/m);
    expect(shell.stdout).toMatch(/^deflated Sharpe ratio: \d+\.\d %\n {2}the confidence that /m);
    expect(shell.stdout).toMatch(/^probability of overfitting: \d+\.\d %\n {2}of \d+ ways to split /m);
    expect(shell.stdout).toMatch(/^out-of-sample net profit +-?\d/m);
    expect(readFileSync(join(folder, 'search.html'), 'utf8')).toContain('fast by slow');
    expect(readFileSync(join(folder, 'search.csv'), 'utf8')).toMatch(/^set,window,fast,slow,metric/);
    expect(readFileSync(join(folder, 'walk.html'), 'utf8')).toContain('Equity out of sample');
  });

  it('gives a set the figures of its backtest alone, and a row to one that throws', () => {
    const { folder, data } = checkout(1, 400);
    const strategy = join(folder, 'mine.js');
    writeFileSync(
      strategy,
      `const { defineStrategy } = require('@libs/strategy');
module.exports = defineStrategy({ version: 1, params: class { every = 9; }, create: ({ params }) => {
  let n = 0;
  return { onBar(bar, trade) {
    if (++n % params.every) return;
    if (params.every === 30) throw new Error('not at 30');
    const position = trade.position('main');
    if (position) trade.close(position); else trade.buy('main', { volume: 0.1 });
  } };
} });`,
    );
    const search = run(folder, [
      'optimize',
      strategy,
      '--data',
      data,
      '--grid',
      'every=10:30:10',
      '--jobs',
      '1',
      '--json',
    ]);
    expect(search).toMatchObject({ status: 0, stderr: '' });
    const { rows, isComplete } = JSON.parse(search.stdout) as Report;
    expect(isComplete).toBe(true);
    expect(rows.at(-1)).toMatchObject({
      set: 2,
      run: null,
      error: expect.stringMatching(/^not at 30\n +at .*mine\.js:6/),
    });
    const [, second] = rows;
    const alone = run(folder, [
      'backtest',
      strategy,
      '--data',
      data,
      '--params',
      JSON.stringify(second?.params),
      '--json',
    ]);
    expect((JSON.parse(alone.stdout) as { figures: object }).figures).toEqual(second?.run?.figures);
  });

  it('refuses what it cannot search before anything runs, and all of it at once', () => {
    const { folder, data } = checkout(1, 400);
    const wrong = run(folder, ['optimize', '--data', data, '--grid', 'fast=1', '--metric', 'x', '--jobs', 'all']);
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr.trim().split('\n')).toHaveLength(3);
    const unknown = run(folder, ['optimize', 'strategies/ema-cross.ts', '--data', data, '--grid', 'fsat=5,solw=9']);
    expect(unknown).toMatchObject({ status: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/fsat is not a parameter of this strategy; .*solw is not a parameter/);
  });

  it('refuses what no set could use before anything runs, in the words of a backtest', () => {
    const { folder, data } = checkout(1, 400);
    const [bid = ''] = data.split(',');
    const crossed = join(folder, 'crossed-ask.csv');
    // The bids as asks, one of them a hundred points lower.
    const lines = readFileSync(bid, 'utf8').split('\n');
    const lower = (row: string): string =>
      row.replace(/(?<=[,;])\d+\.\d{5}/g, (price) => (Number(price) - 0.01).toFixed(5));
    writeFileSync(crossed, lines.map((row, index) => (index === 40 ? lower(row) : row)).join('\n'));
    const spoilt = ['--data', `${bid},GBPUSD=${crossed}`];
    const sound = ['--data', data];
    for (const flags of [
      [...spoilt],
      [...sound, '--symbol', 'USDJPY'],
      [...sound, '--from', '2031-01-01'],
      [...sound, '--from', '2023-02-03', '--to', '2023-02-02'],
    ]) {
      const one = run(folder, ['backtest', 'strategies/ema-cross.ts', ...flags]);
      const many = run(folder, ['optimize', 'strategies/ema-cross.ts', ...flags, '--grid', 'fast=5:20:5']);
      expect({ ...one, pid: 0 }).toMatchObject({ status: 1, stdout: '' });
      expect(one.stderr).not.toBe('');
      expect(many).toMatchObject({ status: 1, stdout: '', stderr: one.stderr });
    }
  });

  it('answers each set of a text with a line, and what they say together with the last', () => {
    const { folder, data } = checkout(40);
    writeFileSync(join(folder, 'sets.jsonl'), '{"fast":10,"slow":30}\nfast\n{"fsat":1}\n{"fast":20,"slow":60}\n');
    const args = ['optimize', 'strategies/ema-cross.ts', '--data', data, '--sets', 'sets.jsonl', '--csv', 'sets.csv'];
    const search = run(folder, args);
    expect(search).toMatchObject({ status: 0, stderr: '' });
    const lines = search.stdout.trim().split('\n');
    const rows = lines.slice(0, -1).map((line) => JSON.parse(line) as Row);
    expect([...rows].sort((a, b) => a.set - b.set)).toMatchObject([
      { set: 0, params: { fast: 10, slow: 30 }, error: null },
      { set: 1, params: null, run: null, error: expect.stringContaining('line 2 must be a JSON object') },
      { set: 2, run: null, error: expect.stringContaining('fsat is not a parameter of this strategy') },
      { set: 3, params: { fast: 20, slow: 60 }, error: null },
    ]);
    const { report } = JSON.parse(lines.at(-1) ?? '') as { report: object };
    expect(report).toMatchObject({ isComplete: true, failed: 1, overfitting: { deflatedSharpe: { sets: 2 } } });
    expect(report).not.toHaveProperty('rows');
    expect(readFileSync(join(folder, 'sets.csv'), 'utf8').trim().split('\r\n')).toHaveLength(4);
  });

  it('keeps what is complete at Ctrl-C, and names the way to go on', async () => {
    const { folder, data } = checkout(1, 400);
    const path = join(folder, 'kept.jsonl');
    const grid = ['--grid', 'fast=2:50:1,slow=51:99:1', '--results', path];
    const program = new StartedProgram({
      ...{ command: process.execPath, args: [main, 'optimize', 'strategies/ema-cross.ts', '--data', data, ...grid] },
      ...{ cwd: folder, env: bareEnvironment(), group: true },
    });
    scratch.undo(() => program.stop());
    const kept = async (): Promise<number> =>
      existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 2 : 0;
    await waitUntil('a set to be kept', kept, (count) => count > 0);
    program.signal('SIGINT');
    expect(await program.exitCode()).toBe(130);
    const count = await kept();
    expect(program.output).toContain(`stopped   after ${count} of 2401 runs`);
    expect(program.output).toContain(`continue it with --results ${path} --resume`);
  });
});

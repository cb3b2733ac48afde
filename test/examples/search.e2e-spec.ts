import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithPython } from '../e2e/programs/needs';
import { priceFiles } from '../e2e/programs/prices';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository } from '../e2e/programs/started-program';

describeWithPython('optuna')('the example search with Optuna', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  const search = (...args: readonly string[]) => {
    const options = { cwd: repository, env: { ...bareEnvironment(), TRIALS: '5' }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('python3', ['examples/python/search.py', ...args], options);
    return { status, stdout, stderr };
  };
  /** Twenty of each 400 minutes of the generated prices. */
  const data = (): string => {
    const folder = scratch.folder();
    const files = priceFiles.map((path) => {
      const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
      const file = join(folder, path.split('/').at(-1) ?? '');
      writeFileSync(file, [head, ...lines.filter((_, index) => index % 400 < 20), ''].join('\n'));
      return file;
    });
    return files.join(',');
  };

  it('asks Optuna for sets, tells it their results, and prints the best and how far it may be luck', () => {
    const { status, stdout, stderr } = search('strategies/ema-cross.ts', '--data', data(), '--from', '2023-02-06');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toEqual([
      '5 sets, 0 failed',
      expect.stringMatching(/^best returnPct: -?\d+\.\d+ with \{"fast": \d+, "slow": \d+\}$/),
      expect.stringMatching(/^deflatedSharpe: 0\.\d+$/),
      expect.stringMatching(/^backtestOverfitting: \d(\.\d+)?$/),
    ]);
  });

  it('ends with the problem of a search that cannot run', () => {
    const { status, stderr } = search('strategies/ema-cross.ts', '--data', 'nothing.csv');
    expect(status).toBe(1);
    expect(stderr).toContain('nothing.csv');
    expect(stderr).toContain('daemon optimize ended with code 1');
  });
});

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const prices = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/prices.mjs'), ...args], { cwd: root, encoding: 'utf8' });
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const rows = (text: string): string => text.slice(text.indexOf('\n') + 1);

describe('npm run prices', () => {
  it('writes a year of bars, of which the month that the suites use is a part', () => {
    const folder = mkdtempSync(join(tmpdir(), 'prices-'));
    const run = prices('--period', '2023', '--out', folder);
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(run.stdout.trim().split('\n')).toHaveLength(2);
    const year = readFileSync(join(folder, 'gbpusd-m1-bid-2023.csv'), 'utf8');
    expect(digest(year)).toBe('9c62463d755ba888663e755a07bbcb61e53941f28d5163f9bffce5ab072fa30f');
    const month = readFileSync(join(root, '.build/prices/gbpusd-m1-bid-2023-02.csv'), 'utf8');
    expect(year).toContain(`\n${rows(month)}2023-03-01 00:00:00+00:00,`);
  });

  it('writes the files of several symbols from another seed, and none again that are there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'prices-'));
    const args = ['EURUSD', 'USDJPY', '--seed', '2', '--out', folder];
    expect(prices(...args)).toMatchObject({ status: 0, stderr: '' });
    const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
    expect(files).toEqual(
      ['eurusd', 'usdjpy'].flatMap((it) => [`${it}-m1-ask-2023-02.csv`, `${it}-m1-bid-2023-02.csv`]),
    );
    const inodes = (): number[] => files.map((name) => statSync(join(folder, name)).ino);
    const before = inodes();
    expect(prices(...args)).toMatchObject({ status: 0 });
    expect(inodes()).toEqual(before);
    expect(prices('EURUSD', '--seed', '3', '--out', folder)).toMatchObject({ status: 0 });
    expect(inodes()[0]).not.toBe(before[0]);
  });

  it.each([
    ['a symbol without a market', ['XXXYYY'], 'there is no symbol XXXYYY'],
    ['a period that is none', ['--period', 'May'], 'the period "May"'],
    ['a seed that is none', ['--seed', 'x'], 'the seed "x"'],
  ])('refuses %s', (_, args, problem) => {
    const run = prices(...args, '--out', mkdtempSync(join(tmpdir(), 'prices-')));
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining(problem)]);
  });
});

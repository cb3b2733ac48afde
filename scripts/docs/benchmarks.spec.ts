import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** What the generator, a module for Node itself and not for Jest, makes: of the recorded file, or of these parts. */
function page(recorded?: object): string {
  const made =
    recorded === undefined
      ? `(await render({ root: ${JSON.stringify(root)} }))[pageFile]`
      : `benchmarksPage(${JSON.stringify(recorded)})`;
  const program = `import { benchmarksPage, pageFile, render } from ${JSON.stringify(join(__dirname, 'benchmarks.mjs'))};
    process.stdout.write(${made});`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
}

const about = {
  ...{ date: '2026-01-05', version: '1.2.3', processors: 2, model: 'Acme', memoryGib: 8, system: 'Debian' },
  ...{ node: 'v20.19.0', loadBefore: 0.1, minutes: 3 },
};
const run = { period: '2023-02', bars: 28_719, residentMib: 136, trades: 12, profit: 5, equity: 105, cpuSeconds: 2 };
const backtest = {
  ...about,
  figures: {
    rounds: 3,
    results: [
      { ...run, name: 'ema-cross' },
      { ...run, name: 'Same 1.0', isOther: true, cpuSeconds: 4, profit: 5.004 },
      { ...run, name: 'Other 2.0', isOther: true, cpuSeconds: 1, profit: 5.01, equity: 105.01 },
    ],
  },
};
const rowOf = (text: string, name: string): string[] =>
  (text.split('\n').find((line) => line.includes(name)) ?? '').split('|').map((cell) => cell.trim());

describe('the page of benchmarks', () => {
  it('is what the generator makes of its recorded file', () => {
    expect(readFileSync(join(root, 'docs/benchmarks.md'), 'utf8')).toBe(page());
  });

  it('says whether another engine came to our result, with the ratio of its run', () => {
    const text = page({ backtest });
    expect(rowOf(text, 'Same 1.0').slice(5, 9)).toEqual(['0.50', 'yes', '4.00', '136']);
    expect(rowOf(text, 'Other 2.0').slice(5, 7)).toEqual(['2.00', 'no: profit, equity']);
    expect(rowOf(text, 'Acme').slice(2, 5)).toEqual(['2026-01-05', '1.2.3', '2 × Acme, 8 GiB']);
  });

  it('has no seconds of a machine that was busy', () => {
    const text = page({ backtest: { ...backtest, loadBefore: 9 } });
    expect(rowOf(text, 'Same 1.0')).toHaveLength(8);
    expect(text).not.toContain('CPU s');
  });

  it('states violations and bugs that were not found, and what is not recorded', () => {
    const sums = { seeds: 9, virtualMs: 5_400_000, requests: 1_234, sends: 8, executed: 7, kills: 6 };
    const text = page({
      simulation: { ...about, figures: [{ world: 'one gateway', ...sums, violations: 1 }] },
      bugs: { ...about, figures: { bugs: 9, bySeed: 6, byPlan: 2, seeds: 20 } },
    });
    expect(text).toContain('1.5 simulated hours of trading under faults, from seeds that nobody chose; 1 seed has');
    expect(rowOf(text, 'one gateway').slice(2, 9)).toEqual(['9', '1.5', '1,234', '8', '7', '6', '1']);
    expect(rowOf(text, '| 9       |').slice(1, 5)).toEqual(['9', '6', '2', '1']);
    expect(text.match(/Not recorded yet/g)).toHaveLength(2);
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../e2e/programs/started-program';

// Servers start, and each figure takes a second or two.
jest.setTimeout(300_000);

/** The names of the rows of the tables in a text. */
function rowsOf(text: string): string[] {
  return [...text.matchAll(/^\| (?!-)([^|]*?) *\|/gm)].map(([, name = '']) => name.replace(/\d[\d,]*/g, 'N'));
}

describe('the page on performance', () => {
  it('has the tables that its command prints', () => {
    const effort = {
      BENCH_SECONDS: '1',
      BENCH_ROUNDS: '1',
      BENCH_POSITIONS: '12',
      BENCH_TRADES: '5',
      BENCH_ORDERS: '200',
    };
    const run = spawnSync(process.execPath, ['bench/all.mjs'], {
      ...{ cwd: repository, encoding: 'utf8', timeout: 280_000 },
      env: { ...process.env, ...effort },
    });
    expect(run.status).toBe(0);
    const printed = rowsOf(run.stdout);
    expect(printed.length).toBeGreaterThan(10);
    expect(rowsOf(readFileSync(join(repository, 'docs/performance.md'), 'utf8'))).toEqual(printed);
  });
});

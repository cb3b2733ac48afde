import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithPostgres } from '../e2e/programs/postgres';
import { repository } from '../e2e/programs/started-program';

const page = readFileSync(join(repository, 'docs/performance.md'), 'utf8');

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
      BENCH_LINK_TIMES: '1',
      BENCH_STRATEGIES: '4',
      BENCH_GROUP_SIZE: '2',
      BENCH_DEPLOY_SECONDS: '30',
      BENCH_TRADE_SECONDS: '3',
      BENCH_SPIN_SECONDS: '3',
    };
    const run = spawnSync(process.execPath, ['bench/all.mjs'], {
      ...{ cwd: repository, encoding: 'utf8', timeout: 1_180_000 },
      env: { ...process.env, ...effort },
    });
    expect(run.status).toBe(0);
    const printed = rowsOf(run.stdout);
    expect(printed.length).toBeGreaterThan(10);
    const [live = ''] = page.split(/^## Backtests and searches$/m);
    expect(rowsOf(live)).toEqual(printed);
  });
});

describeWithPostgres('the figures of a fleet', () => {
  it('are those that their command prints', () => {
    const effort = { BENCH_ROUNDS: '1', BENCH_TAKEOVERS: '2', BENCH_LEASES: '20', BENCH_LEASE_SECONDS: '3' };
    const run = spawnSync(process.execPath, ['bench/fleet.mjs'], {
      ...{ cwd: repository, encoding: 'utf8', timeout: 1_180_000 },
      env: { ...process.env, ...effort },
    });
    // Not its status: how long a takeover takes depends on what else the machine does.
    const printed = rowsOf(run.stdout);
    expect(printed.length).toBeGreaterThan(10);
    const [, figures = ''] = page.split(/^## A fleet$/m);
    const [section = ''] = figures.split(/^## /m);
    expect(rowsOf(section)).toEqual(printed);
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository } from '../programs/started-program';

const page = readFileSync(join(repository, 'docs/strategies.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
  language,
  code,
}));
const strategies = blocks.filter(({ code }) => code.includes('defineStrategy'));

interface Report {
  readonly figures: { readonly trades: number; readonly rejects: number };
  readonly fills: readonly { readonly reason: string; readonly intentId: string | null }[];
  readonly logs: readonly { readonly message: string }[];
}

interface PortfolioReport {
  readonly strategies: readonly { readonly name: string; readonly figures: Report['figures'] }[];
}

describe('docs/strategies.md', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  /** A folder that looks like the repository's top. */
  function checkout(): string {
    const folder = scratch.folder();
    for (const name of ['dist', 'strategies', 'scripts', 'package.json', '.build']) {
      symlinkSync(join(repository, name), join(folder, name));
    }
    return folder;
  }

  it('has commands that do what they are for, one after the other', () => {
    const folder = checkout();
    const script = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code);
    expect(script.length).toBeGreaterThan(1);
    const shell = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script.join('\n')], {
      ...{ cwd: folder, env: bareEnvironment(), encoding: 'utf8' },
    });
    expect(shell).toMatchObject({ status: 0 });
    expect(shell.stdout.match(/^net profit +-?\d+\.\d\d USD$/gm)).toHaveLength(5);
    expect(shell.stdout.match(/^max drawdown % +\d.*\n^lowest balance +\d/gm)).toHaveLength(2);
    expect(shell.stdout).toMatch(/^\d+\.\d\d % of the orders have a drawdown above 5 %\.$/m);
    expect(shell.stdout).toMatch(
      /^broker +spread 12 points; slippage 2 points; latency 250 ms; GBPUSD: commission 3\.5 per lot/m,
    );
    expect(shell.stdout).toMatch(/^donchian-stack\.ts version 1 on main GBPUSD@M5$/m);
    const { figures } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
    expect(figures.trades).toBeGreaterThan(100);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('</html>');
    const portfolio = JSON.parse(readFileSync(join(folder, 'portfolio.json'), 'utf8')) as PortfolioReport;
    expect(portfolio.strategies.map(({ name }) => name)).toEqual(['majors/breakout', 'majors/reversion']);
    expect(Math.min(...portfolio.strategies.map(({ figures: { trades } }) => trades))).toBeGreaterThan(20);
    expect(readFileSync(join(folder, 'portfolio.html'), 'utf8')).toContain('</html>');
    expect(readFileSync(join(folder, 'trades.csv'), 'utf8')).toMatch(/^strategy,opened,.*\nmajors\//);
  });

  it.each(strategies.map(({ language, code }, index) => [index + 1, language, code]))(
    'has a strategy %i in %s that trades as it stands, from a folder of its own',
    (_index, language, code) => {
      const folder = scratch.folder();
      const [file, out] = [join(folder, `mine.${language}`), join(folder, 'out.json')];
      writeFileSync(file, String(code));
      const main = join(repository, 'dist/apps/daemon/src/main.js');
      const args = ['backtest', file, '--data', priceFiles.join(','), '--to', '2023-02-08', '--out', out];
      const run = spawnSync(process.execPath, [main, ...args], {
        cwd: folder,
        env: bareEnvironment(),
        encoding: 'utf8',
      });
      expect(run).toMatchObject({ status: 0, stderr: '' });
      const { figures } = JSON.parse(readFileSync(out, 'utf8')) as Report;
      expect(figures).toMatchObject({ rejects: 0 });
      expect(figures.trades).toBeGreaterThan(10);
    },
  );

  it('has a strategy whose limit orders lapse or fill, and whose stack adds layers', () => {
    const folder = scratch.folder();
    const out = join(folder, 'out.json');
    writeFileSync(join(folder, 'mine.ts'), strategies.find(({ code }) => code.includes('trade.stack'))?.code ?? '');
    const main = join(repository, 'dist/apps/daemon/src/main.js');
    const args = ['backtest', 'mine.ts', '--data', priceFiles.join(','), '--to', '2023-02-08', '--out', out];
    spawnSync(process.execPath, [main, ...args], { cwd: folder, env: bareEnvironment() });
    const { fills, logs } = JSON.parse(readFileSync(out, 'utf8')) as Report;
    expect(fills.filter(({ intentId }) => intentId?.includes('/')).length).toBeGreaterThan(2);
    expect(new Set(fills.map(({ reason }) => reason))).toEqual(new Set(['strategy', 'sl', 'tp']));
    expect(logs.some(({ message }) => message.endsWith('is expired'))).toBe(true);
  });
});

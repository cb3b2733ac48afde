import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BacktestReport } from '../../../apps/daemon/src/backtest/report';
import { describeWithPython } from '../programs/needs';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository } from '../programs/started-program';

const minuteMs = 60_000;
/** Two weeks and a half of the generated month: with Wednesday nights, weekends, and more than 500 trades. */
const rows = 18_000;

interface ModelTrade {
  readonly side: 'buy' | 'sell';
  readonly openedMs: number;
  readonly entryPrice: number;
  readonly closedMs: number | null;
  readonly exitPrice: number | null;
  readonly exitReason: string | null;
  readonly profit: number | null;
  readonly swap: number | null;
}
interface ModelRun {
  readonly trades: readonly ModelTrade[];
  readonly open: ModelTrade | null;
  readonly refused: number;
}

function run(program: string, args: readonly string[]): unknown {
  const options = { encoding: 'utf8', env: bareEnvironment(), maxBuffer: 2 ** 27 } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`);
  return JSON.parse(stdout);
}

describeWithPython('pandas')('a backtest and a model of it in pandas', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('agree on every trade, its prices, its exit and its profit to the cent', () => {
    const folder = scratch.folder();
    const files = priceFiles.map((path) => {
      const shortened = join(folder, path.split('/').at(-1) ?? '');
      writeFileSync(shortened, readFileSync(path, 'utf8').split('\n').slice(0, rows).join('\n') + '\n');
      return shortened;
    });
    const cases = [
      { params: {}, limitFill: 'through' },
      { params: { stopAtr: 2, targetAtr: 3 }, limitFill: 'through' },
      { params: { fast: 5, slow: 15, stopAtr: 1, targetAtr: 1 }, limitFill: 'touch' },
    ];

    const script = join(__dirname, 'independent-model/ema_cross.py');
    const sets = cases.map(({ params, limitFill }) => ({ fast: 12, slow: 26, volume: 0.1, ...params, limitFill }));
    const models = run('python3', [script, ...files, ...sets.map((set) => JSON.stringify(set))]) as ModelRun[];

    for (const [index, { params, limitFill }] of cases.entries()) {
      const daemon = join(repository, 'dist/apps/daemon/src/main.js');
      const strategy = join(repository, 'strategies/ema-cross.ts');
      const flags = [
        '--data',
        files.join(','),
        '--params',
        JSON.stringify(params),
        '--limit-fill',
        limitFill,
        '--json',
      ];
      const report = run(process.execPath, [daemon, 'backtest', strategy, ...flags]) as BacktestReport;

      const { trades, open, refused } = models[index] ?? { trades: [], open: null, refused: 0 };
      expect(report.trades.map(asModel)).toEqual(trades);
      expect(trades.length).toBeGreaterThan(500);
      expect(report.figures.open).toBe(open ? 1 : 0);
      expect(report.rejects.reduce((sum, { count }) => sum + count, 0)).toBe(refused);
      const profit = trades.reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
      expect(report.figures.netProfit).toBeCloseTo(profit, 6);
    }
  });
});

/** The model gives the minute of an exit; a replayed bar has four quotes in it. */
function asModel(trade: BacktestReport['trades'][number]): ModelTrade {
  const { side, openedMs, entryPrice, exitPrice, exitReason, realized, swap } = trade;
  const closedMs = trade.closedMs - (trade.closedMs % minuteMs);
  return { side, openedMs, entryPrice, closedMs, exitPrice, exitReason, profit: realized, swap };
}

import { resolve } from 'node:path';
import type { StrategySpec } from '../core/strategy-spec';
import { runBacktest, type BacktestResult } from './run-backtest';
import { generatedPrices } from './testing/generated-prices';

const root = resolve(__dirname, '../../../..');

function run(file: string, timeframe: string, params: Record<string, unknown>, days = 3): Promise<BacktestResult> {
  const spec: StrategySpec = {
    name: 'backtest',
    module: resolve(root, 'strategies', file),
    magic: 1,
    streams: [{ alias: 'main', broker: 'backtest', symbol: 'GBPUSD', timeframe }],
    capital: 10_000,
    params,
    risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
    onMismatch: 'halt',
    workerGroup: null,
    portfolio: null,
  };
  const fromMs = Date.UTC(2023, 1, 2);
  return runBacktest({ spec, files: generatedPrices, fromMs, toMs: fromMs + days * 86_400_000 });
}

describe('the shipped strategies on GBPUSD prices', () => {
  const sum = ({ fills }: BacktestResult) => fills.reduce((total, { realized }) => total + realized, 0);

  it('cross of averages: is in the market from the first cross on, and its deals add up to the account', async () => {
    const result = await run('ema-cross.ts', 'M1', { fast: 12, slow: 26 });
    expect(result.bars).toBeGreaterThan(2_500);
    expect(result.fills.length).toBeGreaterThan(100);
    expect(result.rejects).toEqual([]);
    expect(result.realized).toBeCloseTo(sum(result), 6);
    expect(result.balance).toBeCloseTo(10_000 + result.realized, 6);
    const sides = result.fills.filter(({ entry }) => entry === 'in').map(({ side }) => side);
    expect(sides.every((side, index) => side !== sides[index + 1])).toBe(true);
  });

  it('break-out with a stack: adds layers in its direction, each beyond the one before', async () => {
    const result = await run('donchian-stack.ts', 'M5', { channel: 40, exit: 15, layers: 3 });
    const layers = result.fills.filter(({ entry, intentId }) => entry === 'in' && intentId?.includes('/'));
    expect(layers.length).toBeGreaterThan(0);
    for (const layer of layers) {
      const [stack] = layer.intentId?.split('/') ?? [];
      const first = result.fills.find(({ intentId }) => intentId === stack);
      expect(layer.side).toBe(first?.side);
      const ahead = layer.side === 'buy' ? layer.price - (first?.price ?? 0) : (first?.price ?? 0) - layer.price;
      expect(ahead).toBeGreaterThan(0);
    }
    expect(result.balance).toBeCloseTo(10_000 + result.realized, 6);
  });

  it('break-out with a volume by risk: a stopped trade loses the share of the equity and no more', async () => {
    const result = await run('risk-breakout.ts', 'M5', { channel: 20, stopAtr: 2, riskPct: 1 });
    const stopped = result.fills.filter(({ reason }) => reason === 'sl');
    expect(stopped.length).toBeGreaterThan(3);
    expect(new Set(result.fills.map(({ volume }) => volume)).size).toBeGreaterThan(3);
    let equity = 10_000;
    const shares = result.fills.flatMap(({ reason, realized }) => {
      const share = realized / equity;
      equity += realized;
      return reason === 'sl' ? [share] : [];
    });
    // A stop fills at its price, or at the first price after a gap.
    expect(Math.min(...shares)).toBeGreaterThan(-0.0105);
    expect(Math.max(...shares)).toBeLessThan(-0.008);
  });

  it.each([
    ['break-out', { channel: 40, exit: 15 }],
    ['exit', { channel: 10, exit: 40 }],
  ])('break-out with a stack: knows the whole channel of its %s when it begins', async (_which, params) => {
    const { warmupBars, fills } = await run('donchian-stack.ts', 'M1', params, 0.2);
    expect(warmupBars).toEqual({ main: 40 + 20 });
    expect(fills.length).toBeGreaterThan(0);
  });

  it('mean reversion: enters against the move, one position at a time', async () => {
    const result = await run('mean-reversion.ts', 'M1', { length: 60, enterZ: 2.5 });
    const entries = result.fills.map(({ entry }) => entry);
    expect(entries.length).toBeGreaterThan(20);
    expect(entries.every((entry, index) => entry !== entries[index + 1])).toBe(true);
    expect(result.balance).toBeCloseTo(10_000 + result.realized, 6);
  });

  it('give the same result in two runs', async () => {
    const [first, second] = [
      await run('mean-reversion.ts', 'M1', { length: 60 }, 1),
      await run('mean-reversion.ts', 'M1', { length: 60 }, 1),
    ];
    expect(second).toEqual(first);
  });
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spec } from '../core/testing/spec';
import { runBacktest, type BacktestResult } from './run-backtest';
import { generatedPrices } from './testing/generated-prices';

/** Buys below the market, for half an hour at a time, and closes what it got on the next bar. */
const strategy = `import { defineStrategy } from '@libs/strategy';
class Params {}
export default defineStrategy({
  version: 1,
  params: Params,
  create: () => ({
    onBar(bar, trade) {
      const [open] = trade.positions();
      if (trade.orders().length === 0) trade.buy('main', { volume: 0.1, kind: 'limit', price: bar.close - 0.05 });
      if (open) trade.close(open);
      else if (trade.orders().length <= 1) {
        const order = { volume: 0.1, kind: 'limit', price: bar.close - 0.0004, expirationMs: bar.timeMs + 30 * 60_000 };
        trade.buy('main', order);
      }
    },
    onFill: (fill, trade) => trade.log('fill', fill),
    onOrderGone: (gone, trade) => trade.log(gone.kind, gone),
  }),
});
`;

function run(maxDrawdownPct: number | null): Promise<BacktestResult> {
  const module = join(mkdtempSync(join(tmpdir(), 'pending-')), 'pending.js');
  writeFileSync(module, strategy);
  const streams = [{ alias: 'main', broker: 'backtest', symbol: 'GBPUSD', timeframe: 'M1' }];
  const risk = { ...spec.risk, maxDrawdownPct };
  const fromMs = Date.UTC(2023, 1, 2);
  return runBacktest({
    spec: { ...spec, module, streams, risk },
    files: generatedPrices,
    fromMs,
    toMs: fromMs + 43_200_000,
  });
}

describe('pending orders in a backtest on GBPUSD prices', () => {
  it('are filled under their intent or expire, and the strategy receives both', async () => {
    const { fills, logs, rejects, balance, realized } = await run(null);
    expect(rejects).toEqual([]);
    const entries = fills.filter(({ entry }) => entry === 'in');
    expect(entries.length).toBeGreaterThan(5);
    expect(new Set(entries.map(({ intentId }) => intentId)).size).toBe(entries.length);
    expect(entries.every(({ intentId }) => intentId !== null)).toBe(true);
    const kinds = logs.map(({ message }) => message);
    expect(kinds.filter((kind) => kind === 'fill')).toHaveLength(fills.length);
    expect(kinds.filter((kind) => kind === 'expired').length).toBeGreaterThan(1);
    expect(balance).toBeCloseTo(10_000 + realized, 6);
  });

  it('are cancelled when the strategy is halted', async () => {
    const { logs, fills, haltReason } = await run(0.01);
    expect(haltReason).toContain('drawdown');
    const gone = logs.filter(({ message }) => message === 'cancelled');
    expect(gone.map(({ details }) => details)).toContainEqual(expect.objectContaining({ filled: 0 }));
    expect(fills.length).toBeGreaterThan(0);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { tradeOrders } from './trade-order';

/** Made by luck.py beside it. */
const { tradeOrders: reference } = JSON.parse(
  readFileSync(join(__dirname, '../../../../test/e2e/daemon/independent-model/luck.json'), 'utf8'),
) as {
  readonly tradeOrders: readonly {
    readonly results: readonly number[];
    readonly capital: number;
    readonly runs: number;
    readonly seed: number;
    readonly limits: readonly number[];
    readonly expected: object;
  }[];
};
const results = fc.array(
  fc.integer({ min: -5_000, max: 5_000 }).map((cents) => cents / 100),
  { minLength: 2, maxLength: 40 },
);
const drawn = { runs: 50, seed: 7, drawdownsPct: [1, 10, 50] };

describe('other orders of the trades of a run', () => {
  it('fall as deep as in another implementation', () => {
    for (const { results: trades, capital, runs, seed, limits, expected } of reference) {
      expect(tradeOrders(trades, capital, { runs, seed, drawdownsPct: limits })).toEqual({
        ...{ runs, seed, trades: trades.length },
        ...expected,
      });
    }
  });

  it('are the same for a seed, and others for another', () => {
    const trades = [120, -80, 30, -60, 90, -10];
    expect(tradeOrders(trades, 1_000, drawn)).toEqual(tradeOrders(trades, 1_000, drawn));
    expect(tradeOrders(trades, 1_000, drawn)).not.toEqual(tradeOrders(trades, 1_000, { ...drawn, seed: 8 }));
  });

  it('never fall less than the largest loss, nor more than all losses', () => {
    fc.assert(
      fc.property(results, fc.integer({ min: 0, max: 99 }), (trades, seed) => {
        const found = tradeOrders(trades, 10_000, { ...drawn, seed });
        const losses = trades.filter((result) => result < 0);
        const all = losses.reduce((sum, result) => sum - result, 0);
        for (const depth of [found?.asTraded.maxDrawdown, ...Object.values(found?.maxDrawdown ?? {})]) {
          expect(depth).toBeGreaterThanOrEqual(Math.max(0, ...losses.map((result) => -result)) - 0.005);
          expect(depth).toBeLessThanOrEqual(all + 0.005);
        }
      }),
    );
  });

  it('have percentiles and chances that rise and fall in order', () => {
    fc.assert(
      fc.property(results, (trades) => {
        const found = tradeOrders(trades, 200, drawn);
        for (const { p5, p50, p95, p99 } of [found?.maxDrawdown, found?.maxDrawdownPct, found?.lowest].flatMap(
          (x) => x ?? [],
        )) {
          expect([p5, p50, p95, p99]).toEqual([p5, p50, p95, p99].sort((a, b) => a - b));
        }
        const chances = found?.above.map(({ chancePct }) => chancePct) ?? [];
        expect(chances).toEqual([...chances].sort((a, b) => b - a));
      }),
    );
  });

  it('are not drawn of fewer than two trades', () => {
    expect(tradeOrders([5], 1_000, drawn)).toBeNull();
    expect(tradeOrders([], 1_000, drawn)).toBeNull();
  });
});

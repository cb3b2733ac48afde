// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backtest } from '@libs/strategy/testing';

const strategy = new URL('./strategy.ts', import.meta.url);
const params = { length: 3, distance: 0.001, riskPct: 1 };
/** Open, high, low and close of one-minute bars: as many as the strategy warms up with. @type {[number, number, number, number][]} */
const calm = [
  [1.1, 1.1005, 1.0995, 1.1],
  [1.1, 1.1005, 1.0995, 1.1],
  [1.1, 1.1005, 1.0995, 1.1],
];

test('buys when a bar closes above the highs before it', async () => {
  const run = await backtest(strategy, { bars: [...calm, [1.1, 1.101, 1.1, 1.101]], params });
  assert.equal(run.fills.length, 1);
  // 1 % of 10000 is 100, and a lot loses 100 in a distance of 0.001.
  assert.equal(run.positions[0]?.volume, 1);
  assert.equal(run.positions[0]?.sl, 1.1);
  assert.equal(run.positions[0]?.tp, 1.102);
});

test('loses the set share of the equity at its stop-loss', async () => {
  const run = await backtest(strategy, {
    bars: [...calm, [1.1, 1.101, 1.1, 1.101], [1.101, 1.101, 1.09, 1.09]],
    params,
  });
  assert.equal(run.trades[0]?.exitReason, 'sl');
  assert.equal(run.equity, 9_900);
});

test('does nothing while closes stay below the highs', async () => {
  const run = await backtest(strategy, { bars: [...calm, [1.1, 1.102, 1.1, 1.1005]], params });
  assert.deepEqual(run.fills, []);
});

test('trades a day of generated prices without a reject', async () => {
  const files = ['bid', 'ask'].map((side) => new URL(`./prices/eurusd-${side}.csv`, import.meta.url));
  const run = await backtest(strategy, { files });
  assert.ok(run.trades.length > 0);
  assert.deepEqual(run.rejects, []);
});

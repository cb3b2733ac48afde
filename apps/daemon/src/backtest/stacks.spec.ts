import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spec } from '../core/testing/spec';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const startMs = Date.UTC(2024, 0, 9, 12);
const minuteMs = 60_000;
/** Up by 5 points a minute for twenty minutes, then down by 50. */
const bids = Array.from({ length: 40 }, (_, minute) => 1.1 + (minute < 20 ? minute * 0.0005 : -0.05));
const ticks = bids.map((bid, minute) => {
  return [startMs + minute * minuteMs, Number(bid.toFixed(5)), Number((bid + 0.0001).toFixed(5))] as const;
});
const files = [writeTicks(join(mkdtempSync(join(tmpdir(), 'stacks-')), 'eurusd.csv'), ticks)];
const stack = (changes: string) =>
  `trade.stack({ stream: 'main', direction: 'buy', layers: 4, spacing: 0.001, volume: 0.1, slDistance: 0.005, ${changes} })`;

const run = (handlers: string, risk: Partial<typeof spec.risk> = {}) =>
  runHandlers(
    handlers,
    { files },
    { streams: streamsOf({ main: 'EURUSD@M1' }), capital: 10_000, risk: { ...spec.risk, ...risk } },
  );

describe('a stack in a backtest', () => {
  it('enters each layer at its price with its own stop, and ends with its position', async () => {
    const { fills } = await run(
      `onBar(bar, trade) { if (++n === 1) ${stack('')}; },
       onFill(fill, trade) { if (trade.positions().length === 2) ${stack('layers: 1')}; }`,
      { maxOpenPositions: 4 },
    );
    const entries = fills.filter(({ entry }) => entry === 'in');
    const [anchor = 0] = entries.map(({ price }) => price);
    // A layer each two minutes, at 10 points each; the fourth position is the stack of one layer.
    expect(entries.map(({ price }) => Math.round((price - anchor) * 10_000))).toEqual([0, 10, 10, 20]);
    expect(fills.filter(({ entry }) => entry === 'out').map(({ reason }) => reason)).toEqual(['sl', 'sl', 'sl', 'sl']);
  });

  it('enters a layer after the events that the strategy has before it, as the daemon does', async () => {
    // At one quote a position reaches its target, and the second layer its price.
    const result = await run(
      `onBar(bar, trade) {
         if (++n !== 1) return;
         trade.buy('main', { volume: 0.1, tp: Number((trade.quote('main').ask + 0.0009).toFixed(5)) });
         ${stack('layers: 2')};
       },
       onFill(fill, trade) { trade.log(fill.entry + ' ' + trade.positions().length); }`,
    );
    expect(said(result)).toEqual(['in 2', 'in 2', 'out 1', 'in 2', 'out 0', 'out 0']);
  });

  it('is denied by the rules of an entry, and waits no longer than its limit', async () => {
    const result = await run(
      `onBar(bar, trade) {
         if (++n === 1) ${stack(`within: ${3 * minuteMs}`)};
         if (n === 2) ${stack('volume: 1')};
       },
       onReject(reject, trade) { trade.log(reject.kind + ' ' + reject.reason); }`,
      { maxVolume: 0.5 },
    );
    expect(said(result)).toEqual(['denied volume 1 is above maxVolume 0.5']);
    expect(result.fills.filter(({ entry }) => entry === 'in')).toHaveLength(2);
  });
});

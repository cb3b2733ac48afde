import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Retcode } from '@libs/terminal-client';
import type { BacktestOptions } from './run-backtest';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'rejections-'));
const startMs = Date.UTC(2024, 0, 9, 12);
const minuteMs = 60_000;
/** A market that stands still. */
const files = [
  writeTicks(
    join(folder, 'eurusd.csv'),
    Array.from({ length: 30 }, (_, minute) => [startMs + minute * minuteMs, 1.1, 1.1001] as const),
  ),
];

const run = (handlers: string, options: Partial<BacktestOptions> = {}) =>
  runHandlers(handlers, { files, ...options }, { streams: streamsOf({ main: 'EURUSD@M1' }), capital: 10_000 });

/** What became of one order on the first bar. */
async function reject(order: string): Promise<object | undefined> {
  const { rejects } = await run(`onBar(bar, trade) { if (n++ === 0) ${order}; }`);
  expect(rejects.length).toBeLessThan(2);
  const [{ kind, reason, retcode } = {}] = rejects;
  return { kind, reason, retcode };
}
const rejected = (reason: string, retcode: number | null = null) => ({ kind: 'rejected', reason, retcode });

describe('a backtest rejects in the words of the gateway', () => {
  it.each<[string, string, object]>([
    [
      'a volume off the grid',
      `trade.buy('main', { volume: 0.015 })`,
      rejected('validation_error: volume: must be 0.01 to 500 in steps of 0.01; nearest: 0.01 or 0.02 (it is 0.015)'),
    ],
    [
      'a stop above the bid of a buy',
      `trade.buy('main', { volume: 0.1, sl: 1.10005 })`,
      rejected('validation_error: sl: must be below 1.10000 (it is 1.10005)'),
    ],
    [
      'a level that rounds to 0',
      `trade.buy('main', { volume: 0.1, sl: 0.000001 })`,
      rejected('validation_error: sl: rounds to 0 on the price grid of EURUSD, whose step is 0.00001 (it is 0.000001)'),
    ],
    [
      'a limit above the market',
      `trade.buy('main', { volume: 0.1, kind: 'limit', price: 1.2 })`,
      rejected('validation_error: price: must be below the ask 1.10010 (it is 1.20000)'),
    ],
    [
      'a price far from the market',
      `trade.buy('main', { volume: 0.1, kind: 'limit', price: 0.5 })`,
      rejected(
        "price_deviation_exceeded: price 0.50000 deviates by 54.55 percent from the market's 1.10010, above MAX_PRICE_DEVIATION_PCT 20",
      ),
    ],
    [
      'a stop-limit price beyond its trigger',
      `trade.buy('main', { volume: 0.1, kind: 'stop_limit', price: 1.11, stoplimit: 1.12 })`,
      rejected('validation_error: stoplimit: must be at or below the price 1.11000 (it is 1.12000)'),
    ],
    [
      'an order that has expired already',
      `trade.buy('main', { volume: 0.1, kind: 'limit', price: 1.09, expirationMs: ${startMs} })`,
      rejected(
        `validation_error: expiration: must be in the future; now is ${new Date(startMs + minuteMs).toISOString()} (it is ${new Date(startMs).toISOString()})`,
      ),
    ],
    [
      'more than the money allows',
      `trade.buy('main', { volume: 90 })`,
      rejected(
        'broker_rejected: the broker rejected the request: NO_MONEY: with it the margin would be 99009.00, of an equity of 10000.00',
        Retcode.NO_MONEY,
      ),
    ],
  ])('%s', async (_what, order, expected) => {
    expect(await reject(order)).toEqual(expected);
  });

  it('changes of a position, and keeps its protection', async () => {
    const result = await run(
      `onBar(bar, trade) {
         n++;
         if (n === 1) trade.buy('main', { volume: 0.1, sl: 1.09 });
         const position = trade.position('main');
         if (n === 2) trade.protect(position, { sl: 0.000001 });
         if (n === 3) trade.protect(position, { sl: 0 });
         if (n === 4) trade.protect(position, { sl: 1.2 });
         if (n === 5) trade.closePart(position, 0.015);
         if (n === 6) trade.closePart(position, 0.2);
         if (n === 8) trade.log(position.sl + ' ' + position.volume);
       }`,
    );
    expect(said(result)).toEqual(['1.09 0.1']);
    expect(result.rejects.map(({ reason, retcode }) => [reason, retcode])).toEqual([
      ['validation_error: sl: rounds to 0 on the price grid of EURUSD, whose step is 0.00001 (it is 0.000001)', null],
      ['validation_error: sl: must be a positive number; clear_sl removes the level', null],
      ['validation_error: sl: must be below 1.10000 (it is 1.20000)', null],
      [
        'validation_error: position.volume: must be a multiple of 0.01, at least 0.01; nearest: 0.01 or 0.02 (it is 0.015)',
        null,
      ],
      ["validation_error: position.volume: must be at most the position's 0.1 (it is 0.2)", null],
    ]);
  });

  it('nothing for levels that are in force already', async () => {
    const result = await run(
      `onBar(bar, trade) {
         n++;
         if (n === 1) trade.buy('main', { volume: 0.1, sl: 1.09 });
         if (n === 2) trade.protect(trade.position('main'), { sl: 1.09 });
       }`,
    );
    expect(result.fills).toHaveLength(1);
    expect(result.rejects).toEqual([]);
  });

  it('an order on a ticket that is not open', async () => {
    const result = await run(
      `onBar(bar, trade) {
         n++;
         if (n === 1) trade.buy('main', { volume: 0.1 });
         if (n === 2) trade.buy('main', { volume: 0.1, kind: 'limit', price: 1.05 });
         if (n === 3) trade.close(trade.orders()[0].ticket);
         if (n === 4) trade.cancel(trade.position('main').ticket);
       }`,
    );
    expect(result.rejects.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^not_found: no open position \d+$/),
      expect.stringMatching(/^not_found: no pending order \d+$/),
    ]);
  });
});

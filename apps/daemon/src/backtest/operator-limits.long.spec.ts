import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtestLimits } from './backtest.config';
import type { BacktestResult } from './run-backtest';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'operator-limits-'));
const minuteMs = 60_000;
/** Half an hour before midnight on the broker's clock, which is UTC here. */
const startMs = Date.UTC(2024, 0, 9, 23, 30);
/** The minute in which the price falls by 50 points, and that of the first price of the next day. */
const [fallen, midnight] = [20, 30];
const files = [
  writeTicks(
    join(folder, 'eurusd.csv'),
    Array.from({ length: 45 }, (_, minute) => {
      const bid = minute < fallen ? 1.1 : 1.095;
      return [startMs + minute * minuteMs, bid, bid + 0.0001] as const;
    }),
  ),
  writeTicks(
    join(folder, 'gbpusd.csv'),
    Array.from({ length: 45 }, (_, minute) => [startMs + minute * minuteMs, 1.3, 1.3001] as const),
  ),
];

const run = (onBar: string, limits: Readonly<Record<string, string>>, more = ''): Promise<BacktestResult> =>
  runHandlers(
    `onBar(bar, trade) { if (bar.symbol !== 'EURUSD') return; n++; ${onBar} }, ${more}`,
    { files, limits: backtestLimits(limits), broker: { SIM_SERVER_TIME_ZONE: 'UTC' } },
    { streams: streamsOf({ main: 'EURUSD@M1', other: 'GBPUSD@M1' }), capital: 10_000 },
  );
const reasons = ({ rejects }: BacktestResult) => rejects.map(({ reason }) => reason);

describe('the limits of the operator in a backtest', () => {
  it.each<[Readonly<Record<string, string>>, string, string]>([
    [{ SYMBOL_WHITELIST: 'GBPUSD' }, `{ volume: 0.1 }`, 'symbol_not_allowed: EURUSD is not in SYMBOL_WHITELIST'],
    [
      { MAX_ORDER_VOLUME: '0.5' },
      `{ volume: 0.51 }`,
      'volume_limit_exceeded: volume 0.51 is above MAX_ORDER_VOLUME 0.5',
    ],
    [
      { MAX_ORDER_DEVIATION: '10' },
      `{ volume: 0.1, deviation: 11 }`,
      'order_deviation_exceeded: deviation 11 is above MAX_ORDER_DEVIATION 10',
    ],
    [
      { MAX_PRICE_DEVIATION_PCT: '1' },
      `{ volume: 0.1, kind: 'limit', price: 1.0 }`,
      "price_deviation_exceeded: price 1.00000 deviates by 9.1 percent from the market's 1.10010, above MAX_PRICE_DEVIATION_PCT 1",
    ],
  ])('reject under %j the order %s', async (limits, order, reason) => {
    const entry = `if (n === 1) trade.buy('main', ${order});`;
    expect(reasons(await run(entry, limits))).toEqual([reason]);
    expect(reasons(await run(entry, {}))).toEqual([]);
  });

  it('bound the entries of a minute, and let exits pass', async () => {
    const result = await run(
      `if (n === 1) for (let i = 0; i < 3; i++) trade.buy('main', { volume: 0.1 });
       if (n === 2) { trade.buy('main', { volume: 0.1 }); for (const p of trade.positions()) trade.close(p); }`,
      { MAX_ORDERS_PER_MINUTE: '2' },
    );
    expect(reasons(result)).toEqual([
      'order_rate_exceeded: 2 entries were sent in the last minute; MAX_ORDERS_PER_MINUTE is 2',
    ]);
    expect(result.fills.map(({ entry }) => entry)).toEqual(['in', 'in', 'in', 'out', 'out']);
  });

  it('count an entry that the broker rejected only if it was sent', async () => {
    const result = await run(
      `if (n === 1) { trade.buy('main', { volume: 90 }); trade.buy('main', { volume: 0.1 }); trade.buy('main', { volume: 0.1 }); }`,
      { MAX_ORDERS_PER_MINUTE: '1' },
    );
    expect(reasons(result)).toEqual([
      expect.stringMatching(/^broker_rejected: the broker rejected the request: NO_MONEY/),
      expect.stringMatching(/^order_rate_exceeded/),
    ]);
  });

  it('bound the open volume, with pending orders in it', async () => {
    const result = await run(
      `if (n === 1) trade.buy('main', { volume: 0.1 });
       if (n === 2) trade.buy('main', { volume: 0.2, kind: 'limit', price: 1.0 });
       if (n === 3) trade.sell('other', { volume: 0.1 });
       if (n === 4) trade.close(trade.position('main'));
       if (n === 5) trade.sell('other', { volume: 0.1 });`,
      { MAX_OPEN_VOLUME: '0.3' },
    );
    expect(reasons(result)).toEqual([
      'open_volume_exceeded: 0.3 lots are open; with 0.1 more they exceed MAX_OPEN_VOLUME 0.3',
    ]);
    expect(result.fills.map(({ symbol, entry }) => `${symbol} ${entry}`)).toEqual([
      'EURUSD in',
      'EURUSD out',
      'GBPUSD in',
    ]);
  });

  it('bound the open volume of each symbol separately', async () => {
    const result = await run(
      `if (n === 1) trade.buy('main', { volume: 0.1 });
       if (n === 2) trade.sell('other', { volume: 0.1 });
       if (n === 3) trade.sell('main', { volume: 0.1 });`,
      { MAX_OPEN_VOLUME_PER_SYMBOL: '0.1' },
    );
    expect(reasons(result)).toEqual([
      'open_volume_exceeded: 0.1 lots of EURUSD are open; with 0.1 more they exceed MAX_OPEN_VOLUME_PER_SYMBOL 0.1',
    ]);
  });

  it("stop entries at the loss of the broker's day, closed and floating, until the next day", async () => {
    const result = await run(
      `if (n === 1) { trade.buy('main', { volume: 1 }); trade.buy('main', { volume: 0.1 }); }
       if (n === ${fallen + 1}) trade.close(trade.positions('main')[0]);
       if (n >= ${fallen + 2} && n % 4 === 0) trade.buy('other', { volume: 0.1 });`,
      { MAX_DAILY_LOSS: '500' },
      'onFill(fill, trade) { if (fill.symbol === "GBPUSD") trade.log(String(trade.timeMs)); }',
    );
    // Bought at 1.1001 and worth 1.095: 51 pips on 1 lot closed and on 0.1 lots open.
    expect(new Set(reasons(result))).toEqual(
      new Set(["daily_loss_exceeded: the loss of the broker's day is 561.00; MAX_DAILY_LOSS is 500"]),
    );
    const [first] = said(result).map(Number);
    expect(first).toBeGreaterThanOrEqual(startMs + midnight * minuteMs);
    expect(first).toBeLessThan(startMs + (midnight + 5) * minuteMs);
  });

  it('are rejected by name if they are invalid', () => {
    expect(() => backtestLimits({ MAX_ORDER_VOLUME: 'much' })).toThrow('MAX_ORDER_VOLUME');
  });
});

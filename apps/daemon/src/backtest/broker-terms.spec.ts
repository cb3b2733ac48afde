import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from './report';
import { reportTable } from './report-table';
import type { BacktestOptions } from './run-backtest';
import { writeBars, writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const startMs = Date.UTC(2024, 0, 9, 12);
/** A quote each 10 seconds, up by a point each. */
const ticks = Array.from({ length: 120 }, (_, index) => {
  const bid = Number((1.1 + index * 0.00001).toFixed(5));
  return [startMs + index * 10_000, bid, Number((bid + 0.0001).toFixed(5))] as const;
});
const files = [writeTicks(join(mkdtempSync(join(tmpdir(), 'terms-')), 'eurusd.csv'), ticks)];
const spec = { streams: streamsOf({ main: 'EURUSD@M1' }) };
const handlers = `
  onBar(bar, trade) { n++; if (n === 3) trade.buy('main', { volume: 1 }); if (n === 5) trade.close(trade.position('main')); },
  onFill(fill, trade) { trade.log(String(trade.timeMs)); },
  onTick(tick, trade) { trade.log('tick ' + tick.timeMs); },`;
const run = (options: Partial<BacktestOptions> = {}) => runHandlers(handlers, { files, ...options }, spec);

describe('the terms of the broker in a backtest', () => {
  it('are in its fills and costs, and in the first lines of its report', async () => {
    const broker = { SIM_COMMISSION: '3', SIM_SLIPPAGE: '2', SIM_SPREAD: '20', SIM_SWAP: '-1:1' };
    const [plain, charged] = [await run(), await run({ broker })];
    const priceOf = ({ fills }: typeof plain) => fills.map(({ price }) => price);
    const [buy = 0, sell = 0] = priceOf(plain);
    // 20 points of spread for 10, and 2 of slippage.
    expect(priceOf(charged)).toEqual([Number((buy + 0.00012).toFixed(5)), Number((sell - 0.00002).toFixed(5))]);
    const { figures, assumptions } = reportOf(charged, { ...spec, module: 'x.ts', capital: 10_000 }, files);
    expect(figures.commission).toBe(-6);
    expect(assumptions).toEqual({
      ...{ spreadPoints: 20, slippagePoints: 2, latencyMs: 0 },
      symbols: {
        EURUSD: {
          digits: 5,
          commissionPerLot: 3,
          commissionCharged: 'both',
          swap: { unit: 'points', long: -1, short: 1 },
        },
      },
    });
    const lines = reportTable(reportOf(charged, { ...spec, module: 'x.ts', capital: 10_000 }, files)).split('\n');
    expect(lines[1]).toBe(
      'broker    spread 20 points; slippage 2 points; latency 0 ms; EURUSD: commission 3 per lot in and out, swap -1 long and 1 short, points',
    );
    const text = reportTable(reportOf(plain, { ...spec, module: 'x.ts', capital: 10_000 }, files));
    expect(text).toContain('spread as recorded; slippage 0 points; latency 0 ms; EURUSD: commission 0 per lot');
  });

  it('make asks of bids alone where the spread is given, as if a file of asks had been there', async () => {
    const bars = Array.from({ length: 12 }, (_, index) => {
      const price = 1.1 + index * 0.0001;
      return [startMs + index * 60_000, price, price + 0.0003, price - 0.0002, price + 0.0001] as const;
    });
    const paths = writeBars(mkdtempSync(join(tmpdir(), 'bids-')), 'EURUSD', bars, 0.0005);
    const [bids = ''] = paths;
    const broker = { SIM_SPREAD: '20' };
    const [both, alone] = [await run({ files: paths, broker }), await run({ files: [bids], broker })];
    expect(alone.fills).toHaveLength(2);
    expect(alone).toEqual(both);
    await expect(run({ files: [bids] })).rejects.toThrow(
      'EURUSD: bars need a file of bids and a file of asks ("ask" in its name); or bids alone, and their --spread',
    );
  });

  it('let a request arrive after the latency: it fills at the quote of then, and the strategy misses the ticks between', async () => {
    const [plain, late] = [await run(), await run({ latencyMs: 25_000 })];
    const times = ({ fills }: typeof plain) => fills.map(({ timeMs }) => timeMs ?? 0);
    const [first = 0, second = 0] = times(plain);
    expect(times(late)).toEqual([first + 25_000, second + 25_000]);
    const prices = ({ fills }: typeof plain) => fills.map(({ price }) => price);
    expect(prices(late)).toEqual(prices(plain).map((price) => Number((price + 0.00002).toFixed(5))));
    expect(said(plain)).toContain(`tick ${first + 10_000}`);
    expect(said(late)).not.toContain(`tick ${first + 10_000}`);
    expect(said(late)).toContain(`tick ${first + 30_000}`);
    expect(late.bars).toBe(plain.bars);
  });
});

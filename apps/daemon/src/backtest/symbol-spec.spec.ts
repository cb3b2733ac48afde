import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const startMs = Date.UTC(2024, 0, 3);
const minuteMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'symbol-spec-'));
const ticks = (symbol: string, bid: number) =>
  writeTicks(
    join(folder, `${symbol.toLowerCase()}.csv`),
    Array.from({ length: 30 }, (_, minute) => [startMs + minute * minuteMs, bid, bid]),
  );
const run = (symbol: string, bid: number, handlers: string) =>
  runHandlers(handlers, { files: [ticks(symbol, bid)] }, { streams: streamsOf({ main: `${symbol}@M1` }) });

describe('the symbol of a strategy in a backtest', () => {
  it('has the grids and the value of a tick at present prices', async () => {
    const log = `onBar(bar, trade) { if (++n === 3) trade.log(JSON.stringify(trade.symbol('main'))); }`;
    const [yen = '{}'] = said(await run('USDJPY', 125, log));
    expect(JSON.parse(yen)).toMatchObject({
      ...{ symbol: 'USDJPY', digits: 3, point: 0.001, tickSize: 0.001, contractSize: 100_000 },
      ...{ volumeMin: 0.01, volumeStep: 0.01 },
      // 100 JPY a lot and tick, at 125 JPY a USD.
      tickValue: 0.8,
      // A lot is 100000 USD; a hundredth of it.
      marginPerLot: 1_000,
    });
  });

  it('has the spread of the moment and the account with its margin', async () => {
    const log = `onBar(bar, trade) {
      n++;
      if (n === 2) trade.buy('main', { volume: 0.1 });
      if (n === 2 || n === 3) trade.log(JSON.stringify(trade.account('main')));
      if (n === 3) trade.log(JSON.stringify([trade.symbol('main').spread, trade.symbol('main').tradeMode]));
    }`;
    const rows = Array.from({ length: 30 }, (_, minute): [number, number, number] => {
      return [startMs + minute * minuteMs, 1.1, 1.1002];
    });
    const files = [writeTicks(join(folder, 'eurusd-spread.csv'), rows)];
    const result = await runHandlers(log, { files }, { streams: streamsOf({ main: 'EURUSD@M1' }) });
    const [before, after, symbol] = said(result).map((line) => JSON.parse(line) as unknown);
    const own = { currency: 'USD', leverage: 100, balance: 10_000 };
    expect(before).toEqual({ ...own, equity: 10_000, margin: 0, freeMargin: 10_000 });
    // 10000 EUR at 1.1002, a hundredth of it; the spread is lost at once.
    expect(after).toEqual({ ...own, equity: 9_998, margin: 110.02, freeMargin: 9_887.98 });
    expect(symbol).toEqual([0.0002, 'full']);
  });

  it('gives the volume that loses the risk at the stop-loss, which the account confirms', async () => {
    const result = await run(
      'USDJPY',
      125,
      `onBar(bar, trade) {
        if (++n !== 3) return;
        const volume = trade.volumeFor('main', { risk: 100, stopDistance: 0.5 });
        trade.log([volume, trade.roundVolume('main', 0.579), trade.roundPrice('main', 124.4996)].join(' '));
      }`,
    );
    // 500 ticks of 0.80 USD are 400 USD a lot.
    expect(said(result)).toEqual(['0.25 0.57 124.5']);
  });

  it('shows with an order its intent, levels and expiry, and with a position the intent that opened it', async () => {
    const result = await run(
      'EURUSD',
      1.1,
      `onBar(bar, trade) {
        n++;
        if (n === 2) {
          this.id = trade.buy('main', { kind: 'limit', price: 1.09, sl: 1.08, tp: 1.12, volume: 0.1, expirationMs: trade.timeMs + 3600000 });
          this.expirationMs = trade.timeMs + 3600000;
          this.position = trade.sell('main', { volume: 0.1 });
        }
        if (n === 4) {
          const [{ intentId, sl, tp, stoplimit, expirationMs }] = trade.orders();
          trade.log([intentId === this.id, sl, tp, stoplimit, expirationMs === this.expirationMs].join(' '));
          trade.log(String(trade.position('main').intentId === this.position));
        }
      }`,
    );
    expect(said(result)).toEqual(['true 1.08 1.12 0 true', 'true']);
  });
});

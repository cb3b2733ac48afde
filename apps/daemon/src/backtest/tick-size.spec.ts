import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'price-grid-'));
const startMs = Date.UTC(2024, 0, 8);
const files = [
  writeTicks(
    join(folder, 'eurusd.csv'),
    Array.from({ length: 20 }, (_, minute) => [startMs + minute * 60_000, 1.1, 1.1001] as const),
  ),
];
/** Five digits, of which the last is 0 or 5. */
const symbols = join(folder, 'symbols.json');
writeFileSync(symbols, JSON.stringify({ symbols: [{ name: 'EURUSD', trade_tick_size: 0.00005 }] }));

describe('the prices of orders in a backtest', () => {
  it('are snapped to whole ticks of the symbol, halves up, as the gateway does', async () => {
    const result = await runHandlers(
      `onBar(bar, trade) {
         n++;
         if (n === 1) trade.buy('main', { volume: 0.1, sl: 1.09012, tp: 1.119975 });
         if (n === 2) trade.buy('main', { volume: 0.1, kind: 'limit', price: 1.08997 });
         if (n === 3) trade.protect(trade.position('main'), { sl: 1.09013 });
         const position = trade.position('main');
         if (position) trade.log([position.sl, position.tp, ...trade.orders().map(({ price }) => price)].join(' '));
       }`,
      { files, broker: { SIM_SYMBOLS: symbols } },
      { streams: streamsOf({ main: 'EURUSD@M1' }) },
    );
    expect(result.rejects).toEqual([]);
    expect([...new Set(said(result))]).toEqual(['1.0901 1.12', '1.0901 1.12 1.08995', '1.09015 1.12 1.08995']);
  });

  it('need a file of symbols that can be used', async () => {
    const refused = join(folder, 'refused.json');
    writeFileSync(refused, JSON.stringify({ symbols: [{ name: 'EURUSD', trade_tick_size: 0, digits: '5' }] }));
    const run = runHandlers(
      '',
      { files, broker: { SIM_SYMBOLS: refused } },
      { streams: streamsOf({ main: 'EURUSD@M1' }) },
    );
    await expect(run).rejects.toThrow(
      'symbol EURUSD: digits must be an integer, 0 to 8; symbol EURUSD: trade_tick_size must be a number above 0',
    );
  });
});

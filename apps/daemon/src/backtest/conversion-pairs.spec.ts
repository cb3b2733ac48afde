import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTicks } from './testing/written-prices';
import { runHandlers, streamsOf } from './testing/written-strategy';

const startMs = Date.UTC(2024, 0, 3);
const folder = mkdtempSync(join(tmpdir(), 'pairs-'));
const prices = { EURGBP: 0.86, GBPUSD: 1.27, EURUSD: 1.0922, USDJPY: 150, GBPJPY: 190.5 } as const;
const files = Object.entries(prices).map(([symbol, bid]) => {
  const quotes = Array.from({ length: 20 }, (_, minute) => [startMs + minute * 60_000, bid, bid] as const);
  return [symbol, writeTicks(join(folder, `${symbol.toLowerCase()}.csv`), quotes)] as const;
});
type Symbol = keyof typeof prices;
const run = (symbols: readonly Symbol[], currency = 'USD') =>
  runHandlers(
    `onBar(bar, trade) { if (++n === 3) trade.buy('main', { volume: 0.01 }); }`,
    {
      files: files.flatMap(([name, file]) => (symbols.some((one) => one === name) ? [file] : [])),
      broker: { SIM_CURRENCY: currency },
    },
    { streams: streamsOf({ main: `${symbols[0]}@M1` }) },
  );

describe('a backtest of a cross', () => {
  it.each<[string, Symbol[], string]>([
    ['USD', ['EURGBP'], 'EURGBP on an account in USD needs prices of GBPUSD (profit) and EURUSD (margin)'],
    ['USD', ['EURGBP', 'GBPUSD'], 'EURGBP on an account in USD needs prices of EURUSD (margin)'],
    ['USD', ['GBPJPY', 'USDJPY'], 'GBPJPY on an account in USD needs prices of GBPUSD (margin)'],
    ['EUR', ['USDJPY'], 'USDJPY on an account in EUR needs prices of EURUSD (profit and margin)'],
    ['JPY', ['EURUSD'], 'EURUSD on an account in JPY needs prices of USDJPY (profit and margin)'],
  ])('in %s with %j is refused before the run, with the pairs that are missing', async (currency, symbols, problem) => {
    await expect(run(symbols, currency)).rejects.toThrow(`${problem}; add them to --data`);
  });

  it.each<[string, Symbol[]]>([
    ['USD', ['EURGBP', 'GBPUSD', 'EURUSD']],
    ['EUR', ['USDJPY', 'EURUSD']],
    ['JPY', ['EURUSD', 'USDJPY']],
  ])('in %s with %j trades', async (currency, symbols) => {
    const { fills, rejects } = await run(symbols, currency);
    expect([fills.length, rejects]).toEqual([1, []]);
  });
});

import type { PageTrade } from './page-data';
import { priceDigits, sortedTrades, tradesCsv } from './trade-list';

const trade = (changes: Partial<PageTrade>): PageTrade => ({
  ...{ opened: 60, closed: 120.5, side: 'buy', symbol: 'EURUSD', lots: 0.1, entry: 1.1, exit: 1.2, by: 'tp' },
  ...{ costs: -0.7, result: 99.3, mae: 0.001, mfe: 0.1 },
  ...changes,
});
const trades = [
  trade({}),
  trade({ symbol: 'A,"B', side: 'sell', result: -5, mae: null, mfe: null }),
  trade({ result: 10, mae: 0.0001 }),
];

describe('the list of trades', () => {
  it('is sorted by any column, both ways', () => {
    expect(sortedTrades(trades, 'result', false)).toEqual([1, 2, 0]);
    expect(sortedTrades(trades, 'result', true)).toEqual([0, 2, 1]);
    expect(sortedTrades(trades, 'mae', false)).toEqual([1, 2, 0]);
    expect(sortedTrades(trades, 'side', true)).toEqual([1, 0, 2]);
    expect(sortedTrades(trades, 'lots', true)).toEqual([0, 1, 2]);
  });

  it('is a CSV file', () => {
    expect(tradesCsv(trades.slice(0, 2), Date.UTC(2024, 0, 8))).toBe(
      [
        'opened,closed,side,symbol,lots,entry,exit,by,costs,result,mae,mfe',
        '2024-01-08T00:01:00.000Z,2024-01-08T00:02:00.500Z,buy,EURUSD,0.1,1.1,1.2,tp,-0.7,99.3,0.001,0.1',
        '2024-01-08T00:01:00.000Z,2024-01-08T00:02:00.500Z,sell,"A,""B",0.1,1.1,1.2,tp,-0.7,-5,,',
        '',
      ].join('\n'),
    );
  });
});

describe('the digits of prices', () => {
  it('are those of each symbol', () => {
    const other = trade({ symbol: 'USDJPY', entry: 150.123, exit: 150.2 });
    const parts = trade({ symbol: 'XAUUSD', entry: 2_000.123456, exit: 2_001.5 });
    expect([...priceDigits([...trades.slice(0, 1), other, parts])]).toEqual([
      ['EURUSD', 1],
      ['USDJPY', 3],
      ['XAUUSD', 5],
    ]);
  });
});

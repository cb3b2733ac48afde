import type { StrategySpec } from '../core/strategy-spec';
import type { DaemonFile } from '../daemon-file/daemon-file';
import { magicsOf, partOf, unitsOf } from './units';

const strategy = (name: string, magic: number, brokers: readonly string[], portfolio: string | null = null) => {
  const streams = brokers.map((broker) => ({ alias: broker, broker, symbol: 'EURUSD', timeframe: 'M1' as const }));
  const risk = { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null };
  const rest = { module: '/x.ts', capital: 1, params: {}, onMismatch: 'halt', workerGroup: null } as const;
  return { name, magic, streams, risk, portfolio, ...rest } satisfies StrategySpec;
};
const children = [strategy('book/a', 3, ['one', 'two'], 'book'), strategy('book/b', 2, ['two'], 'book')];
const file: DaemonFile = {
  gateways: [],
  strategies: [strategy('trend', 1, ['one']), ...children],
  portfolios: [
    { name: 'book', capital: 1, risk: { maxDailyLoss: null, maxDrawdownPct: null }, children: ['book/a', 'book/b'] },
  ],
};

describe('the units of a configuration', () => {
  it('are its standalone strategies, and its portfolios as a whole', () => {
    const units = unitsOf(file).map(({ name, strategies, portfolio }) => [name, strategies.length, portfolio?.name]);
    expect(units).toEqual([
      ['trend', 1, undefined],
      ['book', 2, 'book'],
    ]);
  });

  it('have the magic numbers of all their strategies, by gateway', () => {
    expect(unitsOf(file).map((unit) => [...magicsOf(unit)])).toEqual([
      [['one', [1]]],
      [
        ['one', [3]],
        ['two', [2, 3]],
      ],
    ]);
  });

  it('make a part of it', () => {
    const part = partOf(file, new Set(['book']));
    expect([part.strategies, part.portfolios]).toEqual([children, file.portfolios]);
    expect(partOf(file, new Set(['trend'])).portfolios).toEqual([]);
  });
});

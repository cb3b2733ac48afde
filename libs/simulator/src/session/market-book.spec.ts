import { symbolLike } from '../testing/running-simulator';
import { bookLevels, marketBook } from './market-book';

describe('the market depth of the simulator', () => {
  const spec = symbolLike('EURUSD', { market: { depth: 50 } });
  const rows = marketBook({ bid: 1.1, ask: 1.1001 }, spec);

  it('has the sells, then the buys, by descending price, the quote between them', () => {
    expect(rows.map(({ type, price }) => [type, price])).toEqual([
      ...[5, 4, 3, 2, 1].map((level) => [1, Number((1.1001 + (level - 1) * 0.00001).toFixed(5))]),
      ...[0, 1, 2, 3, 4].map((level) => [2, Number((1.1 - level * 0.00001).toFixed(5))]),
    ]);
    expect(rows).toHaveLength(2 * bookLevels);
  });

  it('has at the quote what an order is filled with there, and more further away', () => {
    expect(rows.slice(4, 7)).toMatchObject([{ volume: 50, volume_dbl: 50 }, { volume: 50 }, { volume: 100 }]);
    const [best] = marketBook({ bid: 1.1, ask: 1.1001 }, symbolLike('EURUSD', {})).slice(4);
    expect(best?.volume_dbl).toBe(spec.volume_max);
  });
});

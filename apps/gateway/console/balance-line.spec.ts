import { balanceLine, withEnd } from './balance-line';

const deal = (ticket: number, second: number, profit: number, costs: { readonly commission?: number } = {}) => ({
  ...{ ticket, time_msc: second * 1_000, time_utc: new Date(second * 1_000).toISOString() },
  ...{ profit, commission: 0, swap: 0, fee: 0, ...costs },
});

describe('the line of the balance', () => {
  it('is reckoned back from the present balance, over the costs of each deal', () => {
    const deals = [deal(2, 20, 5, { commission: -0.1 }), deal(1, 10, -3)];
    expect(balanceLine(1_001.9, deals, 2)).toEqual([
      [10_000, 1_000],
      [10_000, 997],
      [20_000, 1_001.9],
    ]);
  });

  it('orders deals of one instant by their tickets', () => {
    expect(balanceLine(3, [deal(2, 10, 2), deal(1, 10, 1)], 2).map(([, balance]) => balance)).toEqual([0, 1, 3]);
  });

  it('adds up no rounding', () => {
    const deals = Array.from({ length: 1_000 }, (_, index) => deal(index, index, 0.1));
    expect(balanceLine(100.1, deals, 2)[0]).toEqual([0, 0.1]);
  });

  it('is empty without deals, and while the time of a deal is not known in UTC', () => {
    expect(balanceLine(1, [], 2)).toEqual([]);
    expect(balanceLine(1, [{ ...deal(1, 1, 1), time_utc: null }], 2)).toEqual([]);
  });

  it('never goes back in time, also where the clock of its end is behind that of the last deal', () => {
    expect(withEnd([[20_000, 5]], 30_000, 6).at(-1)).toEqual([30_000, 6]);
    expect(withEnd([[20_000, 5]], 10_000, 6).at(-1)).toEqual([20_000, 6]);
    expect(withEnd([], 10_000, 6)).toEqual([[10_000, 6]]);
  });
});

import type { StrategyRecord } from './records';
import { withCapital } from './ledger';

const record: StrategyRecord = {
  ...{ name: 'ema', realized: '-12.5', trades: 3, lastTrade: null, halt: null, capital: 10_000 },
  ...{ day: { date: '2024-01-02', equity: '9990.1' }, peakEquity: '10020' },
};

describe('a change of capital', () => {
  it('moves only the anchors of the limits', () => {
    expect(withCapital(record, 4_000)).toEqual({
      ...record,
      capital: 4_000,
      day: { date: '2024-01-02', equity: '3990.1' },
      peakEquity: '4020',
    });
  });

  it('does not change a record that has the capital already', () => {
    expect(withCapital(record, 10_000)).toBe(record);
  });

  it('is assumed for a record without a capital', () => {
    const { capital: _capital, ...unnamed } = record;
    expect(withCapital(unnamed, 4_000)).toEqual({ ...record, capital: 4_000 });
  });
});

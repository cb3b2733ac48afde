import type { StrategyRecord } from './records';
import { withCapital } from './capital-change';

const record: StrategyRecord = {
  ...{ name: 'ema', realized: '-12.5', trades: 3, lastTrade: null, halt: null, capital: 10_000 },
  ...{ day: { date: '2024-01-02', equity: '9990.1' }, peakEquity: '10020' },
};

describe('another capital', () => {
  it('moves the anchors of the limits with it, and nothing else', () => {
    expect(withCapital(record, 4_000)).toEqual({
      ...record,
      capital: 4_000,
      day: { date: '2024-01-02', equity: '3990.1' },
      peakEquity: '4020',
    });
  });

  it('leaves a record alone that has it already', () => {
    expect(withCapital(record, 10_000)).toBe(record);
  });

  it('is taken for the one of a record that names none', () => {
    const { capital: _capital, ...unnamed } = record;
    expect(withCapital(unnamed, 4_000)).toEqual({ ...record, capital: 4_000 });
  });
});

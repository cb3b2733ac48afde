import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { isDeep, peakStep, percentOf, type PeakMemory } from './drawdown';

/** Readings of one account: the equity, and the deposits and withdrawals since the reading before. */
function peakAfter(...readings: readonly (readonly [equity: number, operations?: number])[]): PeakMemory | null {
  let memory: PeakMemory | null = null;
  readings.forEach(([equity, operations = 0], seq) => {
    memory = peakStep(memory, { account: '1 s', equity, operations, seq });
  });
  return memory;
}

describe('a drawdown', () => {
  it('is reported at its limit, and over once it is below four fifths of it', () => {
    const deep = (equity: number, isReported: boolean): boolean =>
      isDeep({ equity: new Decimal(equity), reference: new Decimal(1_000) }, 5, isReported);
    expect([950.01, 950, 900].map((equity) => deep(equity, false))).toEqual([false, true, true]);
    expect([950.01, 960, 960.01, 1_100].map((equity) => deep(equity, true))).toEqual([true, true, false, false]);
    expect(isDeep({ equity: new Decimal(-5), reference: new Decimal(0) }, 5, true)).toBe(false);
  });
});

describe('the peak of the equity', () => {
  it('rises with the second reading in a row', () => {
    expect(peakAfter([10_000], [10_100])).toMatchObject({ peak: '10000' });
    expect(peakAfter([10_000], [10_100], [10_100])).toMatchObject({ peak: '10100' });
  });

  it.each<[string, [number, number?][], string]>([
    ['a deposit', [[10_000], [15_000, 5_000]], '15000'],
    ['a deposit that is in the equity before it is in the event log', [[10_000], [15_000], [15_000, 5_000]], '15000'],
    ['a withdrawal', [[10_000], [6_000, -4_000]], '6000'],
    ['a withdrawal that is in the equity before it is in the event log', [[10_000], [6_000], [6_000, -4_000]], '6000'],
    ['a deposit after a loss', [[10_000], [9_000], [14_000, 5_000]], '15000'],
  ])('moves with %s, which is neither a profit nor a loss', (_case, readings, peak) => {
    expect(peakAfter(...readings)).toMatchObject({ peak });
  });

  it('begins again with another account', () => {
    const before = peakAfter([10_000]);
    expect(peakStep(before, { account: '2 s', equity: 500, operations: 0, seq: 9 })).toMatchObject({ peak: '500' });
  });

  it('shows no loss for any sequence of deposits and withdrawals without trades', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1_000, max: 1_000 }), { maxLength: 50 }), (operations) => {
        let equity = new Decimal(100_000);
        let memory = peakStep(null, { account: 'a', equity, operations: 0, seq: 0 });
        operations.forEach((amount, index) => {
          equity = equity.plus(amount);
          memory = peakStep(memory, { account: 'a', equity, operations: amount, seq: index + 1 });
          expect(percentOf({ equity, reference: new Decimal(memory.peak) })?.toString()).toBe('0');
        });
      }),
    );
  });
});

import { isProfitOff, type ProfitLook } from './floating-profit';

const look = (profit: number, ...positions: readonly number[]): ProfitLook => ({
  account: { profit },
  positions: positions.map((one, at) => ({ identifier: at + 1, profit: one, swap: -0.5 })),
});

describe('the floating profits of an account and of its positions', () => {
  it('agree within the cents that each position is rounded by, with or without swap', () => {
    expect(isProfitOff(look(-3.02, -1, -2), look(-3.02, -1, -2))).toBe(false);
    expect(isProfitOff(look(-4, -1, -2), look(-4, -1, -2))).toBe(false);
    // Two cents for each position, and for the sum of the account.
    expect(isProfitOff(look(-3.06, -1, -2), look(-3.06, -1, -2))).toBe(false);
    expect(isProfitOff(look(-3.07, -1, -2), look(-3.07, -1, -2))).toBe(true);
  });

  it('agree within two of the last digit of the currency for each position, where that is no cent', () => {
    const isOff = (profit: number, currency_digits: number): boolean => {
      const { positions } = look(0, -1, -2);
      const now = { account: { profit, currency_digits }, positions };
      return isProfitOff(now, now);
    };
    expect([-3.006, -3.007].map((dinars) => isOff(dinars, 3))).toEqual([false, true]);
    expect([-10, -11].map((yen) => isOff(yen, 0))).toEqual([false, true]);
  });

  it('may differ by what prices moved since the look before', () => {
    expect(isProfitOff(look(-5, -1, -2), look(-3, -1, -2))).toBe(false);
    expect(isProfitOff(look(-5, -1, -2), null)).toBe(false);
  });

  it('differ if a position is missing, or shows another profit, for longer than one look', () => {
    expect(isProfitOff(look(-8, -1, -2), look(-8, -1, -2))).toBe(true);
    expect(isProfitOff(look(-3, -1, -9_999), look(-3, -1, -9_999))).toBe(true);
  });

  it('cannot be compared without a position', () => {
    expect(isProfitOff(look(-8), look(-8))).toBe(false);
  });
});

import { lots, money, resultClass } from './figures';

describe('money on the page', () => {
  it.each([
    [10_000, 2, '10,000.00'],
    [-1_234_567.891, 2, '-1,234,567.89'],
    [999.995, 2, '1,000.00'],
    [-0.001, 2, '0.00'],
    [1_234_567, 0, '1,234,567'],
    [1_234.56789, 5, '1,234.56789'],
  ])('%d with %d digits is %s', (amount, digits, text) => {
    expect(money(amount, digits)).toBe(text);
  });
});

describe('lots on the page', () => {
  it('have the decimals of the step, and never fewer than they need', () => {
    expect(lots(0.2, 2)).toBe('0.20');
    expect(lots(1, 2)).toBe('1.00');
    expect(lots(0.125, 2)).toBe('0.125');
    expect(lots(3, 0)).toBe('3');
    expect(lots(0.1 + 0.2, undefined)).toBe('0.3');
  });
});

describe('the class of a result', () => {
  it('is none for what is not known, and for what is shown as nothing', () => {
    expect([-1, -0.004, 0, 0.004, 0.01, null, undefined, '5'].map(resultClass)).toEqual([
      ...['loss', '', '', '', 'gain', '', '', ''],
    ]);
  });
});

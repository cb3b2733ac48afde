import { areSumsOdd, contradictingSums, lackingMargin, type ShownSums } from './account-sums';

/** An account with a floating loss of 100, as a terminal shows it. */
const sums: ShownSums = {
  ...{ balance: 1_000, credit: 50, profit: -100, equity: 950, margin: 200, margin_free: 750, margin_level: 475 },
  ...{ margin_mode: 2, currency_digits: 2, commission_blocked: 0, assets: 0, liabilities: 0 },
};
const position = { swap: -3 };
const found = (changes: Partial<ShownSums>, positions = [position]): string[] =>
  contradictingSums({ ...sums, ...changes }, positions).map(({ message }) => message);

describe('the sums of an account', () => {
  it.each<[string, Partial<ShownSums>]>([
    ['an equity of balance, credit and floating profit', {}],
    ['two cents of rounding for each position, and for the account', { equity: 950.04, margin_free: 750.04 }],
    ['a profit without swap', { equity: 947, margin_free: 747, margin_level: 473.5 }],
    ['a commission that is blocked', { commission_blocked: 9, equity: 941, margin_free: 741, margin_level: 470.5 }],
    [
      'assets and liabilities of an exchange',
      { margin_mode: 1, assets: 30, liabilities: 10, equity: 970, margin_level: 485 },
    ],
    ['a free margin without the floating profit', { margin_free: 850 }],
    ['a free margin without a floating gain', { profit: 100, equity: 1_150, margin_free: 850, margin_level: 575 }],
    ['a free margin without a commission that is blocked', { commission_blocked: 9, margin_free: 741 }],
    ['a margin level of a rounded margin', { margin_level: 476 }],
    ['no margin level without a margin', { margin: 0, margin_free: 950, margin_level: 0 }],
    ['two fils of rounding for each position, and for the account', { currency_digits: 3, equity: 950.004 }],
    ['yen without decimals', { currency_digits: 0, equity: 954 }],
  ])('may be those with %s', (_case, changes) => {
    expect(found(changes)).toEqual([]);
  });

  it.each<[string, Partial<ShownSums>, string]>([
    [
      'equity',
      { equity: 0 },
      'the account has an equity of 0.00; its balance, credit and floating profit sum up to 950.00',
    ],
    ['equity', { equity: 950.05 }, 'the account has an equity of 950.05; '],
    ['credit', { credit: 0 }, 'the account has an equity of 950.00; '],
    ['free margin', { margin_free: 0 }, 'the account has a free margin of 0.00; its equity less its margin is 750.00'],
    [
      'margin level',
      { margin_level: 0 },
      'the account has a margin level of 0.00 %; its equity and margin make 475.00 %',
    ],
    ['margin', { margin: -1 }, 'the account has a margin of -1.00'],
    [
      'equity of dinars',
      { currency_digits: 3, equity: 950.005 },
      'the account has an equity of 950.005; its balance, credit and floating profit sum up to 950.000',
    ],
    ['equity of yen', { currency_digits: 0, equity: 955 }, 'the account has an equity of 955; '],
  ])('contradict each other by a wrong %s', (_case, changes, message) => {
    expect(found(changes)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
  });

  it('agree on an account without money', () => {
    const nothing = { balance: 0, credit: 0, profit: 0, equity: 0, margin: 0, margin_free: 0, margin_level: 0 };
    expect(found(nothing, [])).toEqual([]);
  });

  it('have no margin level to compare with a negative margin', () => {
    expect(found({ margin: -1, margin_free: 951 })).toEqual(['the account has a margin of -1.00']);
  });

  it.each(['equity', 'credit', 'margin_free', 'margin_level'] as const)('are compared without the %s', (member) => {
    const { [member]: _, ...shown } = sums;
    expect(contradictingSums(shown, [position])).toEqual([]);
  });

  it('deserve a closer look by a margin or a profit alone', () => {
    const odd = (changes: Partial<ShownSums>, hasPositions: boolean) =>
      areSumsOdd({ ...sums, ...changes }, hasPositions);
    const noProfit = { profit: 0, equity: 1_050, margin_free: 850, margin_level: 525 };
    const noMargin = { margin: 0, margin_free: 950, margin_level: 0 };
    expect([odd(noProfit, true), odd(noMargin, true)]).toEqual([true, true]);
    expect([odd(noProfit, false), odd(noMargin, false)]).toEqual([true, true]);
  });

  it('deserve a closer look without margin or profit beside a position, and with one of them without any', () => {
    const flat = { profit: 0, equity: 1_050, margin: 0, margin_free: 1_050, margin_level: 0 };
    expect([areSumsOdd(sums, true), areSumsOdd({ ...sums, ...flat }, false)]).toEqual([false, false]);
    expect([areSumsOdd(sums, false), areSumsOdd({ ...sums, ...flat }, true)]).toEqual([true, true]);
    expect(areSumsOdd({ ...sums, equity: 0 }, true)).toBe(true);
  });

  it('lack a margin that a position needs', () => {
    const none = { ...sums, margin: 0 };
    expect(lackingMargin(none, 25).map(({ message }) => message)).toEqual([
      'the account has a margin of 0.00; an open position alone needs 25.00',
    ]);
    expect([lackingMargin(none, 0), lackingMargin(none, 0.02), lackingMargin(sums, 25)]).toEqual([[], [], []]);
  });
});

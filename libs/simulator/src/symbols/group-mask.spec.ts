import { groupMask } from './group-mask';

const names = ['EURUSD', 'EURGBP', 'GBPUSD', 'USDJPY', 'US500.cash', 'a*b'];
const selected = (mask: string) => names.filter(groupMask(mask));

describe('a group mask', () => {
  it.each([
    ['EURUSD', ['EURUSD']],
    ['EUR', []],
    ['EUR*', ['EURUSD', 'EURGBP']],
    ['*USD', ['EURUSD', 'GBPUSD']],
    ['*USD*', ['EURUSD', 'GBPUSD', 'USDJPY']],
    ['E*U*D', ['EURUSD']],
    ['*US*.c*h', ['US500.cash']],
    ['US500?cash', []],
    ['*', names],
    ['**', names],
    ['*EUR*, !*GBP*', ['EURUSD']],
    ['!*USD*', ['EURGBP', 'US500.cash', 'a*b']],
    // A part may not count twice, at the start and at the end.
    ['EURUSD*USD', []],
    ['*USD*USD', []],
    ['', []],
    [',,', []],
  ])('%j selects %j', (mask, expected) => {
    expect(selected(mask)).toEqual(expected);
  });

  it('of many wildcards is decided at once', () => {
    expect(selected(`${'*'.repeat(120)}A`)).toEqual([]);
    expect(['A'.repeat(64)].filter(groupMask(`${'*A'.repeat(63)}*B`))).toEqual([]);
  });
});

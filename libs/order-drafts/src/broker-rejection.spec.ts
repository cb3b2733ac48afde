import { Retcode } from '@libs/terminal-client';
import { brokerRejection } from './broker-rejection';

describe('the message for a rejected order', () => {
  it('states the sums of a check that found too little money', () => {
    expect(brokerRejection(Retcode.NO_MONEY, null, { margin: 99_009, equity: 9_100.5 })).toBe(
      'the broker rejected the request: NO_MONEY: with it the margin would be 99009, of an equity of 9100.5',
    );
  });

  it.each([
    ['without a check', null],
    ['with a check that states no sums', { margin: 0, equity: 0 }],
  ])('is the name alone %s', (_what, check) => {
    expect(brokerRejection(Retcode.NO_MONEY, null, check)).toBe('the broker rejected the request: NO_MONEY');
  });

  it('states no sums for another reason', () => {
    const check = { margin: 1_100, equity: 10_000 };
    expect(brokerRejection(Retcode.MARKET_CLOSED, null, check)).toBe('the broker rejected the request: MARKET_CLOSED');
  });
});

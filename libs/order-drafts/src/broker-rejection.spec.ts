import { OrderType, Retcode } from '@libs/terminal-client';
import { brokerRejection } from './broker-rejection';
import { symbolTradable } from './trading-obstacle';

function symbol(trade_mode: number) {
  return { name: 'EURUSD', trade_mode };
}

describe('the message for a rejected order', () => {
  it('states the sums of a check that found too little money', () => {
    expect(brokerRejection(Retcode.NO_MONEY, null, { margin: 99_009, equity: 9_100.5 })).toBe(
      'the broker rejected the request: NO_MONEY: with it the margin would be 99009.00, of an equity of 9100.50',
    );
    const yen = brokerRejection(Retcode.NO_MONEY, null, { margin: 99_009, equity: 9_100 }, { currencyDigits: 0 });
    expect(yen).toMatch(/would be 99009, of an equity of 9100$/);
  });

  it.each([
    ['without a check', null],
    ['with a check that states no sums', { margin: 0, equity: 0 }],
  ])('is the name alone %s', (_what, check) => {
    expect(brokerRejection(Retcode.NO_MONEY, null, check)).toBe('the broker rejected the request: NO_MONEY');
  });

  it('states no sums for another reason', () => {
    const check = { margin: 1_100, equity: 10_000 };
    expect(brokerRejection(Retcode.REJECT, null, check)).toBe('the broker rejected the request: REJECT');
  });

  it.each([
    [Retcode.CLIENT_DISABLES_AT, {}, /^the terminal rejected .*"Algo Trading".*TERMINAL_ENABLE_ALGO_TRADING/],
    [Retcode.SERVER_DISABLES_AT, {}, /server forbids programs/],
    [Retcode.TRADE_DISABLED, { obstacle: 'account_read_only' }, /investor password \(check TERMINAL_PASSWORD\)/],
    [Retcode.TRADE_DISABLED, { info: symbol(0) }, /disabled trading of EURUSD$/],
    [Retcode.TRADE_DISABLED, { info: symbol(4) }, /disabled trading for the account/],
    [Retcode.TRADE_DISABLED, {}, /of the account .*, or of the symbol/],
    [Retcode.CLOSE_ONLY, { info: symbol(3) }, /EURUSD is close-only/],
    [Retcode.LONG_ONLY, { info: symbol(1) }, /EURUSD is long-only/],
    [Retcode.SHORT_ONLY, { info: symbol(2) }, /EURUSD is short-only/],
    [
      Retcode.MARKET_CLOSED,
      { info: symbol(4) },
      /market of EURUSD is closed; the terminal does not state when it opens/,
    ],
    [Retcode.INVALID_FILL, { fillings: ['FOK', 'IOC'] }, /type_filling must be one of FOK, IOC/],
    [Retcode.REQUOTE, {}, /the price moved/],
    [Retcode.TOO_MANY_REQUESTS, {}, /limits the rate/],
  ] as const)('explains %d with what is known of the request: %j', (retcode, request, text) => {
    expect(brokerRejection(retcode, null, null, request)).toMatch(text);
  });

  it('names the option of the terminal that closes it to programs', () => {
    expect(brokerRejection(null, { code: -8, message: 'AutoTrading disabled' })).toMatch(/^the terminal rejects every/);
  });

  it('refuses entries of a symbol that is not traded in their direction, and leaves netting to the broker', () => {
    const refused = (type: number, mode: number, isHedging: boolean) =>
      symbolTradable({ type }, symbol(mode), isHedging)?.message ?? null;
    expect(refused(OrderType.BUY, 0, false)).toBe('the broker has disabled trading of EURUSD');
    expect(refused(OrderType.SELL, 1, true)).toMatch(/long-only/);
    expect(refused(OrderType.BUY_LIMIT, 2, true)).toMatch(/short-only/);
    expect(refused(OrderType.BUY, 3, true)).toMatch(/close-only/);
    expect([
      refused(OrderType.BUY, 1, true),
      refused(OrderType.BUY, 4, true),
      refused(OrderType.SELL, 3, false),
    ]).toEqual([null, null, null]);
  });
});

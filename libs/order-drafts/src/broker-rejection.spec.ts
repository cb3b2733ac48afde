import { LastErrorCode, OrderType, Retcode } from '@libs/terminal-client';
import { brokerRejection } from './broker-rejection';
import { accountObstacle, obstacleOf, obstacleRetcode, obstacleText, symbolTradable } from './trading-obstacle';

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

  it.each([
    [Retcode.PRICE_CHANGED, {}, /the price moved/],
    [Retcode.PRICE_OFF, {}, /no price of the symbol now$/],
    [Retcode.INVALID_FILL, {}, /does not accept this type_filling$/],
    [Retcode.INVALID_FILL, { fillings: [] }, /does not accept this type_filling$/],
    [Retcode.FROZEN, {}, /too close to the market to be changed/],
    [Retcode.LIMIT_ORDERS, {}, /number of pending orders/],
    [Retcode.LIMIT_VOLUME, { info: symbol(4) }, /the volume of EURUSD is at/],
    [Retcode.LIMIT_POSITIONS, {}, /number of positions/],
    [Retcode.ONLY_REAL, {}, /on real accounts only/],
    [Retcode.FIFO_CLOSE, {}, /close the oldest one first/],
    [Retcode.HEDGE_PROHIBITED, {}, /forbids opposite positions/],
    [Retcode.REJECT, {}, /^the broker rejected the request: REJECT$/],
  ] as const)('explains %d also with little known of the request: %j', (retcode, request, text) => {
    expect(brokerRejection(retcode, null, null, request)).toMatch(text);
  });

  it('is that of the terminal without a code of the broker', () => {
    const { INVALID_PARAMS } = LastErrorCode;
    expect(brokerRejection(null, { code: INVALID_PARAMS, message: 'Invalid "volume"' })).toBe(
      'the terminal rejected the request: Invalid "volume"',
    );
    expect(brokerRejection(null, { code: -1, message: 'failed' })).toBe('the broker rejected the request: failed');
    expect(brokerRejection(null, null)).toBe('the broker rejected the request: refused');
    expect(brokerRejection(Retcode.REJECT, { code: INVALID_PARAMS, message: 'x' })).toMatch(/^the broker rejected/);
  });
});

describe('what keeps every order of an account from being taken', () => {
  const terminal = { trade_allowed: true, tradeapi_disabled: false };
  const account = { trade_allowed: true, trade_expert: true };

  it('is named by what the terminal states, the account first', () => {
    expect(accountObstacle(terminal, account)).toBeNull();
    expect(accountObstacle({ ...terminal, trade_allowed: false }, account)).toBe('algo_trading_off');
    const closed = { trade_allowed: false, tradeapi_disabled: true };
    expect(accountObstacle(closed, account)).toBe('api_trading_off');
    expect(accountObstacle(closed, { ...account, trade_expert: false })).toBe('programs_forbidden');
    expect(accountObstacle(closed, { trade_allowed: false, trade_expert: false })).toBe('account_read_only');
  });

  it.each([
    ['algo_trading_off', Retcode.CLIENT_DISABLES_AT, /press its button "Algo Trading"/],
    ['api_trading_off', null, /external Python API/],
    ['account_read_only', Retcode.TRADE_DISABLED, /investor password/],
    ['account_disabled', Retcode.TRADE_DISABLED, /for the account: ask the broker/],
    ['programs_forbidden', Retcode.SERVER_DISABLES_AT, /forbids programs/],
    ['symbol_disabled', Retcode.TRADE_DISABLED, /disabled trading of the symbol$/],
    ['symbol_close_only', Retcode.CLOSE_ONLY, /^the symbol is close-only/],
    ['symbol_long_only', Retcode.LONG_ONLY, /^the symbol is long-only/],
    ['symbol_short_only', Retcode.SHORT_ONLY, /^the symbol is short-only/],
  ] as const)('has a return code and a text: %s', (obstacle, retcode, text) => {
    expect(obstacleRetcode(obstacle)).toBe(retcode);
    expect(obstacleText(obstacle)).toMatch(text);
  });

  it('is found behind a rejection, and not behind one of the order', () => {
    const { AUTO_TRADING_DISABLED, INVALID_PARAMS } = LastErrorCode;
    const of = (...[retcode, code]: readonly (number | null)[]) =>
      obstacleOf(retcode ?? null, code == null ? null : { code }, {});
    expect([of(null, AUTO_TRADING_DISABLED), of(null, INVALID_PARAMS), of(null)]).toEqual([
      ...['api_trading_off', null, null],
    ]);
    expect(of(Retcode.REJECT, AUTO_TRADING_DISABLED)).toBeNull();
    const disabled = (request: Parameters<typeof obstacleOf>[2]) => obstacleOf(Retcode.TRADE_DISABLED, null, request);
    expect(disabled({ obstacle: 'algo_trading_off', info: symbol(0) })).toBe('symbol_disabled');
    expect(disabled({ obstacle: 'account_read_only', info: symbol(0) })).toBe('account_read_only');
    expect(disabled({ info: symbol(3) })).toBe('account_disabled');
  });

  it('is refused to the client as a rejection that no repetition changes', () => {
    expect(symbolTradable({ type: OrderType.SELL }, symbol(1), true)).toMatchObject({
      ...{ errorType: 'broker_rejected', details: { retryable: false, reason: 'symbol_long_only', field: 'symbol' } },
    });
    expect(symbolTradable({ type: OrderType.SELL }, symbol(2), true)).toBeNull();
  });
});

import { OrderFilling, OrderType, Retcode, SymbolExecution, TradeAction, tradeRequest } from '@libs/terminal-client';
import { fillingName, permittedFillings, requestableFillings, tryFillings, tryFillingsNow } from './fillings';

describe('the filling of an order', () => {
  it.each([
    ['market execution', OrderType.BUY, SymbolExecution.MARKET, 3, [0, 1]],
    ['market execution that only supports IOC', OrderType.BUY, SymbolExecution.MARKET, 2, [1]],
    ['market execution without flags', OrderType.SELL, SymbolExecution.MARKET, 0, [0, 1]],
    ['exchange execution', OrderType.BUY, SymbolExecution.EXCHANGE, 2, [2, 1]],
    ['instant execution', OrderType.BUY, SymbolExecution.INSTANT, 0, [0, 1, 2]],
    ['a pending order', OrderType.BUY_LIMIT, SymbolExecution.MARKET, 1, [2, 0, 1]],
  ])('on %s', (_case, type, trade_exemode, filling_mode, fillings) => {
    expect(permittedFillings(type, { trade_exemode, filling_mode })).toEqual(fillings);
  });
});

describe('the fillings that may be asked for', () => {
  it.each([
    ['a limit on an exchange', OrderType.SELL_LIMIT, SymbolExecution.EXCHANGE, 4, true],
    ['a stop-limit on an exchange', OrderType.BUY_STOP_LIMIT, SymbolExecution.EXCHANGE, 7, true],
    ['an exchange without the flag', OrderType.SELL_LIMIT, SymbolExecution.EXCHANGE, 3, false],
    ['a stop, which takes', OrderType.BUY_STOP, SymbolExecution.EXCHANGE, 4, false],
    ['an order at market', OrderType.BUY, SymbolExecution.EXCHANGE, 4, false],
    ['another execution', OrderType.BUY_LIMIT, SymbolExecution.MARKET, 7, false],
  ])('include BOC for %s: %j', (_case, type, trade_exemode, filling_mode, has) => {
    const info = { trade_exemode, filling_mode };
    expect(requestableFillings(type, info).includes(OrderFilling.BOC)).toBe(has);
    expect(permittedFillings(type, info)).not.toContain(OrderFilling.BOC);
  });
});

describe('the name of a filling', () => {
  it('is that of the terminal', () => {
    expect(Object.values(OrderFilling).map(fillingName)).toEqual(['FOK', 'IOC', 'RETURN', 'BOC']);
  });
});

describe('drafts with different fillings', () => {
  const drafts = [OrderFilling.FOK, OrderFilling.IOC, OrderFilling.RETURN].map((type_filling) =>
    tradeRequest({ action: TradeAction.DEAL, type_filling }),
  );
  /** The fillings that were tried when the broker answers with these codes in turn, and the last answer. */
  async function tried(...retcodes: readonly number[]) {
    const fillings: number[] = [];
    const answers = [...retcodes];
    const last = await tryFillings(
      drafts,
      async ({ type_filling }) => {
        fillings.push(type_filling);
        return answers.shift();
      },
      (retcode) => retcode,
    );
    return { fillings, last };
  }
  /** The same, answered at once. */
  function triedNow(...retcodes: readonly number[]) {
    const fillings: number[] = [];
    const answers = [...retcodes];
    const attempt = ({ type_filling }: { readonly type_filling: number }) => {
      fillings.push(type_filling);
      return answers.shift();
    };
    return { fillings, last: tryFillingsNow(drafts, attempt, (retcode) => retcode) };
  }

  it.each([
    [[Retcode.DONE], [OrderFilling.FOK]],
    [
      [Retcode.INVALID_FILL, Retcode.DONE],
      [OrderFilling.FOK, OrderFilling.IOC],
    ],
    [[Retcode.NO_MONEY], [OrderFilling.FOK]],
    [[Retcode.ERROR], [OrderFilling.FOK]],
    [
      [Retcode.INVALID_FILL, Retcode.INVALID_FILL, Retcode.INVALID_FILL],
      [OrderFilling.FOK, OrderFilling.IOC, OrderFilling.RETURN],
    ],
  ])('are sent in turn only while the broker answers 10030: %j', async (retcodes, fillings) => {
    expect(await tried(...retcodes)).toEqual({ fillings, last: retcodes.at(-1) });
    expect(triedNow(...retcodes)).toEqual({ fillings, last: retcodes.at(-1) });
  });
});

import { OrderTime, OrderType, SymbolExecution, SymbolTradeMode, type SymbolInfo } from '@libs/terminal-client';
import { limitRefusal, marketRefusal, orderOnMarket, orderWithinLimits } from './pre-trade-checks';
import type { ProposedOrder } from './proposed-order';
import { OrderRefusal } from './refusal';
import { limits, market, order } from './testing/market';

function facts(refusal: OrderRefusal | null): { errorType: string; field: unknown; details: unknown } | null {
  if (!refusal) return null;
  const [first] = [refusal.details].flat() as { field: unknown }[];
  return { errorType: refusal.errorType, field: first?.field, details: first };
}
const judged = (changes: Partial<ProposedOrder>, symbol: Partial<SymbolInfo> = {}) =>
  facts(marketRefusal(order(changes), market(symbol), limits));

const sellStopLimit = { type: OrderType.SELL_STOP_LIMIT, price: 1.09 };

describe('limits of the operator', () => {
  it.each([
    [{ symbols: ['GBPUSD'] }, {}, 'symbol_not_allowed', { limit: ['GBPUSD'], value: 'EURUSD' }],
    [{ symbols: ['EURUSD'] }, {}, null, null],
    [{ maxVolume: 0.3 }, { volume: 0.31 }, 'volume_limit_exceeded', { limit: 0.3 }],
    [{ maxVolume: 0.3 }, { volume: 0.1 + 0.2 }, null, null],
    [{ maxVolume: 0.3 }, { volume: 0.3 }, null, null],
    [{}, { deviation: 1_001 }, 'order_deviation_exceeded', { limit: 1_000, value: 1_001 }],
    [{}, { deviation: 1_000 }, null, null],
  ] as const)('%j on %j: %s', (changes, proposed, errorType, details) => {
    const found = facts(limitRefusal(order(proposed), { ...limits, ...changes }));
    expect(found?.errorType ?? null).toBe(errorType);
    expect(found?.details ?? {}).toMatchObject(details ?? {});
  });
});

describe('checks against the market', () => {
  it.each<[string, Partial<ProposedOrder>]>([
    ['a market order', {}],
    ['with levels at just the stops level', { sl: 1.0999, tp: 1.1001 }],
    ['a sell with levels on their sides', { type: OrderType.SELL, sl: 1.1003, tp: 1.1001 }],
    ['a buy limit at just the stops level', { type: OrderType.BUY_LIMIT, price: 1.1001 }],
    ['a sell stop', { type: OrderType.SELL_STOP, price: 1.0999 }],
    ['a buy stop-limit', { type: OrderType.BUY_STOP_LIMIT, price: 1.11, stoplimit: 1.11 }],
    ['a sell stop-limit', { type: OrderType.SELL_STOP_LIMIT, price: 1.09, stoplimit: 1.09 }],
    ['a sell stop-limit with its limit above its trigger', { ...sellStopLimit, stoplimit: 1.095 }],
    // What lacks a price, or has one too many, is refused before the market is asked.
    ['a pending order whose price is not known', { type: OrderType.BUY_LIMIT }],
    ['a stop-limit whose limit is not known', sellStopLimit],
    ['a limit that names a limit price of its own', { type: OrderType.BUY_LIMIT, price: 1.09, stoplimit: 1.1 }],
    ['a market order that names a price', { price: 1.101 }],
    ['the largest volume', { volume: 50 }],
    ['the smallest volume', { volume: 0.01 }],
    ['with a filling of the symbol', { filling: 1 }],
    ['a pending order until tomorrow', { type: OrderType.BUY_LIMIT, price: 1.09, expirationMs: Date.UTC(2026, 0, 6) }],
  ])('allow %s', (_case, changes) => {
    expect(judged(changes)).toBeNull();
  });

  it.each<[string, Partial<ProposedOrder>, string, string?]>([
    ['below the minimum volume', { volume: 0.001 }, 'volume'],
    ['above the maximum volume', { volume: 50.01 }, 'volume'],
    ['off the volume grid', { volume: 0.015 }, 'volume'],
    ['far from the market', { price: 1.5 }, 'price', 'price_deviation_exceeded'],
    [
      'with a stop-limit price far from the market',
      { ...stopLimit(), stoplimit: 0.5 },
      'stoplimit',
      'price_deviation_exceeded',
    ],
    ['a buy limit above the ask', { type: OrderType.BUY_LIMIT, price: 1.1003 }, 'price'],
    ['a buy limit inside the stops level', { type: OrderType.BUY_LIMIT, price: 1.10015 }, 'price'],
    ['a sell limit below the bid', { type: OrderType.SELL_LIMIT, price: 1.0999 }, 'price'],
    ['a buy stop below the ask', { type: OrderType.BUY_STOP, price: 1.1 }, 'price'],
    ['a sell stop above the bid', { type: OrderType.SELL_STOP, price: 1.1001 }, 'price'],
    ['a buy stop-limit whose limit is above its trigger', { ...stopLimit(), stoplimit: 1.1101 }, 'stoplimit'],
    ['a sell stop-limit whose limit is below its trigger', { ...sellStopLimit, stoplimit: 1.0899 }, 'stoplimit'],
    ['a buy with sl at the bid', { sl: 1.1 }, 'sl'],
    ['a buy with sl inside the stops level', { sl: 1.09995 }, 'sl'],
    ['a buy with tp below the bid', { tp: 1.0999 }, 'tp'],
    ['a sell with sl below the ask', { type: OrderType.SELL, sl: 1.1 }, 'sl'],
    ['a sell with tp above the ask', { type: OrderType.SELL, tp: 1.101 }, 'tp'],
    ['a buy limit with sl above its own price', { type: OrderType.BUY_LIMIT, price: 1.09, sl: 1.095 }, 'sl'],
    ['a stop-limit with tp between limit and trigger', { ...stopLimit(), stoplimit: 1.109, tp: 1.108 }, 'tp'],
    ['with RETURN on market execution', { filling: 2 }, 'type_filling'],
    ['that expires now', { type: OrderType.BUY_LIMIT, price: 1.09, expirationMs: Date.UTC(2026, 0, 5) }, 'expiration'],
  ])('refuse an order %s', (_case, changes, field, errorType = 'validation_error') => {
    expect(judged(changes)).toMatchObject({
      field,
      errorType,
      details: { limit: expect.anything(), value: expect.anything() },
    });
  });

  it('refuse a volume of the grid that is below the minimum', () => {
    expect(judged({ volume: 0.04 }, { volume_min: 0.05 })).toMatchObject({ field: 'volume' });
    expect(judged({ volume: 0.05 }, { volume_min: 0.05 })).toBeNull();
  });

  it('demand a distance of a level even if the symbol names none', () => {
    expect(judged({ sl: 1.1 }, { trade_stops_level: 0 })).toMatchObject({ field: 'sl' });
    expect(judged({ sl: 1.09999 }, { trade_stops_level: 0 })).toBeNull();
    expect(judged({ type: OrderType.BUY_LIMIT, price: 1.1002 }, { trade_stops_level: 0 })).toMatchObject({
      field: 'price',
    });
  });

  it('refuse an expiration if the symbol supports none', () => {
    const until = { type: OrderType.BUY_LIMIT, price: 1.09, expirationMs: Date.UTC(2026, 0, 6) };
    expect(judged(until, { expiration_mode: 3 })).toMatchObject({ field: 'expiration' });
  });

  it('go by what an order says of the day on which it ends, and by what its symbol supports', () => {
    const pending = { type: OrderType.BUY_LIMIT, price: 1.09 } as const;
    const today = { ...pending, expirationMs: Date.UTC(2026, 0, 5), timeType: OrderTime.SPECIFIED_DAY };
    expect(judged({ ...pending, timeType: OrderTime.DAY }, { expiration_mode: 2 })).toBeNull();
    expect(judged({ ...pending, timeType: OrderTime.DAY }, { expiration_mode: 13 })).toMatchObject({
      field: 'type_time',
    });
    expect(judged(today, { expiration_mode: 8 })).toBeNull();
    expect(judged(today, { expiration_mode: 7 })).toMatchObject({ field: 'expiration' });
    expect(judged({ ...today, expirationMs: Date.UTC(2026, 0, 4) }, { expiration_mode: 8 })).toMatchObject({
      field: 'expiration',
    });
  });

  it('allow a limit price through the market on an exchange, where it is filled at once', () => {
    const through = { type: OrderType.BUY_LIMIT, price: 1.12 } as const;
    expect(judged(through, { trade_exemode: SymbolExecution.EXCHANGE })).toBeNull();
  });

  it.each<[Partial<ProposedOrder>, Partial<SymbolInfo>, string]>([
    [{ volume: 0.015 }, {}, 'volume: must be 0.01 to 50 in steps of 0.01; nearest: 0.01 or 0.02 (it is 0.015)'],
    [
      { volume: 0.1 + 0.2 + 0.005 },
      {},
      'volume: must be 0.01 to 50 in steps of 0.01; nearest: 0.3 or 0.31 (it is 0.305)',
    ],
    [{ volume: 1e-12 }, {}, 'volume: must be 0.01 to 50 in steps of 0.01; nearest: 0.01 (it is 0.000000000001)'],
    [
      { type: OrderType.BUY_LIMIT, price: 1.1e21 },
      {},
      "price 1100000000000000000000 deviates by 99981821487002363207000 percent from the market's 1.10020, above MAX_PRICE_DEVIATION_PCT 20",
    ],
    [{ filling: 2 }, {}, 'type_filling: must be one of FOK, IOC here (it is RETURN)'],
    [{ sl: 1.11 }, {}, 'sl: must be below 1.10000 by at least 10 points (it is 1.11000)'],
    [{ sl: 1.11 }, { trade_stops_level: 0 }, 'sl: must be below 1.10000 (it is 1.11000)'],
  ])('state the compared numbers: %j, %j', (changes, symbol, message) => {
    expect(marketRefusal(order(changes), market(symbol), limits)?.message).toBe(message);
  });

  it('name the volumes nearest to one that is off the grid', () => {
    expect(judged({ volume: 0.015 })).toMatchObject({ details: { limit: { nearest: [0.01, 0.02] } } });
  });

  function stopLimit(): Partial<ProposedOrder> {
    return { type: OrderType.BUY_STOP_LIMIT, price: 1.11 };
  }
});

describe('the order of a request', () => {
  const fields = { ...{ symbol: 'EURUSD', volume: 0.1, price: null, stoplimit: null }, expirationMs: null } as const;
  const errorOf = (found: ProposedOrder | OrderRefusal): string | null =>
    found instanceof OrderRefusal ? found.message : null;

  it('is refused by its fields, then by the limits that need no market', () => {
    const beyond = { ...fields, volume: limits.maxVolume + 1 };
    expect(errorOf(orderWithinLimits({ ...beyond, type: 'BUY_LIMIT' }, limits))).toContain('price: is required');
    expect(errorOf(orderWithinLimits({ ...beyond, type: 'BUY' }, limits))).toContain('MAX_ORDER_VOLUME');
    expect(orderWithinLimits({ ...fields, type: 'BUY' }, limits)).toMatchObject({ type: OrderType.BUY, volume: 0.1 });
  });

  it('is put on the grids of its symbol', () => {
    const proposed = order({ volume: 0.1 + 0.2, sl: 1.090004 });
    expect(orderOnMarket(proposed, market({}), limits, true)).toMatchObject({ volume: 0.3, sl: 1.09 });
  });

  it('is refused by the trade mode of its symbol, then by its market', () => {
    const sell = order({ type: OrderType.SELL, sl: 0.5 });
    const longOnly = market({ trade_mode: SymbolTradeMode.LONGONLY });
    expect(errorOf(orderOnMarket(sell, longOnly, limits, true))).toContain('is long-only at the broker');
    const wrongSide = errorOf(orderOnMarket(sell, longOnly, limits, false));
    expect(wrongSide).toContain('sl');
    expect(errorOf(orderOnMarket(sell, market({}), limits, true))).toBe(wrongSide);
    const disabled = market({ trade_mode: SymbolTradeMode.DISABLED });
    expect(errorOf(orderOnMarket(sell, disabled, limits, false))).toContain('has disabled trading');
  });
});

import { Decimal } from 'decimal.js';
import { readSettings } from '@libs/settings';
import { DealType, type TradeDeal, type TradePosition } from '@libs/terminal-client';
import { defaultDeviation } from './deviation-limit';
import type { EntryLimits, Exposure } from './entry';
import { addVolume, dayReadUntilS, dayStartS, lossOfDay, openVolumes, resultsOfDay } from './exposure';
import { totalVolume } from './entry-limits';
import { boundsVolume, operatorLimits, orderLimitSettings } from './order-limits.config';
import { entryRefusal } from './pre-trade-checks';
import { limits } from './testing/market';

const unset: EntryLimits = {
  ...{ maxOrdersPerMinute: null, maxOpenVolume: null, maxOpenVolumePerSymbol: null, maxDailyLoss: null },
};
const exposure: Exposure = {
  ...{ ordersLastMinute: 3, nextOrderInMs: 12_001, dailyLoss: 40 },
  openVolume: new Map([
    ['EURUSD', 0.2],
    ['GBPUSD', 0.5],
  ]),
};
const entry = { symbol: 'EURUSD', addedVolume: 0.1 };
const refusal = (changes: Partial<EntryLimits>, figures: Partial<Exposure> = {}) =>
  entryRefusal(entry, { ...exposure, ...figures }, { ...unset, ...changes });

describe('an entry limit', () => {
  it('that is not set refuses nothing, whatever is known', () => {
    expect(refusal({})).toBeNull();
    expect(refusal({}, { openVolume: null, dailyLoss: null, ordersLastMinute: 900 })).toBeNull();
  });

  it('on the rate refuses at the number of the last minute, with whole seconds to wait', () => {
    expect(refusal({ maxOrdersPerMinute: 4 })).toBeNull();
    expect(refusal({ maxOrdersPerMinute: 3 })).toEqual({
      ...{ errorType: 'order_rate_exceeded', retryAfterSeconds: 13 },
      message: '3 entries were sent in the last minute; MAX_ORDERS_PER_MINUTE is 3',
      details: { limit: 3, value: 3, setting: 'MAX_ORDERS_PER_MINUTE' },
    });
    expect(refusal({ maxOrdersPerMinute: 3 }, { nextOrderInMs: 0 })?.retryAfterSeconds).toBe(1);
  });

  it('on the open lots counts those of all symbols, with the order, exactly', () => {
    expect(refusal({ maxOpenVolume: 0.8 })).toBeNull();
    expect(refusal({ maxOpenVolume: 0.79 })).toMatchObject({
      ...{ errorType: 'open_volume_exceeded', retryAfterSeconds: null },
      message: '0.7 lots are open; with 0.1 more they exceed MAX_OPEN_VOLUME 0.79',
      details: { limit: 0.79, value: 0.7, requested: 0.1, setting: 'MAX_OPEN_VOLUME' },
    });
    expect(refusal({ maxOpenVolume: 9 }, { openVolume: null })).toMatchObject({
      ...{ details: { value: null }, message: expect.stringMatching(/^an unknown number of lots are open/) },
    });
    expect(totalVolume(new Map())).toBe(0);
  });

  it('on the open lots of a symbol counts those of the symbol of the order', () => {
    expect(refusal({ maxOpenVolumePerSymbol: 0.3 })).toBeNull();
    expect(refusal({ maxOpenVolumePerSymbol: 0.29 })).toMatchObject({
      message: '0.2 lots of EURUSD are open; with 0.1 more they exceed MAX_OPEN_VOLUME_PER_SYMBOL 0.29',
      details: { limit: 0.29, value: 0.2, requested: 0.1, setting: 'MAX_OPEN_VOLUME_PER_SYMBOL', symbol: 'EURUSD' },
    });
    expect(refusal({ maxOpenVolumePerSymbol: 0.1 }, { openVolume: new Map() })).toBeNull();
    expect(refusal({ maxOpenVolumePerSymbol: 0.09 }, { openVolume: new Map() })).toMatchObject({
      details: { value: 0 },
    });
    expect(refusal({ maxOpenVolumePerSymbol: 9 }, { openVolume: null })).toMatchObject({
      message: expect.stringMatching(/^an unknown number of lots of EURUSD are open/),
    });
  });

  it('on the loss of the day refuses at the loss, and while that is unknown', () => {
    expect(refusal({ maxDailyLoss: 40.01 })).toBeNull();
    expect(refusal({ maxDailyLoss: 40 })).toMatchObject({
      errorType: 'daily_loss_exceeded',
      message: "the loss of the broker's day is 40.00; MAX_DAILY_LOSS is 40",
      details: { limit: 40, value: 40, setting: 'MAX_DAILY_LOSS' },
    });
    expect(refusal({ maxDailyLoss: 40 }, { currencyDigits: 0 })?.message).toMatch(/day is 40; /);
    expect(refusal({ maxDailyLoss: 9_000 }, { dailyLoss: null })).toMatchObject({
      ...{ details: { value: null }, message: expect.stringMatching(/is unknown/) },
    });
  });

  it('is the first that is exceeded: rate, symbol, all symbols, loss', () => {
    const all = { maxOrdersPerMinute: 1, maxOpenVolumePerSymbol: 0.1, maxOpenVolume: 0.1, maxDailyLoss: 1 };
    const settings = [{}, { maxOrdersPerMinute: null }, { maxOrdersPerMinute: null, maxOpenVolumePerSymbol: null }].map(
      (changes) => refusal({ ...all, ...changes })?.details,
    );
    expect(settings).toMatchObject([
      { setting: 'MAX_ORDERS_PER_MINUTE' },
      { setting: 'MAX_OPEN_VOLUME_PER_SYMBOL' },
      { setting: 'MAX_OPEN_VOLUME' },
    ]);
  });
});

describe('the figures that entry limits are compared with', () => {
  it('count lots of positions and pending orders by symbol, exactly', () => {
    const volumes = openVolumes(
      [
        { symbol: 'EURUSD', volume: 0.1 },
        { symbol: 'GBPUSD', volume: 1 },
      ],
      [{ symbol: 'EURUSD', volume_current: 0.2 }],
    );
    addVolume(volumes, 'USDJPY', new Decimal(3));
    expect([...volumes].map(([symbol, lots]) => [symbol, lots.toNumber()])).toEqual([
      ['EURUSD', 0.3],
      ['GBPUSD', 1],
      ['USDJPY', 3],
    ]);
  });

  it('are of the day of the server, read a day beyond its end', () => {
    const start = Date.UTC(2026, 0, 5) / 1_000;
    expect([start, start + 1, start + 86_399, start + 86_400].map(dayStartS)).toEqual([
      ...[start, start, start, start + 86_400],
    ]);
    expect(dayReadUntilS(start)).toBe(start + 2 * 86_400);
  });

  const deal = { time: 500, type: DealType.SELL, profit: -3, commission: -0.1, swap: -0.2, fee: -0.3 } as TradeDeal;
  const position = { profit: 1, swap: -0.5 } as TradePosition;

  it('take deals of trades since the start of the day as results, and what the broker charges', () => {
    const of = (type: number, time = 500): boolean => resultsOfDay([{ ...deal, type, time }], 500).length === 1;
    const { BUY, SELL, COMMISSION, CHARGE, BALANCE, CREDIT, CORRECTION, BONUS } = DealType;
    expect([BUY, SELL, COMMISSION, CHARGE].map((type) => of(type))).toEqual([true, true, true, true]);
    expect([BALANCE, CREDIT, CORRECTION, BONUS].map((type) => of(type))).toEqual([false, false, false, false]);
    expect([of(BUY, 499), of(BUY, 501)]).toEqual([false, true]);
  });

  it('sum results and floating profits up to a loss; a profit is negative, and nothing is 0', () => {
    expect(lossOfDay([deal], [position])).toBe(3.1);
    expect(lossOfDay([deal], [{ ...position, profit: 10 }])).toBe(-5.9);
    expect(Object.is(lossOfDay([], []), 0)).toBe(true);
    expect(lossOfDay([], [{ ...position, profit: Number.NaN }])).toBeNull();
  });
});

describe('the limits of the settings', () => {
  const set = {
    ...{ SYMBOL_WHITELIST: ['EURUSD'], MAX_ORDER_VOLUME: 1, MAX_PRICE_DEVIATION_PCT: 2, MAX_ORDER_DEVIATION: 3 },
    ...{ MAX_ORDERS_PER_MINUTE: undefined, MAX_OPEN_VOLUME: undefined, MAX_OPEN_VOLUME_PER_SYMBOL: undefined },
    MAX_DAILY_LOSS: undefined,
  };

  it('are those of each order, and none of entries if no such setting is set', () => {
    expect(operatorLimits(set)).toEqual({
      orders: { symbols: ['EURUSD'], maxVolume: 1, maxPriceDeviationPct: 2, maxDeviationPoints: 3 },
      entries: null,
    });
  });

  it.each([
    ['MAX_ORDERS_PER_MINUTE', 'maxOrdersPerMinute', false],
    ['MAX_OPEN_VOLUME', 'maxOpenVolume', true],
    ['MAX_OPEN_VOLUME_PER_SYMBOL', 'maxOpenVolumePerSymbol', true],
    ['MAX_DAILY_LOSS', 'maxDailyLoss', false],
  ] as const)('are those of entries if one is set: %s', (setting, limit, bounds) => {
    const { entries } = operatorLimits({ ...set, [setting]: 7 });
    expect(entries).toEqual({ ...unset, [limit]: 7 });
    expect(boundsVolume({ ...unset, [limit]: 7 })).toBe(bounds);
  });

  it('bound the default deviation', () => {
    expect(defaultDeviation(limits)).toBe(20);
    expect(defaultDeviation({ maxDeviationPoints: 5 })).toBe(5);
  });
});

describe('the settings of the limits', () => {
  const read = (name: string, value: string) => readSettings(orderLimitSettings, { [name]: value });

  it('bound an order, and no entries, by default', () => {
    const orders = { symbols: [], maxVolume: 100, maxPriceDeviationPct: 20, maxDeviationPoints: 1_000 };
    expect(operatorLimits(readSettings(orderLimitSettings, {}))).toEqual({ orders, entries: null });
  });

  it.each([
    ['MAX_ORDER_VOLUME', '0', '-0.01'],
    ['MAX_PRICE_DEVIATION_PCT', '0', '-1'],
    ['MAX_ORDER_DEVIATION', '0', '-1'],
    ['MAX_ORDERS_PER_MINUTE', '1', '0'],
    ['MAX_OPEN_VOLUME', '0', '-0.01'],
    ['MAX_OPEN_VOLUME_PER_SYMBOL', '0', '-0.01'],
    ['MAX_DAILY_LOSS', '0.01', '0'],
  ])('take %s from %s, and refuse %s', (name, least, below) => {
    expect(read(name, least)).toMatchObject({ [name]: Number(least) });
    expect(() => read(name, below)).toThrow(name);
  });
});

import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { ApiError } from '@libs/envelope';
import { catalogue } from '@libs/simulator';
import {
  OrderType,
  SymbolExecution,
  type SymbolInfo,
  type Tick,
  isOnVolumeGrid,
  nearestVolumes,
  snapPrice,
  subtractVolume,
} from '@libs/terminal-client';
import { permittedFillings } from './fillings';
import { requireFitForMarket, requireWithinLimits } from './pre-trade-checks';
import type { Market, OrderLimits, ProposedOrder } from './proposed-order';

const limits: OrderLimits = { symbols: [], maxVolume: 100, maxPriceDeviationPct: 20, maxDeviationPoints: 1_000 };
const info = {
  ...{ name: 'EURUSD', digits: 5, point: 0.00001, trade_tick_size: 0.00001, trade_stops_level: 10 },
  ...{ volume_min: 0.01, volume_max: 50, volume_step: 0.01, trade_exemode: 2, filling_mode: 3, expiration_mode: 15 },
};
const tick = { bid: 1.1, ask: 1.1002, time_msc: 0 };
/** Only the fields that checks look at are there. */
const market = (changes: Partial<SymbolInfo> = {}): Market => ({
  info: { ...info, ...changes } as SymbolInfo,
  tick: tick as Tick,
  nowMs: Date.UTC(2026, 0, 5),
});

const order = (changes: Partial<ProposedOrder> = {}): ProposedOrder => ({
  symbol: 'EURUSD',
  type: OrderType.BUY,
  volume: 0.1,
  price: null,
  stoplimit: null,
  sl: null,
  tp: null,
  deviation: 20,
  filling: null,
  expirationMs: null,
  ...changes,
});

function refusal(check: () => void): { errorType: string; field: unknown; details: unknown } | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [first] = [error.details].flat() as { field: unknown }[];
    return { errorType: error.errorType, field: first?.field, details: first };
  }
}
const judged = (changes: Partial<ProposedOrder>, symbol: Partial<SymbolInfo> = {}) =>
  refusal(() => requireFitForMarket(order(changes), market(symbol), limits));

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
    const found = refusal(() => requireWithinLimits(order(proposed), { ...limits, ...changes }));
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
    ['a pending order until tomorrow', { type: OrderType.BUY_LIMIT, price: 1.09, expirationMs: Date.UTC(2026, 0, 6) }],
  ])('let pass %s', (_case, changes) => {
    expect(judged(changes)).toBeNull();
  });

  it.each<[string, Partial<ProposedOrder>, string, string?]>([
    ['below the least volume', { volume: 0.001 }, 'volume'],
    ['above the greatest volume', { volume: 50.01 }, 'volume'],
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

  it('refuse an expiration where the symbol takes none', () => {
    const until = { type: OrderType.BUY_LIMIT, price: 1.09, expirationMs: Date.UTC(2026, 0, 6) };
    expect(judged(until, { expiration_mode: 3 })).toMatchObject({ field: 'expiration' });
  });

  it('let a limit price through the market on an exchange, where it is filled at once', () => {
    const through = { type: OrderType.BUY_LIMIT, price: 1.12 } as const;
    expect(judged(through, { trade_exemode: SymbolExecution.EXCHANGE })).toBeNull();
  });

  it('name the nearest volumes of one that is off the grid', () => {
    expect(judged({ volume: 0.015 })).toMatchObject({ details: { limit: { nearest: [0.01, 0.02] } } });
  });

  function stopLimit(): Partial<ProposedOrder> {
    return { type: OrderType.BUY_STOP_LIMIT, price: 1.11 };
  }
});

describe('the filling of an order', () => {
  it.each([
    ['market execution', OrderType.BUY, SymbolExecution.MARKET, 3, [0, 1]],
    ['market execution that only takes IOC', OrderType.BUY, SymbolExecution.MARKET, 2, [1]],
    ['market execution without flags', OrderType.SELL, SymbolExecution.MARKET, 0, [0, 1]],
    ['exchange execution', OrderType.BUY, SymbolExecution.EXCHANGE, 2, [2, 1]],
    ['instant execution', OrderType.BUY, SymbolExecution.INSTANT, 0, [0, 1, 2]],
    ['a pending order', OrderType.BUY_LIMIT, SymbolExecution.MARKET, 1, [2, 0, 1]],
  ])('on %s', (_case, type, trade_exemode, filling_mode, fillings) => {
    expect(permittedFillings(type, { trade_exemode, filling_mode })).toEqual(fillings);
  });
});

describe('arithmetic on the grid', () => {
  const grids = fc.constantFrom(
    { trade_tick_size: 0.00001, point: 0.00001, digits: 5 },
    { trade_tick_size: 0.01, point: 0.01, digits: 2 },
    { trade_tick_size: 0.25, point: 0.01, digits: 2 },
    { trade_tick_size: 0.5, point: 0.1, digits: 1 },
  );
  const prices = fc.double({ min: 0.0001, max: 100_000, noNaN: true });

  it('snaps to a whole number of ticks, no further than half of one, and only once', () => {
    fc.assert(
      fc.property(prices, grids, (price, grid) => {
        const snapped = snapPrice(price, grid);
        const ticks = new Decimal(snapped).div(grid.trade_tick_size);
        const distance = new Decimal(snapped).minus(price).abs();
        return (
          ticks.isInteger() &&
          distance.lte(new Decimal(grid.trade_tick_size).div(2)) &&
          snapPrice(snapped, grid) === snapped
        );
      }),
    );
  });

  it('snaps half up', () => {
    const grid = { trade_tick_size: 0.00001, point: 0.00001, digits: 5 };
    expect(snapPrice(1.000005, grid)).toBe(1.00001);
    expect(snapPrice(1.000015, grid)).toBe(1.00002);
    expect(snapPrice(1.000014999, grid)).toBe(1.00001);
  });

  it('takes every multiple of the step for on the grid, and names neighbours that are', () => {
    const steps = fc.constantFrom(...[...new Set(catalogue.map((symbol) => symbol.volume_step))], 0.001, 0.1);
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 9 }),
        (step, count, tenth) => {
          const grid = { volume_min: step, volume_max: new Decimal(step).mul(2_000_000).toNumber(), volume_step: step };
          const on = new Decimal(step).mul(count).toNumber();
          const off = new Decimal(step).mul(new Decimal(count).plus(new Decimal(tenth).div(10))).toNumber();
          const nearest = nearestVolumes(off, grid);
          return (
            isOnVolumeGrid(on, grid) &&
            !isOnVolumeGrid(off, grid) &&
            nearest.length === 2 &&
            nearest.every((volume) => isOnVolumeGrid(volume, grid)) &&
            (nearest[0] ?? 0) < off &&
            (nearest[1] ?? 0) > off
          );
        },
      ),
    );
  });

  it('subtracts lots without the dust of binary fractions', () => {
    expect(subtractVolume(0.3, 0.1)).toBe(0.2);
    expect(subtractVolume(1, 0.9)).toBe(0.1);
  });
});

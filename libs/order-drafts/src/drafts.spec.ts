import {
  OrderFilling,
  OrderTime,
  OrderType,
  PositionType,
  Retcode,
  SymbolExecution,
  TradeAction,
  tradeRequest,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { wasAlreadySo } from './already-so';
import { cancelDraft } from './cancel-draft';
import {
  closeByDraft,
  closeDrafts,
  closingFilling,
  notStatedPosition,
  volumeToClose,
  type CloseVolume,
} from './close-draft';
import { expirationsEndMs } from './expiration-allowed';
import { levelsDraft, newLevels } from './level-change';
import { closingPrice, isLimitOrder, isMarketOrder, isStopLimitOrder, marketPrice } from './market-price';
import { noOpenPosition, noPendingOrder } from './not-found';
import { changeDraft, changeRefusal, type OrderChange } from './order-change';
import { onGrids, orderDrafts, terminalComment } from './order-draft';
import { priceOnGrid, pricesOnGrid } from './price-on-grid';
import { proposedOrderOf, type OrderFields } from './proposed-order-of';
import { OrderRefusal } from './refusal';
import { limits, market, order } from './testing/market';

const { info } = market();
const noDistance = market({ trade_stops_level: 0 });
const refused = (found: unknown): string | null => (found instanceof OrderRefusal ? found.message : null);

const position = {
  ...{ ticket: 7, type: PositionType.BUY, symbol: 'EURUSD', magic: 5, volume: 0.3, sl: 1.09, tp: 1.12 },
} as TradePosition;

describe('a request that closes a position', () => {
  it('names the position, has its magic, and is of the other side at the price of that side', () => {
    const marks = { deviation: 9, comment: 'bye' };
    const [first, ...others] = closeDrafts(position, 0.2, market(), marks);
    expect(first).toMatchObject({
      ...{ action: TradeAction.DEAL, position: 7, magic: 5, symbol: 'EURUSD', volume: 0.2, deviation: 9 },
      ...{ comment: 'bye', type: OrderType.SELL, price: 1.1, type_filling: OrderFilling.FOK, type_time: OrderTime.GTC },
    });
    expect(others.map(({ type_filling }) => type_filling)).toEqual([OrderFilling.IOC]);
    const [short] = closeDrafts({ ...position, type: PositionType.SELL }, 0.2, market(), marks);
    expect(short).toMatchObject({ type: OrderType.BUY, price: 1.1002 });
  });

  it('has the price and filling that are asked for, if its symbol permits the filling', () => {
    const terms = { deviation: 0, comment: '', price: 1.1234567, filling: OrderFilling.IOC };
    expect(closeDrafts(position, 0.2, market(), terms)).toMatchObject([{ price: 1.12346, type_filling: 1 }]);
    expect(closingFilling(OrderFilling.IOC, position, market())).toBeNull();
    expect(closingFilling(null, position, market())).toBeNull();
    expect(closingFilling(OrderFilling.RETURN, position, market())).toMatchObject({
      details: [{ field: 'type_filling' }],
    });
  });

  it('is of the position that is stated', () => {
    expect(notStatedPosition({}, position)).toBeNull();
    expect(notStatedPosition({ symbol: '', type: null }, position)).toBeNull();
    expect(notStatedPosition({ symbol: 'EURUSD', type: PositionType.BUY }, position)).toBeNull();
    expect(notStatedPosition({ symbol: 'GBPUSD' }, position)).toMatchObject({
      message: 'symbol: position 7 is of EURUSD',
    });
    expect(notStatedPosition({ type: PositionType.SELL }, position)).toMatchObject({
      message: 'type: position 7 is a BUY',
    });
    const short = { ...position, type: PositionType.SELL };
    expect(notStatedPosition({ type: PositionType.BUY }, short)).toMatchObject({
      message: 'type: position 7 is a SELL',
    });
  });

  it('can name the opposite position by which it is closed, where the symbol permits that', () => {
    const opposite = { ...position, ticket: 8, type: PositionType.SELL, magic: 6 };
    const permits = { order_mode: 64 };
    expect(closeByDraft(position, opposite, permits, 'bye')).toEqual(
      tradeRequest({
        ...{ action: TradeAction.CLOSE_BY, symbol: 'EURUSD', magic: 5, comment: 'bye', position: 7, position_by: 8 },
      }),
    );
    const refused = (other: object, terms = permits) => closeByDraft(position, { ...opposite, ...other }, terms, '');
    expect(refused({ ticket: 7 })).toMatchObject({ message: expect.stringContaining('another position') });
    expect(refused({ symbol: 'GBPUSD' })).toMatchObject({ message: expect.stringContaining('8 is of GBPUSD') });
    expect(refused({ type: PositionType.BUY })).toMatchObject({ message: expect.stringContaining('same side') });
    expect(refused({}, { order_mode: 63 })).toMatchObject({
      message: expect.stringContaining('EURUSD does not permit'),
    });
  });

  const close = (volume: number | null, partOnly = false): CloseVolume => ({ volume, volumeField: 'lots', partOnly });

  it('is of all lots, or of those that were asked for', () => {
    expect(volumeToClose(close(null), position, info)).toBe(0.3);
    expect(volumeToClose(close(0.2), position, info)).toBe(0.2);
    expect(volumeToClose(close(0.1 + 0.2), position, info)).toBe(0.3);
    expect(volumeToClose(close(0.01), position, info)).toBe(0.01);
    expect(volumeToClose(close(0.2, true), position, info)).toBe(0.2);
    // The rest of a position may be off the grid.
    expect(volumeToClose(close(0.005), { volume: 0.005 }, info)).toBe(0.005);
  });

  it.each([
    [0.4, false, "lots: must be at most the position's 0.3 (it is 0.4)", 0.3],
    [0.3, true, "lots: must be below the position's 0.3 (it is 0.3)", 0.3],
    [
      ...[0.015, false, 'lots: must be a multiple of 0.01, at least 0.01; nearest: 0.01 or 0.02 (it is 0.015)'],
      { volume_min: 0.01, volume_step: 0.01, nearest: [0.01, 0.02] },
    ],
    [0.001, false, expect.stringMatching(/^lots: must be a multiple of 0.01, at least 0.01/), expect.anything()],
  ] as const)('is refused for %d lots (of a part: %s)', (volume, partOnly, message, limit) => {
    expect(volumeToClose(close(volume, partOnly), position, info)).toMatchObject({
      ...{ errorType: 'validation_error', message, details: [{ field: 'lots', limit, value: volume }] },
    });
  });

  it('is refused below the minimum, also on the grid of the step', () => {
    const coarse = market({ volume_min: 0.1 }).info;
    expect(refused(volumeToClose(close(0.05), position, coarse))).toMatch(/at least 0.1/);
    expect(volumeToClose(close(0.1), position, coarse)).toBe(0.1);
  });
});

describe('a change of levels', () => {
  it('keeps a level that is not named, and removes one only by its flag', () => {
    expect(newLevels(position, {}, info)).toEqual({ sl: 1.09, tp: 1.12 });
    expect(newLevels(position, { sl: null, tp: 1.130004 }, info)).toEqual({ sl: 1.09, tp: 1.13 });
    expect(newLevels(position, { clear_sl: true }, info)).toEqual({ sl: 0, tp: 1.12 });
    expect(newLevels(position, { clear_sl: false, clear_tp: true, tp: 1.2 }, info)).toEqual({ sl: 1.09, tp: 0 });
  });

  it.each([0, -1])('refuses the level %d', (level) => {
    expect(refused(newLevels(position, { sl: level }, info))).toBe(
      'sl: must be a positive number; clear_sl removes the level',
    );
    expect(refused(newLevels(position, { tp: level }, info))).toMatch(/^tp: .*clear_tp removes/);
  });

  it('refuses a level that rounds to 0, with the step of the grid', () => {
    expect(refused(newLevels(position, { tp: 0.000001 }, info))).toBe(
      'tp: rounds to 0 on the price grid of EURUSD, whose step is 0.00001 (it is 0.000001)',
    );
    const noTicks = { ...info, trade_tick_size: 0, point: 0.001, digits: 3 };
    expect(refused(priceOnGrid('sl', 0.0001, noTicks))).toMatch(/whose step is 0.001 /);
    expect(priceOnGrid('sl', 0.0006, noTicks)).toBe(0.001);
    const coarse = { ...noTicks, trade_tick_size: 0.25, digits: 2 };
    expect(refused(priceOnGrid('sl', 0.1, coarse))).toMatch(/whose step is 0.25 /);
    expect(pricesOnGrid({ price: null, sl: 1.13 }, ['price', 'sl'], coarse)).toEqual({ price: null, sl: 1.25 });
  });

  it('has both levels in the request, with the ticket and magic of the position', () => {
    expect(levelsDraft(position, { sl: 1.08 }, market())).toMatchObject({
      ...{ action: TradeAction.SLTP, symbol: 'EURUSD', position: 7, magic: 5, sl: 1.08, tp: 1.12 },
    });
  });

  it('refuses only a changed level on the wrong side of the quote that closes, or too close', () => {
    const of = (change: object, changes: Partial<TradePosition> = {}): string | null =>
      refused(levelsDraft({ ...position, ...changes }, change, market()));
    expect([of({ sl: 1.0999 }), of({ tp: 1.1001 })]).toEqual([null, null]);
    expect(of({ sl: 1.09995 })).toBe('sl: must be below 1.10000 by at least 10 points (it is 1.09995)');
    expect(of({ tp: 1.10005 })).toMatch(/^tp: must be above 1.10000/);
    const short = { type: PositionType.SELL, sl: 1.12, tp: 1.09 };
    expect([of({ sl: 1.1003 }, short), of({ tp: 1.1001 }, short)]).toEqual([null, null]);
    expect(of({ sl: 1.1002 }, short)).toMatch(/^sl: must be above 1.10020/);
    expect(of({ tp: 1.1002 }, short)).toMatch(/^tp: must be below 1.10020/);
    // An unchanged level may be closer meanwhile.
    expect(of({ tp: 1.2 }, { sl: 1.2 })).toBeNull();
    expect(of({ sl: 1.05 }, { tp: 1.05 })).toBeNull();
    expect(of({ tp: -1 })).toMatch(/positive/);
  });
});

const pending = {
  ...{ ticket: 8, symbol: 'EURUSD', magic: 6, type: OrderType.BUY_LIMIT, type_filling: OrderFilling.RETURN },
  ...{ volume_current: 0.4, price_open: 1.09, price_stoplimit: 0, sl: 1.08, tp: 1.11 },
  ...{ type_time: OrderTime.SPECIFIED, time_expiration: 900 },
} as TradeOrder;
const stopLimit = { ...pending, type: OrderType.BUY_STOP_LIMIT, price_open: 1.105, price_stoplimit: 1.104, sl: 1.1 };

describe('a change of a pending order', () => {
  const draftOf = (change: Partial<OrderChange>, expiration: number | null = null) =>
    changeDraft(pending, { expirationMs: null, ...change }, info, expiration);

  it('has every value, changed or not', () => {
    expect(draftOf({ price: 1.080001 })).toMatchObject({
      ...{ action: TradeAction.MODIFY, order: 8, symbol: 'EURUSD', magic: 6, type: OrderType.BUY_LIMIT, volume: 0.4 },
      ...{ type_filling: OrderFilling.RETURN, price: 1.08, stoplimit: 0, sl: 1.08, tp: 1.11 },
      ...{ type_time: OrderTime.SPECIFIED, expiration: 900 },
    });
    expect(draftOf({ stoplimit: 1.07, sl: 1.05 })).toMatchObject({ price: 1.09, stoplimit: 1.07, sl: 1.05 });
  });

  it('keeps the time, sets another one, or clears it', () => {
    const time = (change: Partial<OrderChange>, expiration: number | null = null) => {
      const draft = draftOf(change, expiration);
      return draft instanceof OrderRefusal ? null : [draft.type_time, draft.expiration];
    };
    expect(time({})).toEqual([OrderTime.SPECIFIED, 900]);
    expect(time({}, 950)).toEqual([OrderTime.SPECIFIED, 950]);
    expect(time({ clear_expiration: true })).toEqual([OrderTime.GTC, 0]);
    expect(time({ clear_expiration: false })).toEqual([OrderTime.SPECIFIED, 900]);
  });

  it('is refused for a price or level that rounds to 0', () => {
    expect(refused(draftOf({ price: 0.000001 }))).toMatch(/^price: rounds to 0/);
    expect(refused(draftOf({ stoplimit: 0.000001 }))).toMatch(/^stoplimit: rounds to 0/);
    expect(refused(draftOf({ sl: 0.000001 }))).toMatch(/^sl: rounds to 0/);
  });

  const refusal = (of: TradeOrder, changes: Partial<OrderChange>, at = market()): string | null => {
    const change = { expirationMs: null, ...changes };
    const draft = changeDraft(of, change, at.info, null);
    return draft instanceof OrderRefusal ? draft.message : refused(changeRefusal(of, change, draft, at, limits));
  };

  it('is refused for a price on the wrong side, far away, or with a level on its wrong side', () => {
    expect(refusal(pending, { price: 1.085 })).toBeNull();
    expect(refusal(pending, { price: 1.1003 })).toMatch(/^price: must be below the ask/);
    expect(refusal(pending, { price: 0.5 })).toMatch(/^price 0.50000 deviates/);
    expect(refusal(pending, { price: 1.07 })).toMatch(/^sl: must be below 1.07000/);
    expect(refusal({ ...pending, sl: 0, tp: 0 }, { price: 1.07 })).toBeNull();
    expect(refusal({ ...pending, sl: 0, tp: 1.06 }, { price: 1.07 })).toMatch(/^tp: must be above/);
    expect(refusal(pending, { sl: 1.095 })).toMatch(/^sl: must be below 1.09000/);
    expect(refusal(pending, { tp: 1.085 })).toMatch(/^tp: must be above 1.09000/);
  });

  it('is refused only for what changes', () => {
    const late = { ...pending, price_open: 1.2, sl: 1.3, tp: 1.1 };
    expect(refusal(late, {})).toBeNull();
    expect(refusal(late, { sl: 1.19 })).toBeNull();
    expect(refusal(late, { tp: 1.21 })).toBeNull();
    expect(refusal(late, { clear_sl: true, clear_tp: true })).toBeNull();
  });

  it('may have a limit behind the trigger for stop-limit orders only', () => {
    expect(refusal(pending, { stoplimit: 1.05 })).toBe('stoplimit: is for stop-limit orders only');
    expect(refusal(stopLimit, { stoplimit: 1.103 })).toBeNull();
    expect(refusal(stopLimit, { stoplimit: 1.106 })).toMatch(/^stoplimit: must be at or below the price 1.10500/);
    expect(refusal(stopLimit, { stoplimit: 0.5 })).toMatch(/^stoplimit 0.50000 deviates/);
    // Its levels are measured from the limit.
    expect(refusal(stopLimit, { sl: 1.1045 })).toMatch(/^sl: must be below 1.10400/);
  });

  it('is refused for an expiration that is over', () => {
    const { nowMs } = market();
    expect(refusal(pending, { expirationMs: nowMs })).toMatch(/^expiration: must be in the future/);
    expect(refusal(pending, { expirationMs: nowMs + 1 })).toBeNull();
    expect(refusal(pending, { expirationMs: expirationsEndMs - 1 })).toBeNull();
    expect(refusal(pending, { expirationMs: expirationsEndMs })).toMatch(/^expiration: must be before the year 3001/);
    expect(refusal(pending, { expirationMs: nowMs + 1 }, market({ expiration_mode: 1 }))).toMatch(
      /^expiration: EURUSD takes no expiration time/,
    );
  });

  it('or its cancellation names the order', () => {
    expect(cancelDraft(pending)).toMatchObject({ action: TradeAction.REMOVE, order: 8, symbol: 'EURUSD', magic: 6 });
    expect([noOpenPosition(7), noPendingOrder(8)]).toEqual(['no open position 7', 'no pending order 8']);
  });

  it('has succeeded without a change by the code of its purpose alone', () => {
    expect(wasAlreadySo('modify_levels', Retcode.NO_CHANGES)).toBe(true);
    expect(wasAlreadySo('modify_order', Retcode.NO_CHANGES)).toBe(true);
    expect(wasAlreadySo('close', Retcode.POSITION_CLOSED)).toBe(true);
    expect(wasAlreadySo('close', Retcode.NO_CHANGES)).toBe(false);
    expect(wasAlreadySo('open', Retcode.NO_CHANGES)).toBe(false);
  });
});

describe('a new order', () => {
  const marks = { magic: 3, comment: 'mine' };

  it('at the market has its side of the quote, unless a price is given, and one draft for each filling', () => {
    const [first, ...others] = orderDrafts(order({ sl: 1.05 }), market(), marks, null);
    expect(first).toMatchObject({
      ...{ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, price: 1.1002, sl: 1.05, tp: 0, stoplimit: 0 },
      ...{ deviation: 20, type: OrderType.BUY, type_filling: OrderFilling.FOK, type_time: OrderTime.GTC },
      ...{ expiration: 0, magic: 3, comment: 'mine' },
    });
    expect(others).toHaveLength(1);
    expect(orderDrafts(order({ type: OrderType.SELL }), market(), marks, null)[0]).toMatchObject({ price: 1.1 });
    const chosen = orderDrafts(order({ price: 1.2, filling: OrderFilling.IOC, tp: 1.3 }), market(), marks, null);
    expect(chosen).toMatchObject([{ price: 1.2, type_filling: OrderFilling.IOC, tp: 1.3 }]);
  });

  it('that waits is a pending one, with its limit and its expiration', () => {
    const waiting = order({ type: OrderType.BUY_STOP_LIMIT, price: 1.11, stoplimit: 1.105 });
    expect(orderDrafts(waiting, market(), marks, 950)[0]).toMatchObject({
      ...{ action: TradeAction.PENDING, price: 1.11, stoplimit: 1.105 },
      ...{ type_time: OrderTime.SPECIFIED, expiration: 950, type_filling: OrderFilling.RETURN },
    });
  });

  it('is snapped to the grids, without noise, and a volume that would be 0 stays', () => {
    const asked = order({ price: 1.100004, sl: 1.050006, volume: 0.1 + 0.2 });
    expect(onGrids(asked, market())).toMatchObject({ price: 1.1, sl: 1.05001, tp: null, volume: 0.3 });
    expect(onGrids(order({ volume: 1e-12 }), market())).toMatchObject({ volume: 1e-12 });
    for (const field of ['price', 'stoplimit', 'sl', 'tp'])
      expect(refused(onGrids(order({ [field]: 0.000001 }), market()))).toMatch(new RegExp(`^${field}: rounds to 0`));
  });

  it('has a comment of at most 27 printable characters', () => {
    expect(terminalComment('grün ~')).toBe('gr?n ~');
    expect(terminalComment('a\u0001b\u007fc')).toBe('a?b?c');
    expect(terminalComment('123456789012345678901234567890')).toBe('123456789012345678901234567');
  });

  it('is measured by the sides of the quote', () => {
    const { tick } = market();
    const buys = [OrderType.BUY, OrderType.BUY_LIMIT, OrderType.BUY_STOP, OrderType.BUY_STOP_LIMIT];
    const sells = [OrderType.SELL, OrderType.SELL_LIMIT, OrderType.SELL_STOP, OrderType.SELL_STOP_LIMIT];
    expect(buys.map((type) => [marketPrice(type, tick), closingPrice(type, tick)])).toEqual(
      buys.map(() => [1.1002, 1.1]),
    );
    expect(sells.map((type) => marketPrice(type, tick))).toEqual(sells.map(() => 1.1));
    expect(sells.map((type) => closingPrice(type, tick))).toEqual(sells.map(() => 1.1002));
    for (const types of [buys, sells]) {
      expect(types.map(isMarketOrder)).toEqual([true, false, false, false]);
      expect(types.map(isLimitOrder)).toEqual([false, true, false, false]);
      expect(types.map(isStopLimitOrder)).toEqual([false, false, false, true]);
    }
  });
});

describe('the order of the fields of a request', () => {
  const fields: OrderFields = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, expirationMs: null };
  const of = (changes: Partial<OrderFields>) => proposedOrderOf({ ...fields, ...changes }, limits);

  it('has null for what is not given, no level for 0, and the default deviation', () => {
    const none = { price: null, stoplimit: null, sl: null, tp: null, filling: null, expirationMs: null };
    expect(of({})).toEqual({ symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1, deviation: 20, ...none });
    expect(of({ sl: 0, tp: 0, price: null, stoplimit: null, deviation: null, type_filling: null })).toEqual(of({}));
    expect(of({ deviation: 0, sl: 1.05, tp: 1.2, price: 1.1 })).toMatchObject({
      ...{ deviation: 0, sl: 1.05, tp: 1.2, price: 1.1 },
    });
  });

  it('takes a filling by name or number', () => {
    expect([of({ type_filling: 'IOC' }), of({ type_filling: 1 }), of({ type_filling: 0 })]).toMatchObject([
      ...[{ filling: OrderFilling.IOC }, { filling: OrderFilling.IOC }, { filling: OrderFilling.FOK }],
    ]);
  });

  it.each<[Partial<OrderFields>, string | null]>([
    [{ type: 'BUY_LIMIT' }, 'price: is required for BUY_LIMIT'],
    [{ type: 'BUY_LIMIT', price: 1.09, expirationMs: 5 }, null],
    [{ type: 'SELL_STOP_LIMIT' }, 'price: is required for SELL_STOP_LIMIT; stoplimit: is required for SELL_STOP_LIMIT'],
    [{ type: 'SELL_STOP_LIMIT', price: 1.09, stoplimit: 1.091 }, null],
    [{ type: 'BUY_STOP', price: 1.2, stoplimit: 1.1 }, 'stoplimit: is for stop-limit orders only'],
    [{ expirationMs: 5 }, 'expiration: is for pending orders only'],
  ])('names missing and superfluous fields: %j', (changes, message) => {
    expect(refused(of(changes))).toBe(message);
  });
});

describe('the side of a pending price', () => {
  const of = (type: TradeOrder['type'], price: number, at = market()): string | null => {
    const asked = { ...pending, type, price_open: price, sl: 0, tp: 0 };
    const change = { price, expirationMs: null };
    const draft = changeDraft(asked, change, at.info, null);
    return draft instanceof OrderRefusal ? draft.message : refused(changeRefusal(asked, change, draft, at, limits));
  };

  it.each([
    [OrderType.BUY_LIMIT, 1.1001, 1.10011, 'price: must be below the ask 1.10020 by at least 10 points'],
    [OrderType.SELL_LIMIT, 1.1001, 1.10009, 'price: must be above the bid 1.10000 by at least 10 points'],
    [OrderType.BUY_STOP, 1.1003, 1.10029, 'price: must be above the ask 1.10020 by at least 10 points'],
    [OrderType.SELL_STOP, 1.0999, 1.09991, 'price: must be below the bid 1.10000 by at least 10 points'],
  ])('of type %d may be %d, and not %d', (type, fine, wrong, message) => {
    expect(of(type, fine)).toBeNull();
    expect(of(type, wrong)).toBe(`${message} (it is ${wrong.toFixed(5)})`);
  });

  it('may not be equal to the quote without a stops level, where a limit may be behind the market on an exchange', () => {
    expect(of(OrderType.BUY_LIMIT, 1.1002, noDistance)).toBe('price: must be below the ask 1.10020 (it is 1.10020)');
    expect(of(OrderType.BUY_LIMIT, 1.10019, noDistance)).toBeNull();
    const exchange = market({ trade_exemode: SymbolExecution.EXCHANGE });
    expect(of(OrderType.BUY_LIMIT, 1.11, exchange)).toBeNull();
    expect(of(OrderType.BUY_STOP, 1.09, exchange)).toMatch(/must be above the ask/);
  });
});

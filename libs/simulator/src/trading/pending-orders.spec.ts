import {
  OrderState,
  OrderTime,
  OrderType,
  Retcode,
  TradeAction,
  tradeRequest,
  TradeReason,
} from '@libs/terminal-client';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Down through 1.095, up through 1.105, back. */
const quotes = [
  [0, 1.1, 1.1001],
  [MINUTE, 1.0948, 1.0949],
  [2 * MINUTE, 1.1, 1.1001],
  [3 * MINUTE, 1.1052, 1.1053],
  [4 * MINUTE, 1.1002, 1.1003],
  [20 * HOUR, 1.1, 1.1001],
] as const;

describe('a pending order', () => {
  it.each([
    ['a buy limit at the ask or below', OrderType.BUY_LIMIT, 1.095, 1.0949],
    ['a sell limit at the bid or above', OrderType.SELL_LIMIT, 1.105, 1.1052],
    ['a buy stop at the ask or above', OrderType.BUY_STOP, 1.105, 1.1053],
    ['a sell stop at the bid or below', OrderType.SELL_STOP, 1.095, 1.0948],
  ])('fills: %s', async (_, type, price, filledAt) => {
    const sim = await RunningSimulator.scripted(quotes);
    const placed = await sim.place(type, price, { magic: 3, comment: 'wait' });
    expect(placed.retcode).toBe(Retcode.DONE);
    expect(await sim.client.ordersGet()).toMatchObject([
      { ticket: placed.order, type, state: OrderState.PLACED, volume_current: 0.1, price_open: price, magic: 3 },
    ]);
    await sim.clock.advance(3 * MINUTE);
    const isBuy = type % 2 === 0;
    expect(await sim.position()).toMatchObject({
      ticket: placed.order,
      identifier: placed.order,
      type: isBuy ? 0 : 1,
      price_open: filledAt,
      magic: 3,
      comment: 'wait',
    });
    expect(await sim.client.ordersGet()).toEqual([]);
    const [order] = await sim.client.historyOrdersGet({ ticket: placed.order });
    expect(order).toMatchObject({ type, state: OrderState.FILLED, position_id: placed.order, price_open: price });
    expect((order?.time_done_msc ?? 0) - (order?.time_setup_msc ?? 0)).toBe(filledAt < 1.1 ? MINUTE : 3 * MINUTE);
  });

  it('as a stop-limit turns into a limit order under the same ticket when its trigger is touched', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    const { order } = await sim.place(OrderType.BUY_STOP_LIMIT, 1.105, { stoplimit: 1.1003 });
    await sim.clock.advance(3 * MINUTE);
    expect(await sim.client.ordersGet()).toMatchObject([
      { ticket: order, type: OrderType.BUY_LIMIT, price_open: 1.1003, type_filling: 2, price_stoplimit: 1.1003 },
    ]);
    await sim.clock.advance(MINUTE);
    expect(await sim.position()).toMatchObject({ ticket: order, price_open: 1.1003 });
    expect(await sim.client.historyOrdersGet({ ticket: order })).toMatchObject([{ type: OrderType.BUY_LIMIT }]);
  });

  it.each([
    ['a buy limit above the ask', OrderType.BUY_LIMIT, 1.1002, {}, Retcode.INVALID_PRICE],
    ['a buy limit at the ask', OrderType.BUY_LIMIT, 1.1001, {}, Retcode.INVALID_PRICE],
    ['a sell limit below the bid', OrderType.SELL_LIMIT, 1.0999, {}, Retcode.INVALID_PRICE],
    ['a buy stop below the ask', OrderType.BUY_STOP, 1.1, {}, Retcode.INVALID_PRICE],
    ['a sell stop above the bid', OrderType.SELL_STOP, 1.1001, {}, Retcode.INVALID_PRICE],
    ['a price off the tick grid', OrderType.BUY_LIMIT, 1.000005, {}, Retcode.INVALID_PRICE],
    ['no price', OrderType.BUY_LIMIT, 0, {}, Retcode.INVALID_PRICE],
    ['a buy stop-limit above its trigger', OrderType.BUY_STOP_LIMIT, 1.105, { stoplimit: 1.106 }, 10015],
    ['a sell stop-limit without its limit', OrderType.SELL_STOP_LIMIT, 1.095, {}, Retcode.INVALID_PRICE],
    ['levels on the wrong side', OrderType.BUY_LIMIT, 1.09, { sl: 1.095 }, Retcode.INVALID_STOPS],
    ['an expiration in the past', OrderType.BUY_LIMIT, 1.09, { type_time: 2, expiration: 1_000 }, 10022],
    ['an expiration policy there is not', OrderType.BUY_LIMIT, 1.09, { type_time: 4 }, 10022],
  ])('is refused for %s', async (_, type, price, fields, retcode) => {
    const sim = await RunningSimulator.scripted(quotes);
    expect((await sim.place(type, price, fields)).retcode).toBe(retcode);
    expect(await sim.client.ordersGet()).toEqual([]);
  });

  it('keeps the stops level from the market, and its own levels from its price', async () => {
    const symbols = [symbolLike('EURUSD', { trade_stops_level: 100 })];
    const sim = await RunningSimulator.scripted(quotes, { symbols });
    expect((await sim.place(OrderType.BUY_LIMIT, 1.0992)).retcode).toBe(Retcode.INVALID_PRICE);
    expect((await sim.place(OrderType.BUY_LIMIT, 1.0991)).retcode).toBe(Retcode.DONE);
    expect((await sim.place(OrderType.BUY_LIMIT, 1.09, { sl: 1.0891 })).retcode).toBe(Retcode.INVALID_STOPS);
    expect((await sim.place(OrderType.BUY_LIMIT, 1.09, { sl: 1.089 })).retcode).toBe(Retcode.DONE);
  });

  it('can be changed and removed, but not inside the freeze level', async () => {
    const symbols = [symbolLike('EURUSD', { trade_freeze_level: 100 })];
    const sim = await RunningSimulator.scripted(quotes, { symbols });
    const { order } = await sim.place(OrderType.BUY_LIMIT, 1.09);
    const modify = { action: TradeAction.MODIFY, order, price: 1.0945, sl: 1.08, tp: 1.12 };
    expect((await sim.send(modify)).retcode).toBe(Retcode.DONE);
    expect((await sim.send(modify)).retcode).toBe(Retcode.NO_CHANGES);
    expect(await sim.client.ordersGet()).toMatchObject([{ ticket: order, price_open: 1.0945, sl: 1.08, tp: 1.12 }]);
    await sim.clock.advance(MINUTE);
    expect((await sim.send({ ...modify, price: 1.09 })).retcode).toBe(Retcode.FROZEN);
    expect((await sim.send({ action: TradeAction.REMOVE, order })).retcode).toBe(Retcode.FROZEN);
    await sim.clock.advance(MINUTE);
    expect((await sim.send({ action: TradeAction.REMOVE, order })).retcode).toBe(Retcode.DONE);
    expect(await sim.client.historyOrdersGet({ ticket: order })).toMatchObject([{ state: OrderState.CANCELED }]);
    expect((await sim.send({ action: TradeAction.REMOVE, order })).retcode).toBe(Retcode.INVALID_ORDER);
  });

  it('answers a check as it would the request itself', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    const { order } = await sim.place(OrderType.BUY_LIMIT, 1.09);
    const check = async (fields: Parameters<typeof tradeRequest>[0]): Promise<number> =>
      (await sim.client.orderCheck(tradeRequest(fields))).retcode;
    expect(await check({ action: TradeAction.MODIFY, order, price: 1.2 })).toBe(Retcode.INVALID_PRICE);
    expect(await check({ action: TradeAction.MODIFY, order, price: 1.08 })).toBe(0);
    expect(await check({ action: TradeAction.REMOVE, order })).toBe(0);
    expect(await check({ action: TradeAction.REMOVE, order: 1 })).toBe(Retcode.INVALID_ORDER);
    expect(await sim.client.ordersGet()).toMatchObject([{ price_open: 1.09 }]);
  });

  it('counts against the limits of orders and of volume', async () => {
    const symbols = [symbolLike('EURUSD', { volume_limit: 0.35 })];
    const sim = await RunningSimulator.scripted(quotes, { symbols, account: { limitOrders: 3 } });
    for (const price of [1.09, 1.08, 1.07]) await sim.place(OrderType.BUY_LIMIT, price);
    expect((await sim.place(OrderType.SELL_LIMIT, 1.2)).retcode).toBe(Retcode.LIMIT_ORDERS);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.LIMIT_VOLUME);
    expect((await sim.sell(0.1)).retcode).toBe(Retcode.DONE);
  });

  it('is rejected if the money is missing when it is triggered', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    const { order } = await sim.place(OrderType.BUY_LIMIT, 1.095, { volume: 20 });
    await sim.clock.advance(MINUTE);
    expect(await sim.client.positionsGet()).toEqual([]);
    expect(await sim.client.historyOrdersGet({ ticket: order })).toMatchObject([{ state: OrderState.REJECTED }]);
  });

  it('reserves margin where the symbol says so', async () => {
    const symbols = [symbolLike('EURUSD', { market: { marginRates: { buy: 1, sell: 1, pending: 1 } } })];
    const sim = await RunningSimulator.scripted(quotes, { symbols });
    await sim.place(OrderType.BUY_LIMIT, 1.09, { volume: 1 });
    expect(await sim.client.accountInfo()).toMatchObject({ margin: 1_100.1 });
    expect((await sim.place(OrderType.BUY_LIMIT, 1.09, { volume: 9 })).retcode).toBe(Retcode.NO_MONEY);
  });

  it('on an exchange may be a limit through the market, and fills at once', async () => {
    const symbols = [symbolLike('EURUSD', { trade_exemode: 3 })];
    const sim = await RunningSimulator.scripted(quotes, { symbols, account: { marginMode: 'exchange' } });
    await sim.place(OrderType.BUY_LIMIT, 1.11);
    expect(await sim.position()).toMatchObject({ price_open: 1.1001, reason: TradeReason.EXPERT });
  });
});

describe('a book-or-cancel order', () => {
  it('is for limits on an exchange that has it, and never takes', async () => {
    const symbols = [symbolLike('EURUSD', { trade_exemode: 3, filling_mode: 4 })];
    const sim = await RunningSimulator.scripted(quotes, { symbols, account: { marginMode: 'exchange' } });
    expect((await sim.place(OrderType.BUY_LIMIT, 1.1002, { type_filling: 3 })).retcode).toBe(Retcode.INVALID_PRICE);
    expect((await sim.place(OrderType.BUY_LIMIT, 1.0999, { type_filling: 3 })).retcode).toBe(Retcode.DONE);
    expect((await sim.place(OrderType.BUY_STOP, 1.2, { type_filling: 3 })).retcode).toBe(Retcode.INVALID_FILL);
    expect((await sim.buy(0.1, { type_filling: 3 })).retcode).toBe(Retcode.INVALID_FILL);
  });
});

describe('the expiration of a pending order', () => {
  const serverNoon = Date.UTC(2024, 4, 14, 13) / 1_000;

  it.each([
    ['DAY: at the end of the server day', OrderTime.DAY, 0, Date.UTC(2024, 4, 15, 0)],
    ['SPECIFIED: at the given server time', OrderTime.SPECIFIED, serverNoon + 7_200, Date.UTC(2024, 4, 14, 15)],
    [
      'SPECIFIED_DAY: in the last second of the given day',
      OrderTime.SPECIFIED_DAY,
      serverNoon,
      Date.UTC(2024, 4, 14, 23, 59, 59),
    ],
  ])('%s', async (_, type_time, expiration, doneMsc) => {
    const sim = await RunningSimulator.scripted(quotes);
    const { order } = await sim.place(OrderType.BUY_LIMIT, 1.05, { type_time, expiration });
    expect(await sim.client.ordersGet()).toMatchObject([{ type_time, time_expiration: expiration }]);
    await sim.clock.advance(15 * HOUR);
    expect(await sim.client.ordersGet()).toEqual([]);
    expect(await sim.client.historyOrdersGet({ ticket: order })).toMatchObject([
      { state: OrderState.EXPIRED, time_done_msc: doneMsc, volume_current: 0.1 },
    ]);
  });

  it('needs the flag of the symbol', async () => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', { expiration_mode: 1 })] });
    expect((await sim.place(OrderType.BUY_LIMIT, 1.05)).retcode).toBe(Retcode.DONE);
    expect((await sim.place(OrderType.BUY_LIMIT, 1.05, { type_time: OrderTime.DAY })).retcode).toBe(10022);
  });

  it.each([
    ['everything stays', 0, 1, 1.05],
    ['orders and levels go', 1, 0, 0],
    ['orders go, levels stay', 2, 0, 1.05],
  ])('by the mode of the symbol at the end of the day: %s', async (_, order_gtc_mode, orders, sl) => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', { order_gtc_mode })] });
    await sim.buy(0.1, { sl: 1.05 });
    await sim.place(OrderType.BUY_LIMIT, 1.04);
    await sim.clock.advance(12 * HOUR);
    expect(await sim.client.ordersGet()).toHaveLength(orders);
    expect(await sim.position()).toMatchObject({ sl });
  });
});

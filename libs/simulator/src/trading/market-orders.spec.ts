import {
  DealEntry,
  OrderState,
  OrderType,
  Retcode,
  SymbolTradeMode,
  TradeAction,
  TradeReason,
} from '@libs/terminal-client';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.101, 1.1011],
  [2_000, 1.099, 1.0991],
] as const;

describe('a market order on a hedging account', () => {
  it('buys at the ask, and shows the position under the order ticket', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    const result = await sim.buy(0.1, { magic: 7, comment: 'first', sl: 1.09, tp: 1.12 });
    expect(result).toMatchObject({ retcode: Retcode.DONE, price: 1.1001, volume: 0.1, bid: 1.1, ask: 1.1001 });
    expect(await sim.position()).toMatchObject({
      ticket: result.order,
      identifier: result.order,
      magic: 7,
      comment: 'first',
      price_open: 1.1001,
      price_current: 1.1,
      profit: -1,
      sl: 1.09,
      tp: 1.12,
      reason: TradeReason.EXPERT,
    });
    const [deal] = await sim.deals();
    expect(deal).toMatchObject({
      ticket: result.deal,
      order: result.order,
      entry: DealEntry.IN,
      position_id: result.order,
    });
    const [order] = await sim.client.historyOrdersGet({ ticket: result.order });
    expect(order).toMatchObject({ state: OrderState.FILLED, volume_initial: 0.1, volume_current: 0 });
  });

  it('books the profit of a close to the balance, and of a part in proportion', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(0.3);
    await sim.clock.advance(1_000);
    const opened = await sim.position();
    expect((await sim.close(opened, 0.1)).retcode).toBe(Retcode.DONE);
    expect(await sim.balance()).toBe(10_009);
    expect(await sim.position()).toMatchObject({
      ticket: opened.ticket,
      volume: 0.2,
      price_open: 1.1001,
      time: opened.time,
    });
    await sim.close(await sim.position());
    expect(await sim.balance()).toBe(10_027);
    expect(await sim.client.positionsGet()).toEqual([]);
    expect((await sim.deals()).map(({ profit, entry, volume }) => ({ profit, entry, volume }))).toEqual([
      { profit: 0, entry: DealEntry.IN, volume: 0.3 },
      { profit: 9, entry: DealEntry.OUT, volume: 0.1 },
      { profit: 18, entry: DealEntry.OUT, volume: 0.2 },
    ]);
  });

  it('keeps opposite positions side by side, and closes more than there is for no one', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(0.1);
    await sim.sell(0.2);
    const [long, short] = await sim.client.positionsGet();
    expect([long?.volume, short?.volume]).toEqual([0.1, 0.2]);
    expect((await sim.sell(0.2, { position: long?.ticket ?? 0 })).retcode).toBe(Retcode.INVALID_CLOSE_VOLUME);
    expect((await sim.sell(0.1, { position: short?.ticket ?? 0 })).retcode).toBe(Retcode.INVALID);
    expect((await sim.sell(0.1, { position: 1 })).retcode).toBe(Retcode.POSITION_CLOSED);
  });

  it.each([
    ['a volume between the steps', { volume: 0.015 }, Retcode.INVALID_VOLUME],
    ['a volume below the least', { volume: 0.001 }, Retcode.INVALID_VOLUME],
    ['a volume above the most', { volume: 501 }, Retcode.INVALID_VOLUME],
    ['a stop loss above the market', { sl: 1.2 }, Retcode.INVALID_STOPS],
    ['a take profit below the market', { tp: 1.05 }, Retcode.INVALID_STOPS],
    ['a stop loss off the tick grid', { sl: 1.000005 }, Retcode.INVALID_STOPS],
    ['more than the money is for', { volume: 50 }, Retcode.NO_MONEY],
    ['a filling the symbol does not have', { type_filling: 2 }, Retcode.INVALID_FILL],
    ['an unknown symbol', { symbol: 'EURXXX' }, Retcode.INVALID],
  ])('is refused for %s', async (_, fields, retcode) => {
    const sim = await RunningSimulator.scripted(quotes);
    expect((await sim.buy(0.1, fields)).retcode).toBe(retcode);
    expect(await sim.client.positionsGet()).toEqual([]);
    expect(await sim.deals()).toEqual([]);
  });

  it.each([
    ['a disabled symbol', SymbolTradeMode.DISABLED, Retcode.TRADE_DISABLED, Retcode.TRADE_DISABLED],
    ['a symbol for buying only', SymbolTradeMode.LONGONLY, Retcode.DONE, Retcode.LONG_ONLY],
    ['a symbol for selling only', SymbolTradeMode.SHORTONLY, Retcode.SHORT_ONLY, Retcode.DONE],
    ['a symbol for closing only', SymbolTradeMode.CLOSEONLY, Retcode.CLOSE_ONLY, Retcode.CLOSE_ONLY],
  ])('meets the trade mode of %s', async (_, trade_mode, buys, sells) => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', { trade_mode })] });
    expect((await sim.buy(0.1)).retcode).toBe(buys);
    expect((await sim.sell(0.1)).retcode).toBe(sells);
  });

  it('is refused outside the order mode, also for its levels alone', async () => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', { order_mode: 1 })] });
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.DONE);
    expect((await sim.buy(0.1, { sl: 1.05 })).retcode).toBe(Retcode.INVALID_ORDER);
    expect((await sim.place(OrderType.BUY_LIMIT, 1.05)).retcode).toBe(Retcode.INVALID_ORDER);
  });

  it('is requoted on instant execution when the price has moved beyond the deviation', async () => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', { trade_exemode: 1 })] });
    await sim.clock.advance(1_000);
    const requoted = await sim.buy(0.1, { price: 1.1001, deviation: 20 });
    expect(requoted).toMatchObject({ retcode: Retcode.REQUOTE, bid: 1.101, ask: 1.1011, deal: 0, order: 0 });
    expect((await sim.buy(0.1, { price: 1.1001, deviation: 100 })).price).toBe(1.1011);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.INVALID_PRICE);
  });

  it('fills up to the depth of the market, and treats the rest by the filling policy', async () => {
    const shallow = symbolLike('EURUSD', { trade_exemode: 1, market: { depth: 0.5 } });
    const sim = await RunningSimulator.scripted(quotes, { symbols: [shallow] });
    const order = { price: 1.1001, deviation: 500 };
    expect((await sim.buy(0.8, { ...order, type_filling: 0 })).retcode).toBe(Retcode.REJECT);
    expect(await sim.client.positionsGet()).toEqual([]);
    const partial = await sim.buy(0.8, { ...order, type_filling: 1 });
    expect(partial).toMatchObject({ retcode: Retcode.DONE_PARTIAL, volume: 0.5 });
    expect(await sim.client.ordersGet()).toEqual([]);
    const returned = await sim.buy(0.8, { ...order, type_filling: 2 });
    expect(returned).toMatchObject({ retcode: Retcode.DONE_PARTIAL, volume: 0.5 });
    const [rest] = await sim.client.ordersGet({ ticket: returned.order });
    expect(rest).toMatchObject({ state: OrderState.PARTIAL, volume_initial: 0.8, volume_current: 0.3 });
    await sim.clock.advance(1_000);
    expect(await sim.client.ordersGet()).toEqual([]);
    const [position] = await sim.client.positionsGet({ ticket: returned.order });
    expect(position).toMatchObject({ volume: 0.8, price_open: 1.100475 });
    expect(await sim.client.historyOrdersGet({ ticket: returned.order })).toMatchObject([{ state: OrderState.FILLED }]);
  });

  it('closes further as depth arrives, one order at a time, and stops once the position is closed', async () => {
    const shallow = symbolLike('EURUSD', { trade_exemode: 1, market: { depth: 0.2 } });
    const sim = await RunningSimulator.scripted(quotes, { symbols: [shallow] });
    const order = { deviation: 5_000, type_filling: 2 };
    await sim.buy(0.2, { ...order, price: 1.1001 });
    await sim.buy(0.3, { ...order, price: 1.1001 });
    await sim.clock.advance(1_000);
    const [first, second] = await sim.client.positionsGet();
    expect([first?.volume, second?.volume]).toEqual([0.2, 0.3]);
    const closing = { ...order, price: 1.101, position: second?.ticket ?? 0 };
    expect(await sim.sell(0.3, closing)).toMatchObject({ retcode: Retcode.DONE_PARTIAL, volume: 0.2 });
    expect((await sim.sell(0.1, closing)).retcode).toBe(Retcode.CLOSE_ORDER_EXIST);
    await sim.clock.advance(1_000);
    expect(await sim.position()).toMatchObject({ ticket: first?.ticket, volume: 0.2 });
    expect(await sim.client.ordersGet()).toEqual([]);
  });

  it('is refused while the symbol has no price', async () => {
    const sim = await RunningSimulator.scripted([[1_000, 1.1, 1.1001]]);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.PRICE_OFF);
    expect(await sim.client.symbolInfoTick('EURUSD')).toBeNull();
    await sim.clock.advance(1_000);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.DONE);
  });

  it('keeps the limits of volume and of positions', async () => {
    const sim = await RunningSimulator.scripted(quotes, {
      symbols: [symbolLike('EURUSD', { volume_limit: 0.3 })],
      account: { limitPositions: 3 },
    });
    await sim.buy(0.2);
    expect((await sim.buy(0.2)).retcode).toBe(Retcode.LIMIT_VOLUME);
    await sim.sell(0.1);
    await sim.sell(0.1);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.LIMIT_POSITIONS);
  });

  it('closes the oldest first under the FIFO rule, and opens nothing opposite where hedging is prohibited', async () => {
    const sim = await RunningSimulator.scripted(quotes, { account: { fifoClose: true, hedgeProhibited: true } });
    await sim.buy(0.1);
    await sim.buy(0.1);
    const [oldest, newest] = await sim.client.positionsGet();
    expect((await sim.sell(0.1, { position: newest?.ticket ?? 0 })).retcode).toBe(Retcode.FIFO_CLOSE);
    expect((await sim.sell(0.1)).retcode).toBe(Retcode.HEDGE_PROHIBITED);
    expect((await sim.sell(0.1, { position: oldest?.ticket ?? 0 })).retcode).toBe(Retcode.DONE);
  });

  it('takes commission on both deals, or on the entry alone', async () => {
    const both = symbolLike('EURUSD', { market: { commission: { perLot: 3.5, charged: 'both' } } });
    const sim = await RunningSimulator.scripted(quotes, { symbols: [both] });
    await sim.buy(0.1);
    await sim.close(await sim.position());
    expect((await sim.deals()).map(({ commission }) => commission)).toEqual([-0.35, -0.35]);
    expect(await sim.balance()).toBe(9_998.3);
  });

  it('is rejected for an action that does not exist', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    expect((await sim.send({ action: 3 })).retcode).toBe(Retcode.INVALID);
    expect((await sim.send({ action: TradeAction.DEAL, symbol: 'EURUSD', type: 5, volume: 1 })).retcode).toBe(10013);
  });
});

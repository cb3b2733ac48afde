import { DealEntry, OrderType, Retcode, TradeAction } from '@libs/terminal-client';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.102, 1.1021],
] as const;

describe('closing a position by an opposite one', () => {
  it('saves a spread: both legs go at the open price of the second, the result is on the first', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    const long = await sim.buy(0.3);
    await sim.clock.advance(1_000);
    const short = await sim.sell(0.1);
    const request = { action: TradeAction.CLOSE_BY, position: long.order, position_by: short.order };
    const result = await sim.send(request);
    expect(result).toMatchObject({ retcode: Retcode.DONE, volume: 0.1, price: 1.102 });
    expect(await sim.position()).toMatchObject({ ticket: long.order, volume: 0.2 });
    const closing = (await sim.deals()).slice(2);
    expect(closing).toMatchObject([
      { entry: DealEntry.OUT_BY, position_id: long.order, volume: 0.1, price: 1.102, profit: 19, order: result.order },
      { entry: DealEntry.OUT_BY, position_id: short.order, volume: 0.1, price: 1.102, profit: 0, order: result.order },
    ]);
    expect(await sim.client.historyOrdersGet({ ticket: result.order })).toMatchObject([
      {
        type: OrderType.CLOSE_BY,
        position_id: long.order,
        position_by_id: short.order,
        comment: `close #${long.order} by #${short.order}`,
      },
    ]);
    expect(await sim.balance()).toBe(10_019);
    expect((await sim.send(request)).retcode).toBe(Retcode.POSITION_CLOSED);
  });

  it('needs opposite positions of one symbol, and the symbol to permit it', async () => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', { order_mode: 63 })] });
    const first = await sim.buy(0.1);
    const second = await sim.buy(0.1);
    const third = await sim.sell(0.1);
    const by = { action: TradeAction.CLOSE_BY, position: first.order };
    expect((await sim.send({ ...by, position_by: second.order })).retcode).toBe(Retcode.INVALID);
    expect((await sim.send({ ...by, position_by: third.order })).retcode).toBe(Retcode.INVALID_ORDER);
  });
});

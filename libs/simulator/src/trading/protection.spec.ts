import { DealEntry, OrderState, Retcode, TradeAction, TradeReason } from '@libs/terminal-client';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.1049, 1.105],
  [2_000, 1.0949, 1.095],
  [3_000, 1.1049, 1.105],
] as const;

describe('the levels of a position', () => {
  it.each([
    ['a buy stops out at the bid', 0, { sl: 1.095 }, 1.0949, TradeReason.SL, '[sl 1.09500]', -52],
    ['a buy takes profit at the bid', 0, { tp: 1.104 }, 1.1049, TradeReason.TP, '[tp 1.10400]', 48],
    ['a sell stops out at the ask', 1, { sl: 1.104 }, 1.105, TradeReason.SL, '[sl 1.10400]', -50],
    ['a sell takes profit at the ask', 1, { tp: 1.0955 }, 1.095, TradeReason.TP, '[tp 1.09550]', 50],
  ])('close it by themselves: %s', async (_, type, levels, price, reason, comment, profit) => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(0.1, { type, magic: 9, ...levels });
    const { ticket } = await sim.position();
    await sim.clock.advance(3_000);
    expect(await sim.client.positionsGet()).toEqual([]);
    const [, exit] = await sim.deals();
    expect(exit).toMatchObject({ entry: DealEntry.OUT, price, reason, comment, profit, magic: 9, position_id: ticket });
    const [, order] = await sim.historyOrders();
    expect(order).toMatchObject({
      ticket: exit?.order,
      reason,
      comment,
      state: OrderState.FILLED,
      position_id: ticket,
    });
    expect(await sim.balance()).toBe(10_000 + profit);
  });

  it('are set together: a zero removes one', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(0.1, { sl: 1.09, tp: 1.12 });
    const { ticket: position } = await sim.position();
    expect((await sim.send({ action: TradeAction.SLTP, position, sl: 1.08, tp: 0 })).retcode).toBe(Retcode.DONE);
    expect(await sim.position()).toMatchObject({ sl: 1.08, tp: 0 });
    expect((await sim.send({ action: TradeAction.SLTP, position, sl: 1.08, tp: 0 })).retcode).toBe(Retcode.NO_CHANGES);
    expect((await sim.send({ action: TradeAction.SLTP, position, sl: 1.11, tp: 0 })).retcode).toBe(
      Retcode.INVALID_STOPS,
    );
    expect((await sim.send({ action: TradeAction.SLTP, position: 5, sl: 1, tp: 0 })).retcode).toBe(
      Retcode.POSITION_CLOSED,
    );
    expect((await sim.send({ action: TradeAction.SLTP, symbol: 'EURUSD', sl: 1, tp: 0 })).retcode).toBe(
      Retcode.INVALID,
    );
  });

  it('keep the stops level from the market', async () => {
    const sim = await RunningSimulator.scripted(quotes, { symbols: [symbolLike('EURUSD', { trade_stops_level: 50 })] });
    await sim.buy(0.1);
    const { ticket: position } = await sim.position();
    expect((await sim.send({ action: TradeAction.SLTP, position, sl: 1.0996, tp: 0 })).retcode).toBe(
      Retcode.INVALID_STOPS,
    );
    expect((await sim.send({ action: TradeAction.SLTP, position, sl: 1.0995, tp: 0 })).retcode).toBe(Retcode.DONE);
  });

  it('freeze a position that is about to reach one', async () => {
    const symbols = [symbolLike('EURUSD', { trade_freeze_level: 50 })];
    const sim = await RunningSimulator.scripted(quotes, { symbols });
    await sim.buy(0.1, { tp: 1.1052 });
    await sim.clock.advance(1_000);
    const position = await sim.position();
    const change = { action: TradeAction.SLTP, position: position.ticket, sl: 0, tp: 1.2 };
    expect((await sim.send(change)).retcode).toBe(Retcode.FROZEN);
    expect((await sim.close(position)).retcode).toBe(Retcode.FROZEN);
    await sim.clock.advance(1_000);
    expect((await sim.send(change)).retcode).toBe(Retcode.DONE);
  });
});

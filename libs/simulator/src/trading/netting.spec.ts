import { DealEntry, Retcode, TradeAction } from '@libs/terminal-client';
import { RunningSimulator } from '../testing/running-simulator';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.102, 1.1021],
  [2_000, 1.104, 1.1041],
] as const;
const netting = { account: { marginMode: 'netting' } } as const;

describe('a netting account', () => {
  it('has one position a symbol: deals of its direction add to it at the mean price', async () => {
    const sim = await RunningSimulator.scripted(quotes, netting);
    const first = await sim.buy(0.1, { sl: 1.05, magic: 1 });
    await sim.clock.advance(1_000);
    await sim.buy(0.3, { tp: 1.2, magic: 2 });
    expect(await sim.position()).toMatchObject({
      ticket: first.order,
      identifier: first.order,
      volume: 0.4,
      price_open: 1.1016,
      sl: 0,
      tp: 1.2,
      magic: 2,
    });
    expect((await sim.deals()).map(({ entry }) => entry)).toEqual([DealEntry.IN, DealEntry.IN]);
  });

  it('reduces and closes it by opposite deals', async () => {
    const sim = await RunningSimulator.scripted(quotes, netting);
    await sim.buy(0.3);
    await sim.clock.advance(1_000);
    await sim.sell(0.1);
    expect(await sim.position()).toMatchObject({ volume: 0.2, price_open: 1.1001 });
    await sim.sell(0.2);
    expect(await sim.client.positionsGet()).toEqual([]);
    expect((await sim.deals()).map(({ entry, profit }) => [entry, profit])).toEqual([
      [DealEntry.IN, 0],
      [DealEntry.OUT, 19],
      [DealEntry.OUT, 38],
    ]);
  });

  it('keeps its levels when it is closed in part, whether or not the order names the position', async () => {
    const sim = await RunningSimulator.scripted(quotes, netting);
    const { order } = await sim.buy(0.5, { sl: 1.05, tp: 1.2 });
    await sim.sell(0.1);
    expect(await sim.position()).toMatchObject({ volume: 0.4, sl: 1.05, tp: 1.2 });
    await sim.sell(0.1, { sl: 1.3, tp: 1 });
    expect(await sim.position()).toMatchObject({ volume: 0.3, sl: 1.05, tp: 1.2 });
    await sim.sell(0.1, { position: order });
    expect(await sim.position()).toMatchObject({ volume: 0.2, sl: 1.05, tp: 1.2 });
  });

  it('reverses it by one deal: the identifier stays, the ticket is that of the reversing order', async () => {
    const sim = await RunningSimulator.scripted(quotes, netting);
    const first = await sim.buy(0.1);
    await sim.clock.advance(1_000);
    const reversing = await sim.sell(0.3, { sl: 1.2 });
    expect(await sim.position()).toMatchObject({
      ticket: reversing.order,
      identifier: first.order,
      type: 1,
      volume: 0.2,
      price_open: 1.102,
      sl: 1.2,
    });
    const [, deal] = await sim.deals();
    expect(deal).toMatchObject({ entry: DealEntry.INOUT, volume: 0.3, profit: 19, position_id: first.order });
    expect(await sim.client.accountInfo()).toMatchObject({ balance: 10_019, margin: 220.4 });
  });

  it('takes an order that only reverses within its money, and levels by the symbol', async () => {
    const sim = await RunningSimulator.scripted(quotes, netting);
    await sim.buy(5);
    expect((await sim.sell(9)).retcode).toBe(Retcode.DONE);
    expect((await sim.sell(9)).retcode).toBe(Retcode.NO_MONEY);
    const request = { action: TradeAction.SLTP, symbol: 'EURUSD', sl: 1.2, tp: 0 };
    expect((await sim.send(request)).retcode).toBe(Retcode.DONE);
    expect(await sim.position()).toMatchObject({ type: 1, volume: 4, sl: 1.2 });
  });

  it('does not support close-by', async () => {
    const sim = await RunningSimulator.scripted(quotes, netting);
    await sim.buy(0.1);
    expect((await sim.send({ action: TradeAction.CLOSE_BY, position: 1, position_by: 2 })).retcode).toBe(
      Retcode.INVALID,
    );
  });
});

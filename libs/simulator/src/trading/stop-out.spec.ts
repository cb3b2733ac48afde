import { OrderState, OrderType, Retcode, TradeReason } from '@libs/terminal-client';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';

const quotes = [
  [0, 1.1, 1.1001],
  [1_000, 1.099, 1.0991],
  [2_000, 1.0905, 1.0906],
] as const;

describe('a stop out', () => {
  it('closes the most unprofitable position first, and no more than it takes', async () => {
    const sim = await RunningSimulator.scripted(quotes, { account: { balance: 1_000 } });
    const large = await sim.buy(0.6);
    const small = await sim.buy(0.3);
    await sim.clock.advance(2_000);
    expect(await sim.position()).toMatchObject({ ticket: small.order });
    const [, , exit] = await sim.deals();
    // 1000 - 0.9 lots × 96 points of 10 dollars = 136, of a margin of 990.09.
    expect(exit).toMatchObject({
      position_id: large.order,
      reason: TradeReason.SO,
      price: 1.0905,
      comment: '[so 13.74%/136.00/990.09]',
    });
    const account = await sim.client.accountInfo();
    expect(account?.margin_level).toBeGreaterThan(30);
  });

  it('waits for a level of the equity in money where the account says so', async () => {
    const account = { balance: 1_000, stopoutMode: 'money', marginCall: 200, stopOut: 100 } as const;
    const sim = await RunningSimulator.scripted(quotes, { account });
    await sim.buy(0.9);
    await sim.clock.advance(2_000);
    expect(await sim.client.positionsGet()).toHaveLength(1);
    expect(await sim.client.accountInfo()).toMatchObject({ equity: 136, margin_so_mode: 1, margin_so_so: 100 });
  });

  it('lets orders that reserve margin go first', async () => {
    const symbols = [symbolLike('EURUSD', { market: { marginRates: { buy: 1, sell: 1, pending: 1 } } })];
    const account = { balance: 1_000, stopOut: 80, marginCall: 90 };
    const sim = await RunningSimulator.scripted(quotes, { symbols, account });
    await sim.buy(0.3);
    const { order } = await sim.place(OrderType.BUY_LIMIT, 1.05, { volume: 0.55 });
    await sim.clock.advance(2_000);
    expect(await sim.client.positionsGet()).toHaveLength(1);
    expect(await sim.client.historyOrdersGet({ ticket: order })).toMatchObject([{ state: OrderState.CANCELED }]);
  });

  it('is preceded by the margin call', async () => {
    const sim = await RunningSimulator.scripted(quotes, { account: { balance: 1_000, marginCall: 100 } });
    await sim.buy(0.6);
    await sim.clock.advance(1_000);
    expect(sim.simulator.marginCalled).toBe(false);
    await sim.clock.advance(1_000);
    expect(sim.simulator.marginCalled).toBe(true);
  });

  it('leaves a hedged account alone: what one side loses the other gains', async () => {
    const sim = await RunningSimulator.scripted(quotes, { account: { balance: 1_000 } });
    await sim.buy(0.4);
    expect((await sim.sell(0.4)).retcode).toBe(Retcode.DONE);
    await sim.clock.advance(2_000);
    expect(await sim.client.positionsGet()).toHaveLength(2);
  });
});

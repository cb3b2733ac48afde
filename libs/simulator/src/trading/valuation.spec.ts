import { TradeAction } from '@libs/terminal-client';
import { RunningSimulator } from '../testing/running-simulator';
import { Book } from './book';
import { TradeServer } from './trade-server';
import type { AccountSums } from './valuation';

/** The sums of the account, and those of a book that was filled with the same positions now. */
function bothSums({ simulator }: RunningSimulator): { readonly kept: AccountSums; readonly fresh: AccountSums } {
  const { market, book, account, server } = simulator.terminal.brokerNow();
  const copy = new Book(1);
  for (const deal of book.deals.rows) copy.addDeal(deal);
  for (const position of book.positions.values()) copy.putPosition({ ...position });
  const kept = server.valuation.sums();
  return { kept, fresh: new TradeServer(market, copy, account).valuation.sums() };
}

describe('the sums of an account', () => {
  let sim: RunningSimulator;
  beforeEach(async () => {
    sim = await RunningSimulator.start({ account: { balance: 1_000_000 }, hours: 'always' });
    for (const [index, symbol] of ['EURUSD', 'USDJPY', 'EURJPY', 'XAUUSD', 'EURUSD', 'EURJPY'].entries()) {
      await (index % 2 === 0 ? sim.buy(0.3, { symbol }) : sim.sell(0.2, { symbol }));
    }
    bothSums(sim);
  });
  afterEach(() => sim.simulator.stop());

  const expectFresh = (): void => {
    const { kept, fresh } = bothSums(sim);
    expect(kept).toEqual(fresh);
  };
  const first = async () => {
    const [position] = await sim.client.positionsGet({ symbol: 'EURUSD' });
    if (!position) throw new Error('no position');
    return position;
  };

  it('follow the prices, of other symbols that convert them as well', async () => {
    expect(await sim.client.positionsGet()).toHaveLength(6);
    const before = bothSums(sim).kept;
    for (let step = 0; step < 200; step++) {
      sim.clock.advanceSync(700);
      expectFresh();
    }
    expect(bothSums(sim).kept.profit).not.toBe(before.profit);
  });

  it('follow a position that is opened, reduced and closed at the same prices', async () => {
    const { profit } = bothSums(sim).kept;
    await sim.buy(1);
    expectFresh();
    expect(bothSums(sim).kept.profit).not.toBe(profit);
    const position = await first();
    await sim.close(position, 0.1);
    expectFresh();
    await sim.close({ ...position, volume: 0.2 });
    expectFresh();
    for (const each of await sim.client.positionsGet()) await sim.close(each);
    expectFresh();
    expect(bothSums(sim).kept).toMatchObject({ profit: 0, margin: 0 });
  });

  it('follow the swap that is charged at the end of the day', () => {
    const { swaps } = swapsOf(sim);
    sim.clock.advanceSync(86_400_000);
    expectFresh();
    expect(swapsOf(sim).swaps).not.toBe(swaps);
  });

  it('follow a position of a netting account that is enlarged and reversed', async () => {
    const netting = await RunningSimulator.start({ account: { marginMode: 'netting', balance: 1_000_000 } });
    for (const [type, volume] of [
      ...[
        [0, 0.1],
        [0, 0.2],
        [1, 0.1],
        [1, 0.5],
        [0, 0.3],
      ],
    ] as const) {
      await netting.send({ action: TradeAction.DEAL, symbol: 'EURUSD', type, volume });
      const { kept, fresh } = bothSums(netting);
      expect(kept).toEqual(fresh);
    }
    await netting.simulator.stop();
  });
});

function swapsOf({ simulator }: RunningSimulator): { readonly swaps: number } {
  return {
    swaps: [...simulator.terminal.brokerNow().book.positions.values()].reduce((sum, { swap }) => sum + swap, 0),
  };
}

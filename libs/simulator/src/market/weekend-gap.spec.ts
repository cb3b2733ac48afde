import { TradeReason } from '@libs/terminal-client';
import { RunningSimulator } from '../testing/running-simulator';

const FRIDAY = Date.UTC(2024, 4, 17, 20);
const HOUR = 3_600_000;

describe('a weekend', () => {
  it('is jumped over by a stop loss, which fills at the first price on the other side', async () => {
    const quotes = [
      [0, 1.1, 1.1001],
      [50 * HOUR, 1.085, 1.086],
    ] as const;
    const feed = { kind: 'scripted', quotes: { EURUSD: quotes } } as const;
    const sim = await RunningSimulator.start({ hours: 'market', feed }, FRIDAY);
    await sim.buy(0.1, { sl: 1.095 });
    await sim.clock.advance(49 * HOUR);
    expect(await sim.client.positionsGet()).toHaveLength(1);
    await sim.clock.advance(HOUR);
    expect((await sim.deals())[1]).toMatchObject({ reason: TradeReason.SL, price: 1.085, profit: -151, swap: -0.61 });
  });

  it('charges the swap of Friday night, and of no other until Monday', async () => {
    const sim = await RunningSimulator.start({ hours: 'market' }, FRIDAY);
    await sim.buy(1);
    await sim.clock.advance(2 * HOUR);
    const { swap } = await sim.position();
    expect(swap).toBeLessThan(0);
    await sim.clock.advance(48 * HOUR);
    expect((await sim.position()).swap).toBe(swap);
  });
});

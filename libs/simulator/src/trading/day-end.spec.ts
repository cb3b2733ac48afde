import { DealEntry, TradeReason } from '@libs/terminal-client';
import { RunningSimulator, symbolLike } from '../testing/running-simulator';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const quotes = [
  [0, 1.1, 1.1001],
  [DAY, 1.1, 1.1001],
] as const;

const afterDays = async (
  days: number,
  changes: Parameters<typeof symbolLike>[1],
  volume = 1,
): Promise<RunningSimulator> => {
  const symbols = [symbolLike('EURUSD', { swap_long: -6, swap_short: 2, swap_rollover3days: 3, ...changes })];
  const sim = await RunningSimulator.scripted(quotes, { symbols });
  await sim.buy(volume);
  await sim.clock.advance(days * DAY);
  return sim;
};

describe('swap', () => {
  it.each([
    ['points', { swap_mode: 1 }, -6],
    ['money in the base currency', { swap_mode: 2 }, -6.6],
    ['money in the margin currency', { swap_mode: 3 }, -6.6],
    ['money in the deposit currency', { swap_mode: 4 }, -6],
    ['interest on the present price', { swap_mode: 5 }, -18.33],
    ['interest on the open price', { swap_mode: 6 }, -18.34],
    ['nothing when disabled', { swap_mode: 0 }, 0],
  ])('is charged at the end of the server day: %s', async (_, changes, swap) => {
    const sim = await afterDays(1, changes);
    expect(await sim.position()).toMatchObject({ swap });
    expect(await sim.client.accountInfo()).toMatchObject({ balance: 10_000, profit: -10 + swap });
  });

  it('is charged three times on the triple day, and not at the weekend', async () => {
    // Tuesday to Tuesday: Tuesday, Wednesday (three), Thursday, Friday, Monday.
    expect(await (await afterDays(7, { swap_mode: 1 })).position()).toMatchObject({ swap: -42 });
  });

  it('is charged at midnight of the server, not of UTC', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    await sim.buy(1);
    await sim.clock.advance(11 * HOUR - 1);
    expect(await sim.position()).toMatchObject({ swap: 0 });
    await sim.clock.advance(1);
    expect(await sim.position()).toMatchObject({ swap: -6.1 });
  });

  it('goes to the deal that closes the position, by its share', async () => {
    const sim = await afterDays(1, { swap_mode: 1 });
    await sim.close(await sim.position(), 0.25);
    expect(await sim.position()).toMatchObject({ swap: -4.5, volume: 0.75 });
    const [, part] = await sim.deals();
    expect(part).toMatchObject({ swap: -1.5, profit: -2.5 });
    await sim.close(await sim.position());
    expect(await sim.balance()).toBe(9_984);
  });

  it.each([
    ['at the close price', 7],
    ['at the bid', 8],
  ])('by reopening: a new ticket %s less the points, the identifier stays', async (_, swap_mode) => {
    const sim = await afterDays(1, { swap_mode });
    const [opening, out, again] = await sim.deals();
    expect(out).toMatchObject({ entry: DealEntry.OUT, reason: TradeReason.ROLLOVER, price: 1.1, profit: -10 });
    expect(again).toMatchObject({ entry: DealEntry.IN, reason: TradeReason.ROLLOVER, price: 1.10006 });
    expect(await sim.position()).toMatchObject({
      ticket: again?.order,
      identifier: opening?.order,
      price_open: 1.10006,
      swap: 0,
    });
  });
});

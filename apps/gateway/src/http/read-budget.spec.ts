import { VirtualClock } from '@libs/clock';
import { ReadBudget } from './read-budget';

describe('the time of long reads', () => {
  it.each([
    ['readonly', [0, 1_000, 2_000]],
    ['primary', [0, 0, 0]],
  ] as const)('of the %s key begin at %j ms, if each takes 500 ms', async (keyRole, begun) => {
    const clock = new VirtualClock(0);
    const budget = new ReadBudget(clock);
    const begins: number[] = [];
    const read = async (): Promise<void> => {
      begins.push(clock.monotonicMs());
      await clock.sleep(500);
    };
    // Of the read-only key, half of the time is left to trading.
    const all = Promise.all([1, 2, 3].map(() => budget.run({ keyRole }, read)));
    for (let ms = 0; ms < 3_000; ms += 100) await clock.advance(100);
    await all;
    expect(begins.map((ms) => ms - (begins[0] ?? 0))).toEqual(begun);
  });
});

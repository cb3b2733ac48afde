import { eachOf } from './account-sync';

describe('work on many', () => {
  it('runs a few at a time, and ends after all of them, with the first error', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    const items = [1, 2, 3, 4, 5, 6, 7];
    const work = eachOf(items, 3, async (item) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (item === 2 || item === 4) throw new Error(`not ${item}`);
      done.push(item);
    });
    await expect(work).rejects.toThrow('not 2');
    expect([most, running]).toEqual([3, 0]);
    expect(done).toEqual([1, 3, 5, 6, 7]);
  });
});

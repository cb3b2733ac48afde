import { Slots } from './slots';

describe('Slots', () => {
  it('runs as many tasks at a time as it has slots, the others in their order', async () => {
    const slots = new Slots(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const task = (number: number): Promise<number> =>
      slots.take(async () => {
        begun.push(number);
        await new Promise<void>((resolve) => ends.push(resolve));
        return number;
      });
    const results = [0, 1, 2, 3, 4].map(task);
    await settled();
    expect(begun).toEqual([0, 1]);
    ends[1]?.();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    ends[0]?.();
    ends[2]?.();
    await settled();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    ends[3]?.();
    ends[4]?.();
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4]);
  });

  it('frees the slot of a task that fails', async () => {
    const slots = new Slots(1);
    await expect(slots.take(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await slots.take(() => Promise.resolve('next'))).toBe('next');
  });

  it('gives no slot to a newcomer while others wait', async () => {
    const slots = new Slots(1);
    const begun: string[] = [];
    const task = (name: string) => () => Promise.resolve(void begun.push(name));
    const late: Promise<void>[] = [];
    const first = slots.take(() => {
      late.push(Promise.resolve().then(() => slots.take(task('late'))));
      return task('first')();
    });
    await Promise.all([first, slots.take(task('second'))]);
    await Promise.all(late);
    expect(begun).toEqual(['first', 'second', 'late']);
  });
});

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

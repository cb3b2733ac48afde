import { Turns } from './turns';

describe('turns', () => {
  it('come one after the other in the order they were asked for, whatever becomes of the one before', async () => {
    const turns = new Turns();
    const done: string[] = [];
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const first = turns.take(async () => {
      await gate;
      done.push('first');
      throw new Error('came to nothing');
    });
    const second = turns.take(() => Promise.resolve(done.push('second')));
    open();
    await expect(first).rejects.toThrow('came to nothing');
    expect(await second).toBe(2);
    expect(done).toEqual(['first', 'second']);
  });
});

import { Turns } from './follower';

describe('turns', () => {
  it('run one after another in the order of the calls, even if an earlier one fails', async () => {
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

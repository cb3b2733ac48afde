import { SharedWork } from './shared-work';

describe('work shared by requests', () => {
  it('is done once for all requests of one turn, and again for later ones', async () => {
    const shared = new SharedWork<number>();
    let done = 0;
    const work = async () => ++done;
    expect(await Promise.all([shared.once('a', work), shared.once('a', work), shared.once('b', work)])).toEqual([
      1, 1, 2,
    ]);
    expect(await shared.once('a', work)).toBe(3);
  });

  it('does not start before the turn is over, and cannot be joined after it', async () => {
    const shared = new SharedWork<string>();
    const log: string[] = [];
    let finish: () => void = () => undefined;
    const slow = () => {
      log.push('begun');
      return new Promise<string>((resolve) => (finish = () => resolve('first')));
    };
    const first = shared.once('a', slow);
    expect(log).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['begun']);
    const second = shared.once('a', async () => 'second');
    expect(await second).toBe('second');
    finish();
    expect(await first).toBe('first');
  });

  it('fails for all sharers', async () => {
    const shared = new SharedWork<number>();
    const work = () => Promise.reject(new Error('no'));
    const results = await Promise.allSettled([shared.once('a', work), shared.once('a', work)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

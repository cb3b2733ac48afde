import { LevelTurns } from './level-turns';

describe('the turns of sends that use the levels of one position', () => {
  const turns = new LevelTurns();
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** Begins sends in the given order, and reports which of them may be sent. */
  const queue = async (...uses: ('replaces' | 'keeps')[]) => {
    const ends: (() => void)[] = [];
    for (const [index, use] of uses.entries()) {
      const { wait, end } = turns.begin('EURUSD', use);
      void (wait ?? Promise.resolve()).then(() => (ends[index] = end));
    }
    await settled();
    const sending = () => uses.map((_, index) => index in ends);
    const end = async (index: number) => {
      ends[index]?.();
      ends[index]?.();
      await settled();
    };
    return { sending, end };
  };

  it('lets orders go together, and a change after both of them', async () => {
    const { sending, end } = await queue('replaces', 'replaces', 'keeps');
    expect(sending()).toEqual([true, true, false]);
    await end(0);
    expect(sending()).toEqual([true, true, false]);
    await end(1);
    expect(sending()).toEqual([true, true, true]);
    await end(2);
  });

  it('holds orders and other changes until a change has ended', async () => {
    const { sending, end } = await queue('keeps', 'replaces', 'keeps', 'replaces');
    expect(sending()).toEqual([true, false, false, false]);
    await end(0);
    expect(sending()).toEqual([true, true, false, false]);
    await end(1);
    expect(sending()).toEqual([true, true, true, false]);
    await end(2);
    expect(sending()).toEqual([true, true, true, true]);
    await end(3);
  });

  it('does not hold sends of another symbol', async () => {
    const { end } = await queue('keeps');
    const other = turns.begin('USDJPY', 'keeps');
    expect(other.wait).toBeNull();
    other.end();
    await end(0);
  });
});

import { Turns } from './turns';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  it('run as much as fits at once, and the rest in order of arrival', async () => {
    const turns = new Turns(2);
    const run: number[] = [];
    for (let piece = 1; piece <= 5; piece++) turns.take(() => run.push(piece));
    expect(run).toEqual([1, 2]);
    await nextTurn();
    expect(run).toEqual([1, 2, 3, 4]);
    turns.take(() => run.push(6));
    await nextTurn();
    expect(run).toEqual([1, 2, 3, 4, 5, 6]);
    await nextTurn();
    turns.take(() => run.push(7));
    expect(run.at(-1)).toBe(7);
  });

  it('keep the order if a piece adds another', async () => {
    const turns = new Turns(1);
    const run: string[] = [];
    turns.take(() => run.push('a'));
    turns.take(() => {
      run.push('b');
      turns.take(() => run.push('d'));
    });
    turns.take(() => run.push('c'));
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    expect(run).toEqual(['a', 'b', 'c', 'd']);
  });

  it('continue after a piece that throws', async () => {
    const turns = new Turns(1);
    const run: string[] = [];
    expect(() =>
      turns.take(() => {
        throw new Error('bad');
      }),
    ).toThrow('bad');
    turns.take(() => run.push('next'));
    await nextTurn();
    expect(run).toEqual(['next']);
  });

  it('skip a turn with more urgent work, and keep the order', async () => {
    const turns = new Turns(2);
    const run: number[] = [];
    turns.pass(1);
    for (let piece = 1; piece <= 3; piece++) turns.take(() => run.push(piece));
    expect(run).toEqual([]);
    await nextTurn();
    turns.pass(1);
    await nextTurn();
    expect(run).toEqual([]);
    await nextTurn();
    expect(run).toEqual([1, 2]);
    await nextTurn();
    expect(run).toEqual([1, 2, 3]);
  });

  it('skip the requested number of turns', async () => {
    const turns = new Turns(1);
    let ran = 0;
    turns.pass(3);
    turns.pass(1);
    turns.take(() => (ran += 1));
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(ran).toBe(0);
    await nextTurn();
    expect(ran).toBe(1);
  });

  it('run after a hundred skipped turns, even if urgent work continues', async () => {
    const turns = new Turns(1);
    let ran = 0;
    for (let piece = 1; piece <= 3; piece++) turns.take(() => (ran += 1));
    for (let turn = 0; turn < 100; turn++) {
      turns.pass(1);
      await nextTurn();
    }
    expect(ran).toBe(1);
    for (let turn = 0; turn < 220; turn++) {
      turns.pass(1);
      await nextTurn();
    }
    expect(ran).toBe(3);
  });
});

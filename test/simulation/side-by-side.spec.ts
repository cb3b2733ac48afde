import { sideBySide } from './side-by-side';

describe('work side by side', () => {
  it('is begun in order, so many at a time', async () => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const done = sideBySide([1, 2, 3], 2, (item) => {
      begun.push(item);
      return new Promise((resolve) => ends.push(resolve));
    });
    expect(begun).toEqual([1, 2]);
    ends[1]?.();
    await new Promise(setImmediate);
    expect(begun).toEqual([1, 2, 3]);
    for (const end of ends) end();
    await done;
  });

  it('ends with the first failure', async () => {
    await expect(sideBySide([1, 2], 1, () => Promise.reject(new Error('a child failed')))).rejects.toThrow(
      'a child failed',
    );
  });
});

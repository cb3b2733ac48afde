/** Does something with each item, at most `jobs` at a time, in their order. An item is taken when it is begun. */
export async function sideBySide<T>(items: Iterable<T>, jobs: number, act: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

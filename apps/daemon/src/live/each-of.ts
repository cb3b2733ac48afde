/**
 * Runs a task for every item with limited concurrency and waits for all. @throws the first error, after all have ended
 */
export async function eachOf<Item>(
  items: readonly Item[],
  atATime: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await run(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}

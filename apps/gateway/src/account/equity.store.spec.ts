import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { passUntilDone } from '../testing/passing-time';
import { EquityStore } from './equity.store';

describe('the record of the equity', () => {
  const clock = new VirtualClock();
  const disk = new SimulatedDisk(clock, () => 0.5);
  const amounts = { balance: 100, equity: 90 };
  const add = (store: EquityStore, account: string, atMs: number): Promise<void> =>
    passUntilDone(clock, store.add(account, { atMs, ...amounts }));
  const timesOf = (store: EquityStore, account: string): number[] =>
    store.after(account, -1, 1, 100).map(({ atMs }) => atMs);

  it('drops the oldest readings of all accounts beyond its limit, also one that was lowered', async () => {
    const store = new EquityStore(disk.view.stores, '/equity', 5);
    for (const atMs of [10, 20, 30]) await add(store, 'one', atMs);
    for (const atMs of [25, 35]) await add(store, 'other', atMs);
    await add(store, 'one', 40);
    await add(store, 'one', 40);
    expect([timesOf(store, 'one'), timesOf(store, 'other')]).toEqual([
      [20, 30, 40],
      [25, 35],
    ]);
    await passUntilDone(clock, store.close());

    const smaller = new EquityStore(disk.view.stores, '/equity', 3);
    await add(smaller, 'other', 50);
    expect([timesOf(smaller, 'one'), timesOf(smaller, 'other')]).toEqual([[], [25, 35, 50]]);
    await passUntilDone(clock, smaller.close());
  });
});

import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { passUntilDone } from '../testing/passing-time';
import { EventLogStore } from './event-log.store';
import type { UnnumberedEvent } from './trade-event';

describe('the numbers of the events', () => {
  let clock: VirtualClock;
  let disk: SimulatedDisk;
  let store: EventLogStore;

  const open = (keep = 3): EventLogStore => new EventLogStore(disk.view.stores, '/events', keep, 100);
  const event: UnnumberedEvent = {
    event: 'resync',
    action: 'account_changed',
    recorded_at: '',
    login: 7,
    server: 'Demo',
  };
  const append = (count = 1): Promise<readonly number[]> =>
    passUntilDone(clock, store.appendSignals(Array<UnnumberedEvent>(count).fill(event), 1)).then((events) =>
      events.map(({ seq }) => seq),
    );
  const kept = (): readonly number[] => store.after(0, 100).map(({ seq }) => seq);

  beforeEach(() => {
    clock = new VirtualClock(0);
    disk = new SimulatedDisk(clock, () => 0.5);
    store = open();
  });

  it('are shown once the events are on disk, not before: a reader would skip what a failed write never gives', async () => {
    const writing = store.appendSignals([event, event], 1);
    // The write has begun, and waits for the disk.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect([store.lastSeq, store.firstSeq, kept()]).toEqual([99, 100, []]);
    await passUntilDone(clock, writing);
    expect([store.lastSeq, store.firstSeq, kept()]).toEqual([101, 100, [100, 101]]);
  });

  it('have no gap after writes that failed, also for those that had begun meanwhile', async () => {
    await append();
    disk.setReadOnly(true);
    const failed = await Promise.allSettled(
      [1, 2, 3].map((count) => passUntilDone(clock, store.appendSignals(Array<UnnumberedEvent>(count).fill(event), 1))),
    );
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect([store.lastSeq, store.firstSeq, kept()]).toEqual([100, 100, [100]]);
    disk.setReadOnly(false);
    await passUntilDone(clock, store.probe());
    const both = await Promise.all([append(), append(2)]);
    expect(both).toEqual([[101], [102, 103]]);
    expect([store.firstSeq, store.lastSeq, kept()]).toEqual([101, 103, [101, 102, 103]]);
  });

  it('go on after a power failure in the middle of a write', async () => {
    await append(4);
    void store.appendSignals([event], 1).catch(() => undefined);
    disk.crash('power');
    store = open(2);
    expect([store.firstSeq, store.lastSeq, kept()]).toEqual([101, 103, [101, 102, 103]]);
    // The limit was lowered.
    expect(await append()).toEqual([104]);
    expect([store.firstSeq, kept()]).toEqual([103, [103, 104]]);
  });
});

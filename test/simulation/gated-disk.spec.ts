import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import type { Store, Table } from '@libs/store';
import { GatedStores, type CommittedEntry } from './gated-disk';
import { ProgramLife } from './instance-clock';
import { PortCalls } from './port-calls';
import { VirtualTime } from './virtual-time';

describe('the stores of a program that can be killed', () => {
  const clock = new VirtualClock();
  // A commit that a kill cuts short is on the disk.
  const disk = new SimulatedDisk(clock, () => 0.1);
  const committed: CommittedEntry[] = [];
  const found: CommittedEntry[] = [];
  const opened = (): Store<Table<string, string>> => {
    const calls = new PortCalls(new ProgramLife(), new VirtualTime(0), () => undefined);
    const { stores } = disk.view;
    const report = (_: string, entries: readonly CommittedEntry[]) => void committed.push(...entries);
    const gated = new GatedStores(
      stores,
      calls,
      () => 0,
      ['watched'],
      report,
      (entries) => found.push(...entries),
    );
    const options = { name: 'the state', path: '/state', layout: 'folder', maxTables: 1 } as const;
    return gated.open(options, (source) => source.table<string, string>('watched'));
  };

  it('report a commit that a kill cut short when they are opened again', async () => {
    disk.setPace({ commitMs: 1_000 });
    void opened().write((table) => table.put('k1', 'settled'));
    await clock.advance(500);
    disk.crash('process');
    expect(committed).toEqual([]);
    opened();
    expect(found).toEqual([{ key: 'k1', value: 'settled' }]);
  });
});

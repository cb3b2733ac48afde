import { SimulatedDisk, type Crash } from '@libs/simulated-disk';
import type { DaemonEdge } from '../../../apps/daemon/src/daemon.edge';
import type { Command } from '../../../apps/daemon/src/commands/command';
import { GatedStores, gatedFiles, type CommittedEntry } from '../gated-disk';
import { InstanceClock, ProgramLife } from '../instance-clock';
import type { PortCalls } from '../port-calls';
import type { SeededRandom } from '../seeded-random';
import type { DiskFault } from '../steps';
import type { VirtualTime } from '../virtual-time';

export const daemonStateDir = '/daemon/state';
/** The tables of the state that requests and tickets are in, what strategies keep, and exits that a database did not take. */
const watchedTables = ['intents-by-strategy', 'tickets-by-strategy', 'kept-by-strategy', 'exits'];

/** The computer that the daemon runs on: what is on its disk outlives every run. */
export class DaemonMachine {
  private readonly disk: SimulatedDisk;
  private commands = 0;

  /**
   * @param committed called with the requests and tickets that are on disk now, and what strategies keep
   * @param found called with all of them when a run opens the disk
   */
  constructor(
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
    private readonly committed: (entries: readonly CommittedEntry[]) => void,
    private readonly found: (entries: readonly CommittedEntry[]) => void,
  ) {
    const clock = new InstanceClock(time, new ProgramLife(), { offMs: 0 });
    this.disk = new SimulatedDisk(clock, () => random.next());
  }

  /** The disk as one run of the daemon has it. */
  edge(calls: PortCalls): Pick<DaemonEdge, 'stores' | 'files' | 'hold'> {
    const { stores, files } = this.disk.view;
    return {
      stores: new GatedStores(
        stores,
        calls,
        () => this.time.elapsedMs,
        watchedTables,
        (_, entries) => this.committed(entries),
        (entries) => this.found(entries),
      ),
      files: gatedFiles(files, calls),
      // There is one daemon at a time.
      hold: () => Promise.resolve({ release: () => Promise.resolve() }),
    };
  }

  crash(kind: Crash): void {
    this.disk.crash(kind);
  }

  /** A command of the operator, as `daemon settle` and `daemon resume` leave it. */
  leave(command: Command): void {
    this.commands += 1;
    const name = String(this.commands).padStart(6, '0');
    this.disk.replace(`${daemonStateDir}/commands/${name}.command`, JSON.stringify(command));
  }

  strike(fault: DiskFault): void {
    switch (fault) {
      case 'full':
        return this.disk.fill(this.random.integer(0, 3) * 4_096);
      case 'read-only':
        return this.disk.setReadOnly(true);
      case 'slow':
        return this.disk.setPace({ operationMs: this.random.integer(0, 50), syncMs: 200, commitMs: 400 });
      case 'failing sync':
        return this.disk.setFailingSyncs(true);
    }
  }

  /** Everything is in order again. */
  clear(): void {
    this.disk.makeSpace();
    this.disk.setReadOnly(false);
    this.disk.setFailingSyncs(false);
    this.disk.setPace({});
  }
}

import type { Files, OpenFile } from '@libs/files';
import { SimulatedDisk, type Crash } from '@libs/simulated-disk';
import type { GatewayEdge } from '../../apps/gateway/src/gateway.edge';
import { GatedStores, gatedFiles } from './gated-disk';
import { InstanceClock, ProgramLife } from './instance-clock';
import type { DiskFault, DiskName } from './steps';
import type { PortCalls } from './port-calls';
import type { SeededRandom } from './seeded-random';
import type { VirtualTime } from './virtual-time';

const stateFolder = '/state';
const journalFolder = `${stateFolder}/trade-journal`;
const journalFile = `${journalFolder}/data.mdb`;
const journalName = 'the trade journal';
/** The table of the journal that intents are in. */
const intentsTable = 'intents';
/** More than a commit of many requests takes. */
const commitBytes = 65_536;
const paths = {
  audit: '/log/order-audit.jsonl',
  killSwitch: '/log/kill-switch',
  state: stateFolder,
} as const;

/** What a gateway writes to find out whether the log's disk takes lines. */
const probeBytes = 4_096;
/** How long a call to a slow disk takes at most, and the writes of an intent, those that they wait for included. */
const slowCallMs = 50;
const slowWriteMs = 5_000;

/**
 * The computer that the gateway runs on: what is on its disks outlives every run. The journal is on one disk, the audit log
 * and the kill switch are on another one, as the documentation advises.
 */
export class GatewayMachine {
  readonly paths = paths;
  private tookLineMs = 0;
  private tookCommitMs = 0;
  private readonly unwritableSince = new Map<'full log' | 'full journal' | 'other', number>();
  /** When the first write of each intent began that is in the journal, on disk: virtual milliseconds by its id. */
  readonly journaled = new Map<string, number>();
  /** The last crash may have taken lines that the log could not write: an outcome can be missing. */
  hasLostLines = false;
  private isLogTroubled = false;
  /** The log had a fault, and nothing was synced since: its last lines are in memory alone, or in the cache of the disk. */
  private hasUnsyncedLines = false;
  private isStateTroubled = false;
  private isSlow = false;
  private slowUntilMs = 0;
  private readonly disks: Readonly<Record<DiskName, SimulatedDisk>>;
  private rotations = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
  ) {
    const clock = new InstanceClock(time, new ProgramLife(), { offMs: 0 });
    const disk = (): SimulatedDisk => new SimulatedDisk(clock, () => this.random.next());
    this.disks = { state: disk(), log: disk() };
  }

  /** The disks as one run of the gateway has them. */
  edge(calls: PortCalls): Pick<GatewayEdge, 'stores' | 'files'> {
    const { state, log } = this.disks;
    const files = mounted(state.view.files, this.notingLines(log.view.files));
    return {
      stores: new GatedStores(
        state.view.stores,
        calls,
        () => this.time.elapsedMs,
        [intentsTable],
        (store, entries, beganMs) =>
          this.committed(
            store,
            entries.map(({ key }) => key),
            beganMs,
          ),
      ),
      files: gatedFiles(files, calls),
    };
  }

  private committed(store: string, intentIds: readonly string[], beganMs: number): void {
    if (store === journalName) this.tookCommitMs = this.time.elapsedMs;
    for (const id of intentIds) this.journaled.set(id, this.journaled.get(id) ?? beganMs);
  }

  /** The run has ended. */
  crash(kind: Crash): void {
    this.hasLostLines = this.hasUnsyncedLines;
    for (const disk of Object.values(this.disks)) disk.crash(kind);
  }

  /** The audit log from its first file to the present one. */
  get auditLogs(): string[] {
    const rotated = Array.from({ length: this.rotations }, (_, index) => `${paths.audit}.${index + 1}`);
    return [...rotated, paths.audit].map((path) => this.disks.log.text(path) ?? '');
  }

  rotateAuditLog(): void {
    if (this.disks.log.text(paths.audit) === null) return;
    this.rotations += 1;
    this.disks.log.move(paths.audit, `${paths.audit}.${this.rotations}`);
  }

  /** Only while no program runs. What replaces the journal's disk is in order, so that a new journal can be made. */
  loseJournal(): void {
    this.clear();
    this.disks.state.remove(journalFolder);
  }

  /** Both disks may refuse writes: an exit is then sent without an intent on either, as documented. */
  get mayLoseExits(): boolean {
    return this.isLogTroubled && this.isStateTroubled;
  }

  /** Virtual time since which a disk takes no writes; null while both take some. */
  get unwritableSinceMs(): number | null {
    const since = [...this.unwritableSince].flatMap(([cause, sinceMs]) => {
      switch (cause) {
        case 'full log':
          // The last block of the file may have room for some lines more.
          return this.hasLogRoom ? [] : [Math.max(sinceMs, this.tookLineMs)];
        case 'full journal':
          // A start finds the reserve as whole as the commits of the run before left it.
          return this.hasJournalRoom ? [] : [Math.max(sinceMs, this.tookCommitMs)];
        case 'other':
          return [sinceMs];
      }
    });
    return since.length === 0 ? null : Math.min(...since);
  }

  /** The same files; notes when the audit log took lines. */
  private notingLines(files: Files): Files {
    const noting = (file: OpenFile): OpenFile => ({
      stat: (options) => file.stat(options),
      read: (...range) => file.read(...range),
      appendFile: async (text) => {
        await file.appendFile(text);
        this.tookLineMs = this.time.elapsedMs;
      },
      datasync: async () => {
        await file.datasync();
        if (!this.isLogTroubled) this.hasUnsyncedLines = false;
      },
      sync: () => file.sync(),
      close: () => file.close(),
    });
    return {
      ...mounted(files, files),
      open: async (path, flag, mode) => {
        const file = await files.open(path, flag, mode);
        return path === paths.audit ? noting(file) : file;
      },
    };
  }

  /** A probe that was removed has left room for lines on a full disk, and one that is there will. */
  private get hasLogRoom(): boolean {
    const { log } = this.disks;
    return log.freeBytes >= probeBytes || (log.text(`${paths.audit}.probe`) ?? '') !== '';
  }

  private get hasJournalRoom(): boolean {
    return this.disks.state.roomIn(journalFile) >= commitBytes;
  }

  /** How long a call to a disk takes at most that ends now: one that began on a slow disk stays slow. */
  get callMs(): number {
    return this.isSlow || this.time.elapsedMs < this.slowUntilMs ? slowCallMs : 0;
  }

  createSwitchFile(): void {
    this.disks.log.replace(paths.killSwitch, '');
  }

  removeSwitchFile(): void {
    this.disks.log.remove(paths.killSwitch);
  }

  strike(name: DiskName, fault: DiskFault): void {
    const disk = this.disks[name];
    // Without any journal a gateway cannot start on a disk that takes none: it says so, and ends.
    const hasJournal = this.disks.state.text(journalFile) !== null;
    if (name === 'state' && fault !== 'slow' && !hasJournal) return;
    if (name === 'log' && fault !== 'slow') this.isLogTroubled = this.hasUnsyncedLines = true;
    if (name === 'state' && fault !== 'slow') this.isStateTroubled = true;
    switch (fault) {
      case 'full': {
        const leftBytes = this.random.integer(0, 3) * 4_096;
        disk.fill(leftBytes);
        // A file takes what is left; an order needs more room in a journal.
        if (name === 'log' && leftBytes > 0) return;
        break;
      }
      case 'read-only':
        disk.setReadOnly(true);
        break;
      case 'slow':
        this.isSlow = true;
        return disk.setPace({ operationMs: this.random.integer(0, slowCallMs), syncMs: 200, commitMs: 400 });
      case 'failing sync':
        return disk.setFailingSyncs(true);
    }
    const fullCause = name === 'log' ? 'full log' : 'full journal';
    const cause = fault === 'full' ? fullCause : 'other';
    if (!this.unwritableSince.has(cause)) this.unwritableSince.set(cause, this.time.elapsedMs);
  }

  /** Everything is in order again. */
  clear(): void {
    this.unwritableSince.clear();
    if (this.isSlow) this.slowUntilMs = this.time.elapsedMs + slowWriteMs;
    this.isSlow = false;
    this.isLogTroubled = false;
    this.isStateTroubled = false;
    for (const disk of Object.values(this.disks)) {
      disk.makeSpace();
      disk.setReadOnly(false);
      disk.setFailingSyncs(false);
      disk.setPace({});
    }
  }
}

/** One tree of files with the state folder on a disk of its own. */
function mounted(state: Files, others: Files) {
  const of = (path: string): Files => (path.startsWith(stateFolder) ? state : others);
  return {
    mkdir: (path, options) => of(path).mkdir(path, options),
    open: (path, flag, mode) => of(path).open(path, flag, mode),
    chmod: (path, mode) => of(path).chmod(path, mode),
    readdir: (path) => of(path).readdir(path),
    stat: (path, options) => of(path).stat(path, options),
    rm: (path, options) => of(path).rm(path, options),
    rename: (from, to) => of(from).rename(from, to),
  } satisfies Files;
}

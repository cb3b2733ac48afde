import type { Clock } from '@libs/clock';
import type { Files } from '@libs/files';
import type { StoreEngine } from '@libs/store';
import { Machine, type DiskPace } from './machine';
import type { FileNode } from './nodes';
import { SimulatedFiles } from './simulated-files';
import { SimulatedStores } from './simulated-store';
import { pick, Volume, type Denial } from './volume';

/** What a program that runs now has of the disk. */
export interface DiskView {
  readonly files: Files;
  readonly stores: StoreEngine;
}

/**
 * `process`: a program is killed, and the kernel keeps what was written. `power`: the machine stops, and what was not
 * synced is lost in part or whole.
 */
export type Crash = 'process' | 'power';

const usualPace: DiskPace = { operationMs: 0, syncMs: 1, commitMs: 1 };

/**
 * The disk of one machine in memory, with the faults of a real one. Every call takes time of the clock, so it ends only
 * while the clock is stepped. The same clock, random numbers and calls give the same disk.
 */
export class SimulatedDisk {
  private readonly volume = new Volume();
  private pace = usualPace;
  private machine: Machine;
  private current: DiskView;

  /** @param random numbers from 0 to below 1; they decide what a crash leaves, and which bit flips */
  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {
    [this.machine, this.current] = this.start();
  }

  /** Files and stores for the program that runs now; another one after each crash. */
  get view(): DiskView {
    return this.current;
  }

  /**
   * Ends every program that uses the disk, at this instant: their calls stay pending forever, and nothing that they do
   * later reaches the disk. A call that was under way is done or not; an append may be done in part.
   * @returns what the next program finds
   */
  crash(kind: Crash): DiskView {
    this.machine.crash(this.random);
    if (kind === 'power') this.volume.losePower(this.random);
    [this.machine, this.current] = this.start();
    return this.current;
  }

  get freeBytes(): number {
    return this.volume.freeBytes;
  }

  /** Bytes that the database of a file can still grow by on a full disk; 0 when there is none. */
  roomIn(path: string): number {
    const file = this.volume.lookup(path);
    return file?.kind === 'file' && file.database ? file.allocatedBytes - file.database.usedBytes : 0;
  }

  /** Leaves this many bytes of space: 0 for a full disk. */
  fill(freeBytes = 0): void {
    this.volume.freeBytes = freeBytes;
  }

  makeSpace(): void {
    this.volume.freeBytes = Number.POSITIVE_INFINITY;
  }

  /** Everything that writes fails with EROFS. */
  setReadOnly(isReadOnly: boolean): void {
    this.volume.isReadOnly = isReadOnly;
  }

  /** Syncs and commits fail with EIO; what was not synced may be lost at a crash. */
  setFailingSyncs(fails: boolean): void {
    this.volume.failsSyncs = fails;
  }

  /** How long calls take from now on. */
  setPace(pace: Partial<DiskPace>): void {
    this.pace = { ...usualPace, ...pace };
  }

  /** Denies the rights to a path: for a folder, to make and remove what is in it; `all`: also to look it up. */
  deny(path: string, denial: Denial): void {
    this.volume.deny(path, denial);
  }

  allow(path: string): void {
    this.volume.allow(path);
  }

  /** Moves a file, or a folder with all that is in it; open files stay open. */
  move(from: string, to: string): void {
    this.volume.moveTree(from, to);
  }

  /** Removes a file, or a folder with all that is in it; open files stay open without a name. */
  remove(path: string): void {
    this.volume.removeTree(path);
  }

  /** Puts another file at a path. */
  replace(path: string, text: string): void {
    this.volume.place(path, 'file', text);
  }

  /** Puts an empty folder at a path, in the place of a file. */
  makeFolder(path: string): void {
    this.volume.place(path, 'folder');
  }

  /**
   * Flips one bit of a file at rest. A store is refused at its next start.
   * @throws Error when there is no file with content
   */
  flipBit(path: string): void {
    const file = this.fileAt(path);
    if (file?.database) file.database.damage = 'the check ended with signal SIGSEGV';
    else if (file && file.bytes.length > 0) file.bytes.flip(pick(this.random, file.bytes.length * 8));
    else throw new Error(`${path} has no bits`);
  }

  /** The text of a file as it is now, synced or not; null when there is no file. */
  text(path: string): string | null {
    return this.fileAt(path)?.bytes.all().toString('utf8') ?? null;
  }

  /** The names of everything at or below a path, in their order. */
  list(path: string): string[] {
    return this.volume.list(path);
  }

  private fileAt(path: string): FileNode | null {
    const node = this.volume.lookup(path);
    return node?.kind === 'file' ? node : null;
  }

  private start(): [Machine, DiskView] {
    const machine = new Machine(this.clock, () => this.pace);
    const view = { files: new SimulatedFiles(machine, this.volume), stores: new SimulatedStores(machine, this.volume) };
    return [machine, view];
  }
}

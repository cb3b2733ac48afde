import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import { lmdbStores, type StoreEngine } from '@libs/store';
import { SimulatedDisk } from '../simulated-disk';

/** A disk that the contract is run on. */
export interface DiskSubject {
  readonly files: Files;
  readonly stores: StoreEngine;
  path(name: string): string;
  /** The program is killed. What runs next finds the disk as it is, and perhaps under another path. */
  crash(): void;
  move(from: string, to: string): void;
  remove(name: string): void;
  replace(name: string, text: string): void;
  makeFolder(name: string): void;
  text(name: string): string;
  end(): void;
}

/** The machine's own disk, and LMDB. */
export function realDisk(): DiskSubject {
  const root = mkdtempSync(join(tmpdir(), 'disk-contract-'));
  let folder = join(root, '0');
  let crashes = 0;
  mkdirSync(folder);
  const path = (name: string): string => join(folder, name);
  const remove = (name: string): void => rmSync(path(name), { recursive: true, force: true });
  return {
    files: machineFiles,
    stores: lmdbStores,
    path,
    crash: () => {
      const found = join(root, String(++crashes));
      cpSync(folder, found, { recursive: true });
      folder = found;
    },
    move: (from, to) => renameSync(path(from), path(to)),
    remove,
    replace: (name, text) => {
      remove(name);
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    makeFolder: (name) => {
      remove(name);
      mkdirSync(path(name), { recursive: true });
    },
    text: (name) => readFileSync(path(name), 'utf8'),
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The simulated disk, on the machine's clock. */
export function simulatedDisk(): DiskSubject {
  const disk = new SimulatedDisk(new SystemClock(), randomOf(1));
  const path = (name: string): string => join('/disk', name);
  disk.setPace({ operationMs: 0, syncMs: 0, commitMs: 0 });
  disk.makeFolder('/disk');
  return {
    get files() {
      return disk.view.files;
    },
    get stores() {
      return disk.view.stores;
    },
    path,
    crash: () => void disk.crash('power'),
    move: (from, to) => disk.move(path(from), path(to)),
    remove: (name) => disk.remove(path(name)),
    replace: (name, text) => disk.replace(path(name), text),
    makeFolder: (name) => disk.makeFolder(path(name)),
    text: (name) => disk.text(path(name)) ?? '',
    end: () => undefined,
  };
}

export const diskSubjects: readonly (readonly [string, () => DiskSubject])[] = [
  ['the real disk', realDisk],
  ['the simulated disk', simulatedDisk],
];

/** Numbers from 0 to below 1 that a seed decides. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWhere } from './needs';
import type { Scratch } from './scratch';

/** A disk of a few megabytes in memory, which a test fills to its last byte. Mounting it takes root. */
export class TinyDisk {
  private constructor(readonly path: string) {}

  /** @throws Error when it cannot be mounted */
  static mount(scratch: Scratch, kibibytes: number): TinyDisk {
    const path = mkdtempSync(join(tmpdir(), 'disk-'));
    scratch.undo(() => rmdirSync(path));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k,mode=700`, 'tmpfs', path], { stdio: 'pipe' });
    scratch.undo(() => execFileSync('umount', ['--lazy', path]));
    return new TinyDisk(path);
  }

  /** Whether this process may mount one. */
  static isPossible(): boolean {
    return process.platform === 'linux' && process.getuid?.() === 0;
  }

  fill(): void {
    const file = openSync(this.filler, 'a');
    try {
      for (const bytes of [64 * 1_024, 4_096, 1]) this.fillBy(file, bytes);
    } finally {
      closeSync(file);
    }
  }

  makeSpace(): void {
    rmSync(this.filler, { force: true });
  }

  remount(mode: 'ro' | 'rw'): void {
    execFileSync('mount', ['-o', `remount,${mode}`, this.path], { stdio: 'pipe' });
  }

  private fillBy(file: number, bytes: number): void {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  private get filler(): string {
    return join(this.path, 'filler');
  }
}

/** `describe` for a suite that mounts a disk: reported as not run without root, and mandatory in CI. */
export function describeOnTinyDisk(): typeof describe {
  return describeWhere(TinyDisk.isPossible());
}

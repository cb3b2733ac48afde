import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';

/** LMDB's file format 2: two meta pages at the start of the file (lmdb: MDB_meta, little-endian). */
const magic = 0xbeefc0de;
const header = 24;
const members = { pageBytes: header + 24, lastPage: header + 120, transaction: header + 128 } as const;

/** Size of the file that LMDB keeps its locks in, for its usual 126 readers. */
const lockBytes = 8_272;

/** More than a new database takes. */
const newDatabaseBytes = 256 * 1024;

/** Whether a database is there; a file without content is a new one. */
export function hasDatabase(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Why a file is not a whole database; null when it is one, or does not exist yet. LMDB maps the file into memory as it
 * is: a file that is cut off, or is something else, would end the process by a signal.
 */
export function headerProblem(path: string): string | null {
  if (!hasDatabase(path)) return null;
  const file = openSync(path, 'r');
  try {
    const wholeBytes = usedBytes(file);
    if (wholeBytes === null) return 'the file is not a database';
    // Read after the pages that state the size: another process may let the file grow meanwhile.
    const { size } = fstatSync(file);
    return size < wholeBytes ? `the file is truncated: it has ${size} of ${wholeBytes} bytes` : null;
  } finally {
    closeSync(file);
  }
}

/** Bytes from the start of an open file to the end of its last page in use; null when it is not a database. */
export function usedBytes(file: number): number | null {
  const first = metaPage(file, 0);
  const second = first && metaPage(file, first.pageBytes);
  if (!first || !second) return null;
  const newest = second.transaction > first.transaction ? second : first;
  return Number((newest.lastPage + 1n) * BigInt(first.pageBytes));
}

/**
 * Makes sure that a database that does not exist yet can be made: LMDB would end the process on a disk that cannot hold
 * its first pages. @throws Error of the file system
 */
export function requireSpace(path: string): void {
  if (hasDatabase(path)) return;
  const probe = `${path}.tmp`;
  const file = openSync(probe, 'w', 0o600);
  try {
    writeZeros(file, 0, newDatabaseBytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
    rmSync(probe, { force: true });
  }
}

/**
 * Makes LMDB's lock file with all its blocks when it does not exist. LMDB itself makes a file of holes, and touching
 * one of them on a full disk ends the process. @throws Error of the file system
 */
export function requireLockFile(path: string): void {
  if (hasDatabase(path)) return;
  const file = openSync(path, 'a', 0o600);
  try {
    writeZeros(file, null, lockBytes);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Writes zeros at a position, or at the current one. @throws Error of the file system when not all could be written */
export function writeZeros(file: number, position: number | null, bytes: number): void {
  for (let written = 0; written < bytes;) {
    const length = Math.min(bytes - written, 1024 * 1024);
    written += writeSync(file, Buffer.alloc(length), 0, length, position === null ? null : position + written);
  }
}

function metaPage(file: number, at: number): { pageBytes: number; lastPage: bigint; transaction: bigint } | null {
  const page = Buffer.alloc(members.transaction + 8);
  if (readSync(file, page, 0, page.length, at) < page.length || page.readUInt32LE(header) !== magic) return null;
  return {
    pageBytes: page.readUInt32LE(members.pageBytes),
    lastPage: page.readBigUInt64LE(members.lastPage),
    transaction: page.readBigUInt64LE(members.transaction),
  };
}

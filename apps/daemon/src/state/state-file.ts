import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';

/** LMDB's file format 2: two meta pages at the file's beginning (lmdb: MDB_meta, little-endian). */
const magic = 0xbeefc0de;
const header = 24;
const members = { pageBytes: header + 24, lastPage: header + 120, transaction: header + 128 } as const;

/**
 * Why a file is no whole database; null when it is one, or is not there yet. LMDB maps the file into memory as it is:
 * one that is cut off or of something else would end the process without a word.
 */
export function stateFileProblem(path: string): string | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
  const file = openSync(path, 'r');
  try {
    const first = metaPage(file, 0);
    if (first === null) return 'the file is no database';
    const second = metaPage(file, first.pageBytes);
    if (second === null) return 'the file is no database';
    const newest = second.transaction > first.transaction ? second : first;
    const wholeBytes = (newest.lastPage + 1n) * BigInt(first.pageBytes);
    // After the pages that tell the size there should be: a running daemon may let it grow meanwhile.
    const { size } = fstatSync(file);
    return BigInt(size) < wholeBytes ? `the file is cut off: it has ${size} of ${wholeBytes} bytes` : null;
  } finally {
    closeSync(file);
  }
}

/** More than a new database takes. */
const newDatabaseBytes = 256 * 1024;

/**
 * Makes sure that a database that is not there yet can be: LMDB would end the process on a disk that cannot hold its
 * first pages. @throws Error of the file system
 */
export function requireSpace(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const probe = `${path}.tmp`;
  const file = openSync(probe, 'w', 0o600);
  try {
    for (let written = 0; written < newDatabaseBytes;)
      written += writeSync(file, Buffer.alloc(newDatabaseBytes - written));
    fsyncSync(file);
  } finally {
    closeSync(file);
    rmSync(probe, { force: true });
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

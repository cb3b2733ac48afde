import type { Database } from './database';

export interface FolderNode {
  readonly kind: 'folder';
  readonly ino: bigint;
}

/** A file: its bytes, or a database in the place of them. */
export interface FileNode {
  readonly kind: 'file';
  readonly ino: bigint;
  bytes: GrowingBytes;
  /** Bytes from the start that a crash of the machine cannot take. */
  syncedBytes: number;
  /** What the file held before it was emptied, as long as that may come back; null otherwise. */
  emptied: Buffer | null;
  database: Database | null;
  /** Blocks of disk space, in bytes. */
  allocatedBytes: number;
}

export type DiskNode = FolderNode | FileNode;

/** Bytes that grow at their end. */
export class GrowingBytes {
  private buffer: Buffer;
  private used: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.buffer = Buffer.from(bytes);
    this.used = bytes.length;
  }

  get length(): number {
    return this.used;
  }

  append(bytes: Buffer): void {
    const needed = this.used + bytes.length;
    if (needed > this.buffer.length) {
      const larger = Buffer.alloc(Math.max(needed, this.buffer.length * 2, 4_096));
      this.buffer.copy(larger, 0, 0, this.used);
      this.buffer = larger;
    }
    bytes.copy(this.buffer, this.used);
    this.used = needed;
  }

  cut(length: number): void {
    this.used = Math.min(this.used, length);
  }

  flip(bit: number): void {
    const at = bit >> 3;
    this.buffer[at] = (this.buffer[at] ?? 0) ^ (1 << (bit & 7));
  }

  /** A copy. */
  slice(start: number, end: number): Buffer {
    return Buffer.from(this.buffer.subarray(start, Math.min(end, this.used)));
  }

  all(): Buffer {
    return this.slice(0, this.used);
  }
}

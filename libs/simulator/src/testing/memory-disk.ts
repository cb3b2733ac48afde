import type { HistoryDisk, HistoryFile } from '../trading/history-disk';

/** A disk in memory that can be full or unreadable. */
export class MemoryDisk implements HistoryDisk {
  /** The failures that were reported. */
  readonly failures: ('read' | 'write')[] = [];
  readonly files: Buffer[] = [];
  /** Number of reads. */
  reads = 0;
  isFull = false;
  isUnreadable = false;

  create(): HistoryFile {
    const at = this.files.push(Buffer.alloc(0)) - 1;
    const bytesOf = (): Buffer => this.files[at] ?? Buffer.alloc(0);
    return {
      write: (bytes, start) => {
        // A full disk takes some of the bytes.
        const taken = this.isFull ? bytes.subarray(0, bytes.length / 2) : bytes;
        this.files[at] = Buffer.concat([bytesOf().subarray(0, start), taken]);
        if (this.isFull) throw new Error('ENOSPC: no space left on device, write');
      },
      read: (start, length) => {
        this.reads += 1;
        if (this.isUnreadable) throw new Error('EIO: i/o error, read');
        return Uint8Array.from(bytesOf().subarray(start, start + length));
      },
      close: () => void (this.files[at] = Buffer.alloc(0)),
    };
  }

  reportFailure(attempt: 'read' | 'write'): void {
    this.failures.push(attempt);
  }
}

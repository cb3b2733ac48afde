/** Where a history puts the rows that are not kept in memory. Its files last no longer than the process. */
export interface HistoryDisk {
  /** Creates an empty file. @throws Error of the file system */
  create(): HistoryFile;
  /** Reports a failure of a file. Rows that cannot be written stay in memory. */
  reportFailure(attempt: 'read' | 'write', error: unknown): void;
}

/** A file of bytes that only its creator reads. */
export interface HistoryFile {
  /** Writes all bytes at a place. @throws Error of the file system; some of the bytes may have been written */
  write(bytes: Uint8Array, at: number): void;
  /** @throws Error of the file system, or if the file ends before all bytes are read */
  read(at: number, length: number): Uint8Array;
  close(): void;
}

/** How much of a history is kept in memory. */
export interface HistoryMemory {
  /** Rows of each list, rounded up to whole blocks. */
  readonly rows: number;
  readonly disk: HistoryDisk;
}

/** Rows on disk could not be read. */
export class HistoryReadError extends Error {}

/** How a file is opened, as in `fopen`: `r` to read, `a` to append, `a+` to read and append, `w` to overwrite. */
export type OpenFlag = 'r' | 'a' | 'a+' | 'w';

/** Facts of a file. */
export interface FileFacts {
  readonly size: bigint;
  /** Together with `ino`, identifies a file regardless of its name. */
  readonly dev: bigint;
  readonly ino: bigint;
  isDirectory(): boolean;
}

/** An open file. It stays the same file if its name is moved or removed. */
export interface OpenFile {
  stat(options: { readonly bigint: true }): Promise<FileFacts>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  /** Writes at the end. Some of the text may be in the file when this rejects. */
  appendFile(text: string): Promise<void>;
  /** Resolves once everything written is on disk. */
  datasync(): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The calls of a file system that durable files need. Every method rejects with an error of the file system, which has
 * a `code` such as ENOSPC. `node:fs/promises` is one; a simulated disk is another. An abstract class, so that it is its
 * own injection token.
 */
export abstract class Files {
  /** Creates a folder and its parents; harmless if it exists. `mode` applies to created folders. */
  abstract mkdir(path: string, options: { readonly recursive: true; readonly mode?: number }): Promise<unknown>;
  abstract open(path: string, flag: OpenFlag, mode?: number): Promise<OpenFile>;
  /** Sets the permissions of a file or folder, as bits such as 0o600. */
  abstract chmod(path: string, mode: number): Promise<void>;
  /** The names in a folder, in no order. */
  abstract readdir(path: string): Promise<string[]>;
  abstract stat(path: string, options: { readonly bigint: true }): Promise<FileFacts>;
  /** Removes a file. With `force`, a missing file is not an error. */
  abstract rm(path: string, options?: { readonly force?: boolean }): Promise<void>;
  /** Renames a file and atomically replaces a file at the new path. */
  abstract rename(from: string, to: string): Promise<void>;
}

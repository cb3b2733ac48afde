import { constants } from 'node:os';

/** Errors of a file system that the simulated disk reports, in the words of Node. */
const texts = {
  EACCES: 'permission denied',
  EBADF: 'bad file descriptor',
  EEXIST: 'file already exists',
  EIO: 'i/o error',
  EISDIR: 'illegal operation on a directory',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EROFS: 'read-only file system',
} as const;

export type DiskErrorCode = keyof typeof texts;

/** Messages of LMDB for errors during a commit, as in the C library. */
export const commitErrorTexts = {
  EIO: 'Input/output error',
  ENOSPC: 'No space left on device',
  EROFS: 'Read-only file system',
} as const;

/** An error as the calls of `node:fs` report it. */
export class DiskError extends Error {
  readonly errno: number;

  constructor(
    readonly code: DiskErrorCode,
    readonly syscall: string,
    readonly path?: string,
    target?: string,
  ) {
    const of = path === undefined ? '' : ` '${path}'`;
    super(`${code}: ${texts[code]}, ${syscall}${of}${target === undefined ? '' : ` -> '${target}'`}`);
    this.errno = -constants.errno[code];
  }
}

/** `rm` of a folder has an error of Node's own. */
export class FolderRemovalError extends Error {
  readonly code = 'ERR_FS_EISDIR';
  readonly errno = constants.errno.EISDIR;
  readonly syscall = 'rm';

  constructor(readonly path: string) {
    super(`Path is a directory: rm returned EISDIR (is a directory) ${path}`);
  }
}

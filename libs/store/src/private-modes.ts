import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { makeFoldersSync } from '@libs/files';

const othersBits = 0o077;
/** A folder of many users, such as /tmp. */
const stickyBit = 0o1000;

/** Makes a folder that only its owner can enter, and narrows one that exists. @throws Error of the file system */
export function makePrivateFolder(path: string): void {
  makeFoldersSync(path, 0o700);
  narrow(path, 0o700);
}

/**
 * Makes an empty file that only its owner can read, and narrows one that exists.
 * @throws Error of the file system, also when the file cannot be written
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, statSync(path, { throwIfNoEntry: false }) ? 'r+' : 'a', 0o600));
  narrow(path, 0o600);
}

/** A mode that cannot be changed (another owner, a read-only disk) does not prevent the use of the file. */
function narrow(path: string, mode: number): void {
  const { mode: current } = statSync(path);
  if (process.platform === 'win32' || (current & othersBits) === 0 || (current & stickyBit) !== 0) return;
  try {
    chmodSync(path, mode);
  } catch {
    return;
  }
}

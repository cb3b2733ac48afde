import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Trading is halted exactly while a file exists, so that an operator can also pull it with `touch` (spec: Kill switch). */
export class KillSwitch {
  constructor(private readonly file: string) {}

  /** Looks at the file every time. A file that can't be looked at counts as active: unknown is not "off". */
  async isActive(): Promise<boolean> {
    try {
      await stat(this.file);
      return true;
    } catch (error) {
      return !isMissing(error);
    }
  }

  /** Creates the file, durably; harmless when it is there already. */
  async engage(): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true });
    const handle = await open(this.file, 'a', 0o600);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** Removes the file; harmless when there is none. */
  async release(): Promise<void> {
    await rm(this.file, { force: true });
  }
}

/** ENOTDIR: a parent of the path is a file, so the switch cannot be there either. */
function isMissing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR';
}

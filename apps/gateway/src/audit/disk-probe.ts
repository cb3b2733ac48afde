import { codeOf, type Files } from '@libs/files';

/** More than the lines of one send. */
const probeBytes = 4_096;
/** The disk rejects writes for now. Any other error on open means a wrong path or missing permissions. */
const passing = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** Whether an error says that the disk rejects writes for now. */
export function isPassing(error: unknown): boolean {
  return passing.has(codeOf(error));
}

/** The file with which the log checks that its disk takes writes. */
export function probePath(path: string): string {
  return `${path}.probe`;
}

/**
 * Writes a probe file, because a full disk shows only on a write. Any other error does not concern the log, whose folder may
 * accept no other files.
 * @throws an error of the file system if the disk rejects writes for now
 */
export async function probeDiskOf(files: Files, path: string): Promise<void> {
  const probe = probePath(path);
  try {
    const handle = await files.open(probe, 'w', 0o600);
    try {
      await handle.appendFile(' '.repeat(probeBytes));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isPassing(error)) throw error;
  } finally {
    await files.rm(probe, { force: true }).catch(() => undefined);
  }
}

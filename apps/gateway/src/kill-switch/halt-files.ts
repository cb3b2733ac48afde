import { dirname, join } from 'node:path';
import { codeOf, type Files } from '@libs/files';

/** The file was created, but not flushed to disk: a loss of power may undo it. */
export class NotDurableError extends Error {}

/** The second mark of a halt, which remains when the kill-switch file is lost. */
export function engagedFile(stateDir: string): string {
  return join(stateDir, 'kill-switch-engaged');
}

/** Errors of a failing disk. Any other error of a folder's sync means that the file system does not support it. */
const failing = new Set(['EIO', 'ENOSPC', 'EDQUOT']);

/** Empty files whose existence means a halt. */
export class HaltFiles {
  /** Checks by path: the one that runs, and the one that begins after it for those who ask meanwhile. */
  private readonly checks = new Map<string, { readonly running: Promise<boolean>; next: Promise<boolean> | null }>();

  constructor(private readonly files: Files) {}

  /**
   * Creates a file durably, with its folder; harmless if it exists already.
   * @throws NotDurableError when the disk fails after the file was made
   * @throws an error of the file system when it cannot be created
   */
  async create(path: string): Promise<void> {
    await this.files.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await this.files.open(path, 'a', 0o600);
    try {
      await handle.sync();
      await this.syncFolder(dirname(path));
    } catch (error) {
      throw new NotDurableError('the file is not on the disk', { cause: error });
    } finally {
      await handle.close();
    }
  }

  /** Removes a file durably; harmless if it does not exist. @throws an error of the file system, as for a directory */
  async remove(path: string): Promise<void> {
    if (!(await this.isThere(path))) return;
    await this.files.rm(path);
    // At worst the file reappears after a loss of power, and trading is halted.
    await this.syncFolder(dirname(path)).catch(() => undefined);
  }

  /**
   * Whether something is at the path. A path that cannot be looked up counts as present: unknown is not "off". Those who ask
   * during a check share one that begins after it, never one that began before they asked.
   */
  isThere(path: string): Promise<boolean> {
    const check = this.checks.get(path);
    if (!check) return this.check(path);
    return (check.next ??= check.running.then(() => this.check(path)));
  }

  /** Begins a check at once. */
  private check(path: string): Promise<boolean> {
    const check = { running: this.find(path), next: null as Promise<boolean> | null };
    this.checks.set(path, check);
    // Before those who wait go on, so that none of them finds a check that has ended.
    return check.running.finally(() => {
      if (check.next === null) this.checks.delete(path);
    });
  }

  private async find(path: string): Promise<boolean> {
    try {
      await this.files.stat(path, { bigint: true });
      return true;
    } catch (error) {
      return !isMissing(error);
    }
  }

  /** Unlike {@link isThere}, false for a path that cannot be looked up. */
  isThereForSure(path: string): Promise<boolean> {
    return this.files.stat(path, { bigint: true }).then(
      () => true,
      () => false,
    );
  }

  isFolder(path: string): Promise<boolean> {
    return this.files.stat(path, { bigint: true }).then(
      (found) => found.isDirectory(),
      () => false,
    );
  }

  /**
   * Creates and removes a file next to the path; permissions alone do not prove that this works.
   * @throws an error of the file system
   */
  async requireWritableFolder(path: string): Promise<void> {
    const probe = join(dirname(path), `.probe-${process.pid}`);
    await this.files.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await this.files.open(probe, 'a', 0o600);
    await handle.close();
    await this.files.rm(probe, { force: true });
  }

  isWritable(path: string): Promise<boolean> {
    return this.requireWritableFolder(path).then(
      () => true,
      () => false,
    );
  }

  /**
   * Syncs the folder, which makes a new name durable. Some file systems do not support it; the file exists all the
   * same.
   */
  private async syncFolder(folder: string): Promise<void> {
    const handle = await this.files.open(folder, 'r').catch(() => null);
    try {
      await handle?.sync();
    } catch (error) {
      if (failing.has(codeOf(error))) throw error;
    } finally {
      await handle?.close();
    }
  }
}

/** ENOTDIR: a parent of the path is a file, so the path cannot be there either. */
function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

import { stat } from 'node:fs/promises';
import { systemErrorText } from '@libs/envelope';
import { createFile, isThere, removeFile, requireWritableFolder } from './halt-files';

/** Where the kill-switch file stands; `error` says in words why it is not `ok`. */
export interface KillSwitchFileStatus {
  /**
   * `ok`: the file can be created and removed. `unwritable`: it cannot. `missing`: trading is halted, and the file that
   * should say so could not be created.
   */
  readonly state: 'ok' | 'unwritable' | 'missing';
  readonly error: string | null;
}

export interface KillSwitchLog {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Ticks between two looks at a location that could be written the last time. */
const ticksBetweenProbes = 30;

/**
 * Trading is halted exactly while a file exists, so that an operator can also pull the switch with `touch` (spec: Kill
 * switch). When the file cannot be created, the halt is held in memory and remembered by a marker elsewhere, and the
 * file is created as soon as its location can be written. Only {@link release} ends a halt that is held.
 */
export class KillSwitch {
  /** Halted without a file that says so. */
  private held = false;
  /** Calls of {@link engage} whose file is not there yet. */
  private engaging = 0;
  private error: string | null = null;
  private ticks = 0;
  /** Changes of the file, one after the other. */
  private queue: Promise<unknown> = Promise.resolve();
  private checking: Promise<void> | null = null;

  constructor(
    private readonly file: string,
    /** Remembers a halt over a restart when the file cannot; lies beside the journal. */
    private readonly marker: string,
    private readonly log: KillSwitchLog,
  ) {}

  /**
   * Finds out where an earlier process left the switch. Call once, before serving. Halted are: a switch whose file or
   * marker is there, and one of which neither could have been written, since nobody can say that it was not engaged.
   */
  open(): Promise<void> {
    return this.inTurn(async () => {
      await this.probe();
      if (await isThere(this.marker)) this.held = true;
      else if (this.error !== null && !(await isThere(this.file))) this.held = !(await isWritable(this.marker));
      if (this.held) await this.createHeldFile();
      if (this.error !== null) {
        this.log.error(
          { error: this.error, halted: this.held },
          'the kill-switch file cannot be written: correct KILL_SWITCH_FILE or the rights of its folder',
        );
      }
    });
  }

  /** Looks the file up every time. A file that cannot be looked up counts as there. */
  async isActive(): Promise<boolean> {
    return this.held || this.engaging > 0 || (await isThere(this.file));
  }

  get status(): KillSwitchFileStatus {
    if (this.error === null) return { state: 'ok', error: null };
    return { state: this.held ? 'missing' : 'unwritable', error: this.error };
  }

  /**
   * Halts at once, then creates the file durably. Never throws.
   * @returns null, or in words why the file could not be created: then the halt is held in memory
   */
  async engage(): Promise<string | null> {
    this.engaging += 1;
    try {
      return await this.inTurn(() => this.create());
    } finally {
      this.engaging -= 1;
    }
  }

  /**
   * Removes the file, and what remembers a halt in its place; harmless when there is neither.
   * @throws an error of the file system when one of them cannot be removed: trading stays halted
   */
  release(): Promise<void> {
    return this.inTurn(async () => {
      await removeFile(this.file);
      await removeFile(this.marker);
      this.held = false;
      await this.probe();
    });
  }

  /**
   * Creates the file of a halt that is held in memory, and finds out whether the location can be written. Call about
   * each second: only one look is under way at a time, and a location in order is looked at each half minute.
   */
  tick(): Promise<void> {
    this.ticks += 1;
    if (this.checking) return this.checking;
    if (this.error === null && this.ticks % ticksBetweenProbes !== 0) return Promise.resolve();
    return (this.checking = this.inTurn(() => this.recheck()).finally(() => (this.checking = null)));
  }

  private async recheck(): Promise<void> {
    const before = this.error;
    if (this.held) await this.createHeldFile();
    else await this.probe();
    if (before !== null && this.error === null) this.log.warn({}, 'the kill-switch file can be written again');
    if (before === null && this.error !== null) {
      this.log.error({ error: this.error }, 'the kill-switch file cannot be written any more');
    }
  }

  private async create(): Promise<string | null> {
    try {
      await createFile(this.file);
      this.error = null;
    } catch (error) {
      this.held = !(await isThereForSure(this.file));
      this.error = systemErrorText(error);
      // A directory at the path halts as well as a file does.
      if (!this.held) return null;
      this.log.error({ err: error }, 'the kill-switch file cannot be created: trading is halted in memory');
      await this.remember();
      return this.error;
    }
    if (this.held) await this.forgetMarker();
    return null;
  }

  private async createHeldFile(): Promise<void> {
    try {
      await createFile(this.file);
    } catch (error) {
      this.error = systemErrorText(error);
      return;
    }
    this.error = null;
    await this.forgetMarker();
  }

  /** The file says it now. A marker that stays halts the next start once more, which is the safe side. */
  private async forgetMarker(): Promise<void> {
    this.held = false;
    await removeFile(this.marker).catch((error: unknown) => {
      this.log.error({ err: error }, 'the marker of the kill switch cannot be removed: the next start is halted again');
    });
  }

  private async remember(): Promise<void> {
    await createFile(this.marker).catch((error: unknown) => {
      this.log.error({ err: error }, 'the halt cannot be remembered: a restart may not know of it');
    });
  }

  private async probe(): Promise<void> {
    try {
      await requireWritableFolder(this.file);
      this.error = (await isFolder(this.file)) ? 'there is a directory in its place (EISDIR)' : null;
    } catch (error) {
      this.error = systemErrorText(error);
    }
  }

  private inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.queue.then(change);
    this.queue = done.catch(() => undefined);
    return done;
  }
}

async function isWritable(path: string): Promise<boolean> {
  return requireWritableFolder(path).then(
    () => true,
    () => false,
  );
}

/** Unlike {@link isThere}: a path that cannot be looked up is not there for sure. */
function isThereForSure(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

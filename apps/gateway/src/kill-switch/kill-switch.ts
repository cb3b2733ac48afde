import { systemErrorText } from '@libs/envelope';
import { NotDurableError, type HaltFiles } from './halt-files';

/** State of the kill-switch file; `error` states why it is not `ok`. */
export interface KillSwitchFileStatus {
  /**
   * `ok`: the file can be created and removed. `unwritable`: it cannot. `missing`: trading is halted, and the file that
   * should state it could not be created.
   */
  readonly state: 'ok' | 'unwritable' | 'missing';
  readonly error: string | null;
}

export interface KillSwitchLog {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Ticks between two checks of a location that could be written the last time. */
const ticksBetweenProbes = 30;

/**
 * Trading is halted exactly while a file exists, so that an operator can also engage the switch with `touch`. If the
 * file cannot be created, the halt is held in memory and by a marker in another folder, and the file is created as soon
 * as its location can be written. Only {@link release} ends a held halt.
 */
export class KillSwitch {
  /** Halted in memory, without a file. */
  private held = false;
  /** Calls of {@link engage} whose file does not exist yet. */
  private engaging = 0;
  private error: string | null = null;
  private ticks = 0;
  /** Changes of the file, one at a time. */
  private queue: Promise<unknown> = Promise.resolve();
  private checking: Promise<void> | null = null;

  constructor(
    private readonly files: HaltFiles,
    private readonly file: string,
    /** Marker that keeps a halt over a restart if the file cannot be created; stored beside the journal. */
    private readonly marker: string,
    private readonly log: KillSwitchLog,
  ) {}

  /**
   * Restores the switch as an earlier process left it. Call once, before serving. Trading is halted if the file or the
   * marker exists, or if neither could have been written, because the switch may have been engaged.
   */
  open(): Promise<void> {
    return this.inTurn(async () => {
      await this.probe();
      if (await this.files.isThere(this.marker)) this.held = true;
      else if (this.error !== null && !(await this.files.isThere(this.file)))
        this.held = !(await this.files.isWritable(this.marker));
      if (this.held) await this.createHeldFile();
      if (this.error !== null) {
        this.log.error(
          { error: this.error, halted: this.held },
          'the kill-switch file cannot be written: correct KILL_SWITCH_FILE or the permissions of its folder',
        );
      }
    });
  }

  /** Looks the file up at each call. A file that cannot be looked up counts as present. */
  async isActive(): Promise<boolean> {
    return this.held || this.engaging > 0 || (await this.files.isThere(this.file));
  }

  get status(): KillSwitchFileStatus {
    if (this.error === null) return { state: 'ok', error: null };
    return { state: this.held ? 'missing' : 'unwritable', error: this.error };
  }

  /**
   * Halts at once, then creates the file durably. Never throws.
   * @returns null, or the reason why the file could not be created; then the halt is held in memory
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
   * Removes the file and the marker; harmless if neither exists. The one that keeps the halt goes last, so that trading
   * stays halted when the other one cannot be removed, and after a crash between the two.
   * @throws an error of the file system when one of them cannot be removed: nothing is released
   */
  release(): Promise<void> {
    return this.inTurn(async () => {
      // The marker is a leftover once the file exists for sure.
      const [first, last] = this.held ? [this.file, this.marker] : [this.marker, this.file];
      await this.files.remove(first);
      await this.files.remove(last);
      this.held = false;
      await this.probe();
    });
  }

  /**
   * Creates the file of a halt that is held in memory, and checks whether the location can be written. Call about every
   * second: checks do not overlap, and a writable location is checked every half minute.
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
      this.log.error({ error: this.error }, 'the kill-switch file cannot be written');
    }
  }

  private async create(): Promise<string | null> {
    try {
      await this.files.create(this.file);
      this.error = null;
    } catch (error) {
      this.held = error instanceof NotDurableError || !(await this.files.isThereForSure(this.file));
      this.error = systemErrorText(error instanceof NotDurableError ? error.cause : error);
      // A directory at the path also halts trading.
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
      await this.files.create(this.file);
    } catch (error) {
      this.error = systemErrorText(error);
      return;
    }
    this.error = null;
    await this.forgetMarker();
  }

  /** The file exists now. If the marker cannot be removed, the next start is halted again, which is safe. */
  private async forgetMarker(): Promise<void> {
    this.held = false;
    await this.files.remove(this.marker).catch((error: unknown) => {
      this.log.error(
        { err: error },
        'the kill-switch marker cannot be removed: trading will be halted after the next start',
      );
    });
  }

  private async remember(): Promise<void> {
    await this.files.create(this.marker).catch((error: unknown) => {
      this.log.error({ err: error }, 'the halt cannot be written to disk: it may be lost at a restart');
    });
  }

  private async probe(): Promise<void> {
    try {
      await this.files.requireWritableFolder(this.file);
      this.error = (await this.files.isFolder(this.file)) ? 'the path is a directory (EISDIR)' : null;
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

import { access, chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '@libs/files';
import { type ProcessRunner, type RunningProcess } from './process-runner';

export interface Credentials {
  readonly login: number;
  readonly password: string;
  /** The broker's server name, as in the account statement. */
  readonly server: string;
}

export interface StartupFileOptions {
  /** A dedicated folder, preferably in memory (tmpfs). Created with mode 0700. */
  readonly directory: string;
  /** TERMINAL_ENABLE_ALGO_TRADING: whether the terminal allows orders from programs. */
  readonly algoTrading: boolean;
}

/** A value that would break the line format of the file. */
export class UnwritableCredentialError extends Error {
  constructor(readonly field: string) {
    super(`${field} contains a line break or NUL character, which the terminal's startup file does not support`);
  }
}

/**
 * The file that makes the terminal log in to an account. It contains the password, so it is private to this user,
 * exists only during a login, and is watched by a guard that removes it when this process dies.
 */
export class StartupFile {
  readonly path: string;
  private guard: RunningProcess | undefined;

  constructor(
    private readonly options: StartupFileOptions,
    private readonly runner: ProcessRunner,
  ) {
    this.path = join(options.directory, 'startup.ini');
  }

  /**
   * Writes the file for one candidate address.
   * @throws UnwritableCredentialError when a value would break the file's lines
   */
  async write(credentials: Credentials, address: string): Promise<string> {
    const text = startupText(credentials, address, this.options.algoTrading);
    await makeFolders(this.options.directory, 0o700);
    await chmod(this.options.directory, 0o700);
    await rm(this.path, { force: true });
    this.watch();
    // wx: never follows a link that another user placed there.
    await writeFile(this.path, encode(text), { mode: 0o600, flag: 'wx' });
    return this.path;
  }

  /**
   * Whether a file exists, which after a start means that an earlier process and its guard were killed together.
   */
  async isThere(): Promise<boolean> {
    return access(this.path).then(
      () => true,
      () => false,
    );
  }

  /** Removes the file, and with it the guard. Harmless if there is none. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    const guard = this.guard;
    this.guard = undefined;
    guard?.signal('SIGKILL');
    await guard?.exited;
  }

  /**
   * A shell that waits for the end of its input, which follows any end of this process, and then removes the file.
   */
  private watch(): void {
    if (this.guard?.isRunning()) return;
    this.guard = this.runner.start({
      file: '/bin/sh',
      args: ['-c', 'trap "" TERM INT HUP; cat >/dev/null; rm -f "$1"', 'startup-file-guard', this.path],
      env: { PATH: '/usr/bin:/bin' },
      leash: true,
    });
  }
}

/** The text of the file: the terminal's own format, [Common] and [Experts], lines ended by CR LF. */
export function startupText({ login, password, server }: Credentials, address: string, algoTrading: boolean): string {
  for (const [field, value] of Object.entries({ password, server, address })) {
    if (/[\r\n\0]/.test(value)) throw new UnwritableCredentialError(field);
  }
  const allowed = algoTrading ? 1 : 0;
  return [
    '[Common]',
    `Login=${login}`,
    `Password=${password}`,
    `Server=${address}`,
    '[Experts]',
    `AllowLiveTrading=${allowed}`,
    `Enabled=${allowed}`,
    // 1 would disable trading at a change of account, which a login is.
    `Account=${algoTrading ? 0 : 1}`,
    '',
  ].join('\r\n');
}

/** ASCII if possible, else UTF-16LE with a byte order mark, the only Unicode that Windows reads in such files. */
function encode(text: string): Buffer {
  // eslint-disable-next-line no-control-regex -- the whole of ASCII is meant
  return /^[\x00-\x7f]*$/.test(text) ? Buffer.from(text, 'ascii') : Buffer.from(`\ufeff${text}`, 'utf16le');
}

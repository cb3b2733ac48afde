import { join } from 'node:path';
import type { Files } from '@libs/files';
import type { CommandResult } from './command-result';

/** No command is longer, in bytes. */
const longestCommand = 65_536;

/** Commands to a running program: files in its state directory, which only its user can write. */
export class CommandFolder<C> {
  private readonly folder: string;
  /** Names of long commands that are being executed. */
  private readonly running = new Set<string>();
  /** Why the result of a long command could not be written, for the next {@link serve} to throw. */
  private readonly failures: unknown[] = [];

  /**
   * @param commandOf parses a command; null if the text is not one
   * @param isLong whether the commands after this one do not wait for its end
   */
  constructor(
    stateDir: string,
    private readonly files: Files,
    private readonly commandOf: (text: string) => C | null,
    private readonly isLong: (command: C) => boolean = () => false,
  ) {
    this.folder = join(stateDir, 'commands');
  }

  /** Makes the folder. @throws an error of the file system */
  async make(): Promise<void> {
    await this.files.mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Writes a command for the program; returns the path of its result. */
  async leave(id: string, command: C): Promise<string> {
    const path = join(this.folder, id);
    await this.make();
    await this.write(`${path}.tmp`, JSON.stringify(command));
    await this.files.rename(`${path}.tmp`, `${path}.command`);
    return `${path}.result`;
  }

  /**
   * Executes the pending commands in the order of their ids. Resolves when all but the long ones have a result.
   * @throws an error of the file system, also one of an earlier long command
   */
  async serve(run: (command: C) => Promise<CommandResult>): Promise<void> {
    if (this.failures.length > 0) throw this.failures.shift();
    const names = (await this.files.readdir(this.folder)).filter((name) => name.endsWith('.command')).sort();
    for (const name of names) {
      if (this.running.has(name)) continue;
      const path = join(this.folder, name);
      const command = this.commandOf(await this.read(path));
      const execution = this.execute(path, command, run);
      if (command === null || !this.isLong(command)) await execution;
      else this.follow(name, execution);
    }
  }

  private async execute(path: string, command: C | null, run: (command: C) => Promise<CommandResult>): Promise<void> {
    const result = command === null ? { ok: false, message: 'unknown command' } : await tried(run, command);
    const outcome = path.replace(/\.command$/, '.result');
    await this.write(`${outcome}.tmp`, JSON.stringify(result));
    await this.files.rename(`${outcome}.tmp`, outcome);
    await this.files.rm(path, { force: true });
  }

  private follow(name: string, execution: Promise<void>): void {
    this.running.add(name);
    execution.catch((error: unknown) => this.failures.push(error)).finally(() => this.running.delete(name));
  }

  /** Removes a command that the program has not executed, so that it is not executed later. */
  async withdraw(id: string): Promise<void> {
    await this.files.rm(join(this.folder, `${id}.command`), { force: true });
  }

  private async read(path: string): Promise<string> {
    const file = await this.files.open(path, 'r');
    try {
      const bytes = Buffer.alloc(longestCommand);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return bytes.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }

  private async write(path: string, text: string): Promise<void> {
    const file = await this.files.open(path, 'w');
    try {
      await file.appendFile(text);
    } finally {
      await file.close();
    }
  }
}

/** A failed command gets a result as well; otherwise it would be retried forever. */
async function tried<C>(run: (command: C) => Promise<CommandResult>, command: C): Promise<CommandResult> {
  try {
    return await run(command);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

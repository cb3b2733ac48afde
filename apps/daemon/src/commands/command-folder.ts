import { mkdirSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandOf, type Command, type CommandResult } from './command';

/** Commands to a running daemon: files under its state directory, which only its own user can write. */
export class CommandFolder {
  private readonly folder: string;

  constructor(stateDir: string) {
    this.folder = join(stateDir, 'commands');
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Leaves a command for the daemon; returns where its result will be. */
  async leave(id: string, command: Command): Promise<string> {
    const path = join(this.folder, id);
    await writeFile(`${path}.tmp`, JSON.stringify(command));
    await rename(`${path}.tmp`, `${path}.command`);
    return `${path}.result`;
  }

  /** Carries out what was left, in the order of the ids. */
  async serve(run: (command: Command) => Promise<CommandResult>): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.command')).sort();
    for (const name of names) {
      const path = join(this.folder, name);
      const command = commandOf(await readFile(path, 'utf8'));
      const result = command === null ? { ok: false, message: 'this is no command' } : await tried(run, command);
      const outcome = path.replace(/\.command$/, '.result');
      await writeFile(`${outcome}.tmp`, JSON.stringify(result));
      await rename(`${outcome}.tmp`, outcome);
      await rm(path, { force: true });
    }
  }
}

/** A command that fails is answered, or it would be tried again for ever. */
async function tried(run: (command: Command) => Promise<CommandResult>, command: Command): Promise<CommandResult> {
  try {
    return await run(command);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

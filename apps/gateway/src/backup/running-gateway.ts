import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { awaitedResult, CommandFolder, type CommandResult } from '@libs/command-folder';
import type { Clock } from '@libs/clock';
import { machineFiles } from '@libs/files';
import { backupCommandOf, type BackupCommand } from './backup-command';
import { BackupError } from './backup-error';

/** Within this time a gateway that runs has begun with a command. */
const pickUpMs = 10_000;
/** Within this time it has answered a command that it executes at once. */
const answerMs = 2_000;
/** A copy that has not grown for this time has ended with its gateway. */
const stalledMs = 60_000;

/** The gateway that runs on a state directory, asked by files in it. */
export class RunningGateway {
  private readonly commands: CommandFolder<BackupCommand>;

  constructor(
    private readonly stateDir: string,
    private readonly clock: Clock,
  ) {
    this.commands = new CommandFolder(stateDir, machineFiles, backupCommandOf);
  }

  /** Whether one answers. It may run in another container, where its locks are not seen. */
  async answers(): Promise<boolean> {
    if (!existsSync(join(this.stateDir, 'commands'))) return false;
    return (await this.ask({ command: 'ping' }, (waitedMs) => waitedMs < answerMs)) !== null;
  }

  /**
   * Has it copy its trade journal.
   * @param folder absolute path, not there yet
   * @throws BackupError when it does not, or cannot
   */
  async copyJournal(folder: string): Promise<void> {
    let last = { bytes: -1, atMs: 0 };
    const result = await this.ask({ command: 'copy-journal', folder }, (waitedMs) => {
      const bytes = bytesOf(join(folder, 'data.mdb'));
      if (bytes !== last.bytes) last = { bytes, atMs: waitedMs };
      return waitedMs - last.atMs < (bytes < 0 ? pickUpMs : stalledMs);
    });
    if (result === null)
      throw new BackupError('the running gateway did not copy its trade journal: stop it to back it up');
    if (!result.ok) throw new BackupError(`the running gateway could not copy its trade journal: ${result.message}`);
  }

  private async ask(command: BackupCommand, isPatient: (waitedMs: number) => boolean): Promise<CommandResult | null> {
    const id = `${this.clock.nowMs()}-${randomUUID()}`;
    const result = await awaitedResult(await this.commands.leave(id, command), isPatient);
    // A gateway that starts later does not execute it.
    if (result === null) await this.commands.withdraw(id);
    return result;
  }
}

/** The size of a file; -1 while it is not there. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

import { CommandFolder, type CommandResult } from '@libs/command-folder';
import type { Clock, Timer } from '@libs/clock';
import { machineFiles } from '@libs/files';
import type { Logger } from 'pino';
import type { TradeJournal } from '../trade-journal/trade-journal';
import { backupCommandOf, type BackupCommand } from './backup-command';

/** How often commands in the state directory are looked for. */
const lookEveryMs = 500;

/**
 * Executes the commands of `backup` in the process of the gateway: a second process that opens the database of a trade
 * journal that is being written can make the gateway lose a commit (lmdb 3).
 */
export class BackupService {
  private readonly commands: CommandFolder<BackupCommand>;
  private timer: Timer | null = null;
  private serving: Promise<void> | null = null;

  constructor(
    stateDir: string,
    private readonly journal: Pick<TradeJournal, 'copyTo'>,
    private readonly clock: Clock,
    private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.commands = new CommandFolder(stateDir, machineFiles, backupCommandOf);
  }

  /** Begins to look for commands. A folder that cannot be created is logged, and does not prevent the start. */
  async start(): Promise<void> {
    try {
      await this.commands.make();
    } catch (err) {
      this.logger.warn({ err }, 'backups of the running gateway are not possible');
      return;
    }
    this.timer = this.clock.every(lookEveryMs, () => void (this.serving ??= this.serve()));
  }

  /** Ends after a copy in progress. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.serving;
  }

  private async serve(): Promise<void> {
    try {
      await this.commands.serve((command) => this.execute(command));
    } catch (err) {
      this.logger.warn({ err }, 'the backup commands could not be read');
    } finally {
      this.serving = null;
    }
  }

  private async execute(command: BackupCommand): Promise<CommandResult> {
    if (command.command === 'ping') return { ok: true, message: 'the gateway is running' };
    const { folder } = command;
    await this.journal.copyTo(folder);
    this.logger.info({ folder }, 'the trade journal was copied for a backup');
    return { ok: true, message: `the trade journal was copied to ${folder}` };
  }
}

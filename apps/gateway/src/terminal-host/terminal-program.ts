import { type Clock, within } from '@libs/clock';
import { basename } from 'node:path';
import { type HostLog } from './host-events';
import { endProcess } from './process-end';
import { type Command, type ProcessExit, type ProcessRunner, type RunningProcess } from './process-runner';

export interface TerminalProgramOptions {
  /** Starts the terminal; with a startup file it logs in with that account. */
  readonly command: (executable: string, startupFile: string | undefined) => Command;
  /** Closes the terminal's window (`taskkill`), so that the terminal saves its state; if the system supports it. */
  readonly close: ((image: string) => Command) | undefined;
  /** An environment variable that exactly the processes of this host have. */
  readonly mark: string;
}

const closeMs = 10_000;
/** A starting terminal has no window yet, and a dialog can swallow the request, so it is repeated. */
const askAgainMs = 2_000;
const graceMs = 5_000;

/**
 * The processes of the terminal, started by this host or by the terminal itself: after a self-update it comes back as a
 * process with another parent.
 */
export class TerminalProgram {
  private process: RunningProcess | undefined;
  private executable: string | undefined;
  private lastExit: ProcessExit | undefined;
  private launches = 0;

  constructor(
    private readonly options: TerminalProgramOptions,
    private readonly runner: ProcessRunner,
    private readonly clock: Clock,
    private readonly log: HostLog,
  ) {}

  /** How often it has been started. */
  get launchCount(): number {
    return this.launches;
  }

  /** How the last started process ended; undefined while it runs. */
  get exit(): ProcessExit | undefined {
    return this.lastExit;
  }

  /** Starts the terminal after ending earlier ones, because a second one would only activate the first and exit. */
  async launch(executable: string, startupFile?: string): Promise<void> {
    this.executable = executable;
    const strays = await this.others();
    if (strays.length > 0) {
      this.log.event('stray terminal ended', { pids: strays.join(', ') });
      await this.endOthers();
    }
    const process = this.runner.start(this.options.command(executable, startupFile));
    this.process = process;
    this.lastExit = undefined;
    this.launches += 1;
    void process.exited.then((exit) => {
      if (this.process === process) this.lastExit = exit;
    });
  }

  /** Takes over a terminal that an earlier host started. False if none runs. */
  async adopt(executable: string): Promise<boolean> {
    this.executable = executable;
    return this.isRunning();
  }

  /** Whether a terminal runs, including one that restarted itself. */
  async isRunning(): Promise<boolean> {
    return this.process?.isRunning() === true || (await this.others()).length > 0;
  }

  /** Ends it, and any that restarted itself: closes the window, then sends SIGTERM, then kills it. */
  async stop(): Promise<void> {
    const process = this.process;
    if (process?.isRunning() && this.options.close && this.executable !== undefined) {
      await this.closeWindow(process, this.options.close(basename(this.executable)));
    }
    if (process) await endProcess(this.clock, process, graceMs);
    this.process = undefined;
    await this.endOthers();
  }

  private async closeWindow(process: RunningProcess, close: Command): Promise<void> {
    let asking = this.runner.start(close);
    for (let waitedMs = 0; waitedMs < closeMs; waitedMs += askAgainMs) {
      if (await within(this.clock, askAgainMs, process.exited)) break;
      if (!asking.isRunning()) asking = this.runner.start(close);
    }
    await endProcess(this.clock, asking, 0);
  }

  private async others(): Promise<readonly number[]> {
    if (this.executable === undefined) return [];
    const pids = await this.runner.find({ program: basename(this.executable), env: this.options.mark });
    return this.process?.isRunning() ? pids.filter((pid) => pid !== this.process?.pid) : pids;
  }

  private async endOthers(): Promise<void> {
    for (const pid of await this.others()) this.runner.signal(pid, 'SIGTERM');
    for (let waitedMs = 0; waitedMs < graceMs; waitedMs += 250) {
      if ((await this.others()).length === 0) return;
      await this.clock.sleep(250);
    }
    for (const pid of await this.others()) this.runner.signal(pid, 'SIGKILL');
  }
}

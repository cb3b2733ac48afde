import { type Clock } from '@libs/clock';
import { basename } from 'node:path';
import { type HostLog } from './host-events';
import { within } from './lifetime';
import { endProcess } from './process-end';
import { type Command, type ProcessExit, type ProcessRunner, type RunningProcess } from './process-runner';

export interface TerminalProgramOptions {
  /** Starts the terminal; with a startup file it logs in by it, without one it shows what it knows. */
  readonly command: (executable: string, startupFile: string | undefined) => Command;
  /** Asks the terminal to close its window (`taskkill`), so that it saves its state; where the system has it. */
  readonly close: ((image: string) => Command) | undefined;
  /** An entry of the environment that every process of this host carries, and no other. */
  readonly mark: string;
}

const CLOSE_MS = 10_000;
const GRACE_MS = 5_000;

/**
 * The terminal as processes. It may be one that we started, or one that started itself: after a self-update the
 * terminal comes back as a process of which we are not the parent.
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

  /** How the process we started last ended, while it has. */
  get exit(): ProcessExit | undefined {
    return this.lastExit;
  }

  /** Starts the terminal, after ending what is left of earlier ones: a second one would only wake the first and leave. */
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

  /** Takes over a terminal that an earlier host has started. False when none runs. */
  async adopt(executable: string): Promise<boolean> {
    this.executable = executable;
    return this.isRunning();
  }

  /** Whether a terminal runs, ours or one that restarted itself. */
  async isRunning(): Promise<boolean> {
    return this.process?.isRunning() === true || (await this.others()).length > 0;
  }

  /** Ends it: window closed, then asked by signal, then killed, and with it any that restarted itself. */
  async stop(): Promise<void> {
    const process = this.process;
    if (process?.isRunning() && this.options.close && this.executable !== undefined) {
      const closing = this.runner.start(this.options.close(basename(this.executable)));
      await within(this.clock, CLOSE_MS, process.exited);
      await endProcess(this.clock, closing, 0);
    }
    if (process) await endProcess(this.clock, process, GRACE_MS);
    this.process = undefined;
    await this.endOthers();
  }

  private async others(): Promise<readonly number[]> {
    if (this.executable === undefined) return [];
    const pids = await this.runner.find({ program: basename(this.executable), env: this.options.mark });
    return this.process?.isRunning() ? pids.filter((pid) => pid !== this.process?.pid) : pids;
  }

  private async endOthers(): Promise<void> {
    for (const pid of await this.others()) this.runner.signal(pid, 'SIGTERM');
    for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += 250) {
      if ((await this.others()).length === 0) return;
      await this.clock.sleep(250);
    }
    for (const pid of await this.others()) this.runner.signal(pid, 'SIGKILL');
  }
}

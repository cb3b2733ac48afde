import { backoffMs, type Clock } from '@libs/clock';
import { type HostEvent, type HostLog } from './host-events';
import { Lifetime } from './lifetime';
import { endProcess } from './process-end';
import { type Command, type ProcessRunner, type RunningProcess } from './process-runner';

/** Event names of a process: its start, its end, and each line that it prints. */
export interface ProcessEvents {
  readonly started: HostEvent;
  readonly ended: HostEvent;
  readonly said: HostEvent;
}

export interface SupervisedProcessOptions {
  /** Called at each start, because the program may have been installed in the meantime. */
  readonly command: () => Command;
  readonly events: ProcessEvents;
  /** Texts that are never logged, even if the program prints them. */
  readonly secrets: readonly string[];
}

const backOff = { firstMs: 1_000, longestMs: 60_000 };
/** A run this long counts as healthy: its next restart has no extra delay. */
const healthyMs = 60_000;
const graceMs = 5_000;

/** A child that is kept running between {@link start} and {@link stop}, restarted with back-off when it ends. */
export class SupervisedProcess {
  private process: RunningProcess | undefined;
  private life: Lifetime | undefined;
  private loop: Promise<void> = Promise.resolve();
  private starts = 0;

  constructor(
    private readonly options: SupervisedProcessOptions,
    private readonly runner: ProcessRunner,
    private readonly clock: Clock,
    private readonly log: HostLog,
  ) {}

  get status(): { running: boolean; starts: number } {
    return { running: this.process?.isRunning() ?? false, starts: this.starts };
  }

  /** Starts it; harmless if it is running already. */
  start(): void {
    if (this.life && !this.life.isOver) return;
    const life = new Lifetime(this.clock);
    this.life = life;
    this.loop = this.loop.then(() => this.keep(life));
  }

  /** Ends it with its whole group. Resolves once it is gone. */
  async stop(): Promise<void> {
    this.life?.end();
    await this.loop;
  }

  private async keep(life: Lifetime): Promise<void> {
    for (let failures = 0; !life.isOver; failures++) {
      const startedMs = this.clock.monotonicMs();
      const process = this.runner.start(this.options.command(), (line) => this.say(line));
      this.process = process;
      this.starts += 1;
      this.log.event(this.options.events.started, { pid: process.pid, start: this.starts });
      const over = new Promise<void>((resolve) => life.signal.addEventListener('abort', () => resolve()));
      await Promise.race([process.exited, over]);
      if (life.isOver) return endProcess(this.clock, process, graceMs);
      process.signal('SIGKILL');
      const { code, signal, failure } = await process.exited;
      if (this.clock.monotonicMs() - startedMs >= healthyMs) failures = 0;
      const delayMs = backoffMs(failures, backOff);
      this.log.event(this.options.events.ended, { code, signal, failure, restart_in_seconds: delayMs / 1_000 });
      await life.sleep(delayMs);
    }
  }

  private say(line: string): void {
    const hidden = this.options.secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), line);
    this.log.event(this.options.events.said, { line: hidden.slice(0, 1_000) });
  }
}

import { type Clock } from '@libs/clock';
import { type HostEvent, type HostLog } from './host-events';
import { backOffMs, Lifetime } from './lifetime';
import { endProcess } from './process-end';
import { type Command, type ProcessRunner, type RunningProcess } from './process-runner';

export interface SupervisedProcessOptions {
  /** Asked at each start, since what it names may have been installed in the meantime. */
  readonly command: () => Command;
  readonly events: { readonly started: HostEvent; readonly ended: HostEvent; readonly said: HostEvent };
  /** A pause before its first start, for what it needs to come up. */
  readonly firstDelayMs: number;
  /** Texts never to be logged, should the program print them. */
  readonly secrets: readonly string[];
}

const BACK_OFF = { baseMs: 1_000, maxMs: 60_000 };
/** A run this long counts as healthy: the next restart is quick again. */
const HEALTHY_MS = 60_000;
const GRACE_MS = 5_000;

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

  /** Starts it; harmless when it is being kept running already. */
  start(): void {
    if (this.life && !this.life.isOver) return;
    const life = new Lifetime(this.clock);
    this.life = life;
    this.loop = this.loop.then(() => this.keep(life));
  }

  /** Ends it with its whole group. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.life?.end();
    await this.loop;
  }

  private async keep(life: Lifetime): Promise<void> {
    await life.sleep(this.options.firstDelayMs);
    for (let failures = 0; !life.isOver; failures++) {
      const startedMs = this.clock.monotonicMs();
      const process = this.runner.start(this.options.command(), (line) => this.say(line));
      this.process = process;
      this.starts += 1;
      this.log.event(this.options.events.started, { pid: process.pid, start: this.starts });
      const over = new Promise<void>((resolve) => life.signal.addEventListener('abort', () => resolve()));
      await Promise.race([process.exited, over]);
      if (life.isOver) return endProcess(this.clock, process, GRACE_MS);
      process.signal('SIGKILL');
      const { code, signal, failure } = await process.exited;
      if (this.clock.monotonicMs() - startedMs >= HEALTHY_MS) failures = 0;
      const delayMs = backOffMs(failures, BACK_OFF);
      this.log.event(this.options.events.ended, { code, signal, failure, restart_in_seconds: delayMs / 1_000 });
      await life.sleep(delayMs);
    }
  }

  private say(line: string): void {
    const hidden = this.options.secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), line);
    this.log.event(this.options.events.said, { line: hidden.slice(0, 1_000) });
  }
}

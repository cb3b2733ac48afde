import type { Crash } from '@libs/simulated-disk';
import { ProgramLife } from './instance-clock';
import { PortCalls, type KillMoment, type KillOrder } from './port-calls';
import type { VirtualTime } from './virtual-time';

/** A supervisor waits so long before it starts a program again that could not start. */
const restartAfterFailureMs = 10_000;

/** How a run is ended. */
export interface Kill {
  /** When the next run starts. */
  readonly downMs: number;
  /** The program alone, or the whole machine. */
  readonly crash: Crash;
}

/** One run of a program, from its start to its end. */
export interface ProgramRun<App> {
  readonly number: number;
  readonly life: ProgramLife;
  readonly calls: PortCalls;
  /** Null until it answers requests. */
  app: App | null;
  /** Requests that it has not answered. */
  readonly waiting: Set<(answer: null) => void>;
}

/** What a program is, and what receives its events. */
export interface Program<App> {
  /** Its name in the trace. */
  readonly name: string;
  readonly time: VirtualTime;
  trace(line: string): void;
  /** Starts it. @returns what answers requests */
  boot(run: ProgramRun<App>): Promise<App>;
  /** The run has ended: what it had not brought to disk is lost. */
  ended(run: ProgramRun<App>, crash: Crash): void;
  failedToStart(run: ProgramRun<App>, error: unknown): void;
}

/** A program that is killed and started again on the same disk. */
export class ProgramProcess<App> {
  run: ProgramRun<App> | null = null;
  starts = 0;
  kills = 0;
  private order: (KillOrder & Kill) | null = null;

  constructor(private readonly program: Program<App>) {}

  start(): void {
    if (this.run) return;
    const { program } = this;
    const { time } = program;
    const life = new ProgramLife();
    const kill = (call: string, moment: KillMoment): void =>
      this.kill(run, `${moment} ${call}`, this.order ?? { downMs: restartAfterFailureMs, crash: 'process' });
    const run: ProgramRun<App> = {
      number: ++this.starts,
      life,
      calls: new PortCalls(life, time, kill),
      app: null,
      waiting: new Set(),
    };
    this.run = run;
    if (this.order) run.calls.killAt(this.order);
    program.trace(`${program.name} run ${run.number} starts`);
    this.boot(run).catch((error: unknown) => {
      if (life.isOver) return;
      const reason = error instanceof Error ? error.message : String(error);
      program.trace(`${program.name} run ${run.number} cannot start: ${reason}`);
      program.failedToStart(run, error);
      this.end(run, 'process');
      time.schedule(restartAfterFailureMs, () => this.start());
    });
  }

  /** Ends the present run at once, as kill -9 does, and starts the next one later. */
  killNow(kill: Kill): void {
    if (this.run) this.kill(this.run, 'by time', kill);
  }

  /** Ends a run at one of its port calls: the present one, or the next. */
  killAt(order: KillOrder, kill: Kill): void {
    this.order = { ...order, ...kill };
    this.run?.calls.killAt(order);
  }

  /** Something happens outside at the moment of a later call of the present run. */
  meet(port: string, skip: number, run: () => void): void {
    this.run?.calls.meet(port, skip, run);
  }

  /** Forgets what was ordered to be killed. */
  spare(): void {
    this.order = null;
    this.run?.calls.spare();
  }

  /** Nothing runs in the program for a while, as between SIGSTOP and SIGCONT. */
  pause(ms: number): void {
    const { run } = this;
    if (!run || run.life.paused) return;
    this.program.trace(`${this.program.name} run ${run.number} is paused for ${ms} ms`);
    run.life.pause();
    this.program.time.schedule(ms, () => run.life.resume());
  }

  private async boot(run: ProgramRun<App>): Promise<void> {
    const app = await this.program.boot(run);
    if (!run.life.isOver) run.app = app;
  }

  private kill(run: ProgramRun<App>, how: string, { downMs, crash }: Kill): void {
    if (run.life.isOver) return;
    this.kills += 1;
    this.program.time.schedule(downMs, () => this.start());
    const words = crash === 'power' ? ', with its machine' : '';
    this.program.trace(`${this.program.name} run ${run.number} is killed ${how}${words}`);
    this.order = null;
    this.end(run, crash);
  }

  private end(run: ProgramRun<App>, crash: Crash): void {
    run.life.end();
    run.app = null;
    if (this.run === run) this.run = null;
    for (const resolve of run.waiting) resolve(null);
    run.waiting.clear();
    this.program.ended(run, crash);
  }
}

import type { ResultsFile } from './results-file';
import type { SetHost } from './process-host';
import type { SetJob, SetOutcome } from './set-run';

/** A backtest of a search under the name by which a later run finds its outcome. */
export interface SweepTask {
  readonly name: string;
  readonly job: SetJob;
}

/** How far a search is. */
export interface SweepProgress {
  /** Called with each outcome and the name of its task; `wasKept` if an earlier run had it. */
  note(outcome: SetOutcome, wasKept: boolean, name: string): void;
}

/** Runs the tasks of a search on several hosts, each task once, and keeps every outcome when it is there. */
export class Sweep {
  private isStopped = false;

  constructor(
    private readonly hosts: readonly SetHost[],
    private readonly results: ResultsFile,
    private readonly progress: SweepProgress,
  ) {}

  /** Whether it was stopped before its end. */
  get wasStopped(): boolean {
    return this.isStopped;
  }

  /** Ends the runs in progress. Finished runs are kept. */
  stop(): void {
    this.isStopped = true;
    for (const host of this.hosts) host.end();
  }

  /**
   * Runs the tasks that have no outcome yet.
   * @param mostHosts how many hosts take part; all when omitted
   * @throws ResultsFileError when an outcome cannot be kept
   */
  async run(tasks: readonly SweepTask[], mostHosts = this.hosts.length): Promise<void> {
    const open = tasks.filter(({ name }) => {
      const kept = this.results.get(name);
      if (kept) this.progress.note(kept, true, name);
      return !kept;
    });
    const queue = open.values();
    await Promise.all(this.hosts.slice(0, mostHosts).map((host) => this.work(host, queue)));
  }

  /**
   * Runs tasks as they come, until there are no more.
   * @throws ResultsFileError, and what the source of the tasks throws
   */
  async follow(tasks: AsyncIterable<SweepTask>): Promise<void> {
    const queue = tasks[Symbol.asyncIterator]();
    await Promise.all(this.hosts.map((host) => this.work(host, queue)));
  }

  private async work(host: SetHost, queue: Iterator<SweepTask> | AsyncIterator<SweepTask>): Promise<void> {
    for (let next = await queue.next(); !next.done && !this.isStopped; next = await queue.next()) {
      const { name, job } = next.value;
      const outcome = await host.run(job);
      if (outcome === null) return;
      this.results.add(name, outcome);
      this.progress.note(outcome, false, name);
    }
  }
}

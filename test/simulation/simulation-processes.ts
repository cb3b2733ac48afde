import type { AnyPlan } from './any-plan';
import { SimulationProcess } from './run-in-child';
import type { RunResult } from './simulation';

/** A process that has started programs so often gets no further plan. */
const mostStarts = 150;

/**
 * Processes that run one plan after the other. Loading and compiling the programs takes longer than many a run, and a process
 * does it once. A run is the same as in a fresh process: determinism.spec.ts compares them.
 */
export class SimulationProcesses {
  private readonly idle: SimulationProcess[] = [];

  /** @throws Error when the process fails */
  async run(plan: AnyPlan, keptLines: number, bug?: string): Promise<RunResult> {
    const process = this.take(bug);
    try {
      const result = await process.run(plan, keptLines);
      // After a violation, a program may be anywhere.
      if (result.violation || process.starts >= mostStarts) process.end();
      else this.idle.push(process);
      return result;
    } catch (error) {
      process.end();
      throw error;
    }
  }

  /** Ends all processes that run nothing. */
  end(): void {
    for (const process of this.idle.splice(0)) process.end();
  }

  private take(bug: string | undefined): SimulationProcess {
    const at = this.idle.findIndex((process) => process.bug === bug);
    return this.idle.splice(at, at < 0 ? 0 : 1)[0] ?? new SimulationProcess(bug);
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { AnyPlan } from './any-plan';
import type { RunResult } from './simulation';

const child = join(__dirname, '../../scripts/simulation/child.cjs');
/** Most of what a run makes is short-lived: with more room for it, less time goes into collecting it. Other runs use the other cores. */
const heap = ['--max-old-space-size=1500', '--max-semi-space-size=64', '--single-threaded-gc'];
/** A run that takes longer hangs. */
const timeoutMs = 20 * 60_000;

/** A process whose time and randomness belong to one run at a time. */
export class SimulationProcess {
  /** Starts of programs so far: each of them leaves some memory behind. */
  starts = 0;
  private readonly process: ChildProcess;
  private errors = '';

  /** @param bug a planted bug that the programs have */
  constructor(readonly bug?: string) {
    this.process = spawn(process.execPath, [...heap, child, ...(bug === undefined ? [] : [bug])], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
  }

  /**
   * Runs a plan. Only one at a time.
   * @param keptLines how many of the last lines of its trace to return
   * @throws Error when the process fails
   */
  run(plan: AnyPlan, keptLines: number): Promise<RunResult> {
    const { process } = this;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => process.kill('SIGKILL'), timeoutMs);
      const settled = (): void => {
        clearTimeout(timer);
        process.removeAllListeners();
      };
      process.on('message', (result: RunResult) => {
        settled();
        this.starts += result.figures.starts;
        resolve(result);
      });
      process.on('error', (error) => {
        settled();
        reject(error);
      });
      process.on('close', (code, signal) => {
        settled();
        reject(new Error(`the simulation ended with ${signal ?? code}: ${this.errors.trim()}`));
      });
      process.send({ plan, keptLines });
    });
  }

  end(): void {
    this.process.kill('SIGKILL');
  }
}

/**
 * Runs a plan in a fresh process.
 * @param keptLines how many of the last lines of its trace to return
 * @param bug a planted bug that the programs have
 * @throws Error when the process fails
 */
export async function runInChild(plan: AnyPlan, keptLines: number, bug?: string): Promise<RunResult> {
  const process = new SimulationProcess(bug);
  try {
    return await process.run(plan, keptLines);
  } finally {
    process.end();
  }
}

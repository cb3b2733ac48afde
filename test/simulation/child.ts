// First, so that everything else is loaded in virtual time.
import { beginRun, time } from './virtual-process';
import 'reflect-metadata';
import type { AnyPlan } from './any-plan';
import { Simulation } from './simulation';
import { WholeSimulation } from './whole/whole-simulation';

/** What the parent process sends for each run. */
interface Order {
  readonly plan: AnyPlan;
  readonly keptLines: number;
}

let running: Simulation | WholeSimulation | null = null;

/** Runs the plans that the parent process sends, one after the other, and sends their results back. */
async function run({ plan, keptLines }: Order): Promise<void> {
  beginRun(plan);
  running = 'program' in plan ? new WholeSimulation(plan, time, keptLines) : new Simulation(plan, time, keptLines);
  const result = await running.run();
  running = null;
  process.send?.(result);
}

function crashed(error: unknown): void {
  if (running) running.crashed(error);
  else end(error);
}

function end(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`, () => process.exit(1));
}

process.on('unhandledRejection', crashed);
process.on('uncaughtException', crashed);
process.on('message', (order: Order) => void run(order).catch(end));
process.on('disconnect', () => process.exit(0));

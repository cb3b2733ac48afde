// First, so that everything else is loaded in virtual time.
import { plan, time } from './virtual-process';
import 'reflect-metadata';
import { Simulation } from './simulation';
import { WholeSimulation } from './whole/whole-simulation';

/** Runs one plan in a process of its own and prints the result as one line of JSON. */
async function main(): Promise<void> {
  const keptLines = Number(process.argv[3] ?? 100);
  const simulation =
    'program' in plan ? new WholeSimulation(plan, time, keptLines) : new Simulation(plan, time, keptLines);
  const crashed = (error: unknown): void => simulation.crashed(error);
  process.on('unhandledRejection', crashed);
  process.on('uncaughtException', crashed);
  const result = await simulation.run();
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});

import { type Clock, within } from '@libs/clock';
import { type RunningProcess } from './process-runner';

/** Ends a child and its process group: SIGTERM, then SIGKILL after `graceMs`. Resolves when the child has exited. */
export async function endProcess(clock: Clock, process: RunningProcess, graceMs: number): Promise<void> {
  process.signal('SIGTERM');
  const exit = await within(clock, graceMs, process.exited);
  // Also after a clean exit, to end the remaining processes of its group.
  process.signal('SIGKILL');
  if (!exit) await process.exited;
}

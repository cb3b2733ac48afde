import { type Clock } from '@libs/clock';
import { within } from './lifetime';
import { type RunningProcess } from './process-runner';

/** Ends a child with all it started: asks, waits `graceMs`, then kills. Resolves when the child has exited. */
export async function endProcess(clock: Clock, process: RunningProcess, graceMs: number): Promise<void> {
  process.signal('SIGTERM');
  const exit = await within(clock, graceMs, process.exited);
  // Also after a clean exit: whatever the child left in its group ends now.
  process.signal('SIGKILL');
  if (!exit) await process.exited;
}

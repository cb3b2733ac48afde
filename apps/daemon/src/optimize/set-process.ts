import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { KeptThread } from '../backtest/thread/kept-thread';
import { runSet, type SetJob } from './set-run';

/** A set to run. `bundle`: of its strategy and of those after it; omitted: as before. */
export interface SetMessage {
  readonly job: SetJob;
  readonly bundle?: SetJob['options']['bundle'] | null;
}

// The entry of the processes that run sets. Ctrl-C reaches every process of the terminal; the parent ends this one.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
// A strategy keeps enough of its bars for V8 to take all that follow for long-lived: sets would fill the old space with them.
setFlagsFromString('--no-allocation-site-pretenuring');
// The full engine leaves some 10 MiB a run in the old space, which V8 would else collect, at 30 MiB, after every other run.
setFlagsFromString('--initial-old-space-size=192');
const thread = new KeptThread();
let known: SetJob['options']['bundle'];
process.on('message', ({ job, bundle = known ?? null }: SetMessage) => {
  known = bundle ?? undefined;
  const options = { ...job.options, ...(known && { bundle: known }) };
  void runSet({ ...job, options }, thread).then((outcome) => process.send?.(outcome));
});

import 'reflect-metadata';
import { runSet, type SetJob } from './set-run';

// The entry of the processes that run sets. Ctrl-C reaches every process of the terminal; the parent ends this one.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (job: SetJob) => {
  void runSet(job).then((outcome) => process.send?.(outcome));
});

import 'reflect-metadata';
import { KeptThread } from '../backtest/thread/kept-thread';
import { runSet, type SetJob } from './set-run';

// The entry of the processes that run sets. Ctrl-C reaches every process of the terminal; the parent ends this one.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
const thread = new KeptThread();
process.on('message', (job: SetJob) => {
  void runSet(job, thread).then((outcome) => process.send?.(outcome));
});

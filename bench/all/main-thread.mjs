import { readFileSync } from 'node:fs';

/** Answers each message of the parent with the processor time of the main thread and the flushes so far, and ends with the parent. */
export function answerUsage(flushes) {
  process.on('message', () => process.send({ mainThreadMs: mainThreadMs(), flushes: flushes() }));
  process.on('disconnect', () => process.exit(0));
}

/** Processor time of this process's main thread so far, in steps of a hundredth of a second (proc(5)). */
function mainThreadMs() {
  const fields = readFileSync(`/proc/${process.pid}/task/${process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

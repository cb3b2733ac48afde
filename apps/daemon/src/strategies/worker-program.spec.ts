import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bundleWorker } from './strategy-bundler';
import { compiledProgram, threadOptions } from './worker-threads';

describe('the program of strategy threads', () => {
  it('is compiled before the first thread starts, and threads accept it', async () => {
    const program = await compiledProgram(await bundleWorker());
    expect(program.data.compiled?.length).toBeGreaterThan(100_000);
    const told = 'parentPort.postMessage(cachedData !== undefined && script.cachedDataRejected === false);';
    const worker = new Worker(`${program.boot}\n${told}`, threadOptions(program, 32));
    expect(await once(worker, 'message')).toEqual([true]);
    await worker.terminate();
  });

  it('runs without being compiled before if that fails', async () => {
    const { data } = await compiledProgram(`throw new Error('out of order');`);
    expect(data.compiled).toBeNull();
  });
});

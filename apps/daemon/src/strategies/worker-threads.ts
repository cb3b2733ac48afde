import { Worker, type WorkerOptions } from 'node:worker_threads';
import { bundleWorker } from './strategy-bundler';
import type { StrategyWorker, ThreadHost, WorkerListener } from './thread-host';
import type { FromWorker } from './worker/messages';
import { compiledProgram, type WorkerProgram } from './worker-program';

/** The worker threads of this process. @throws Error when their entry cannot be bundled */
export async function workerThreads(): Promise<ThreadHost> {
  const program = await compiledProgram(await bundleWorker());
  return {
    start: (maxHeapMb, listener) => started(program, maxHeapMb, listener),
    residentBytes: () => process.memoryUsage.rss(),
  };
}

/** How a thread of this program is started. @param maxHeapMb largest heap of the thread, in MiB */
export function threadOptions({ data }: WorkerProgram, maxHeapMb: number): WorkerOptions {
  const packages = require.resolve('class-validator');
  return {
    eval: true,
    env: {},
    stdin: false,
    workerData: { ...data, maxExternalBytes: maxHeapMb * 1024 * 1024, packages },
    // Each thread keeps its young generation for as long as it lives; events need little of it.
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 2 },
  };
}

function started(program: WorkerProgram, maxHeapMb: number, listener: WorkerListener): StrategyWorker {
  const worker = new Worker(program.boot, threadOptions(program, maxHeapMb));
  worker.on('message', (message: FromWorker) => listener.onMessage(message));
  worker.on('error', (error) => listener.onEnd(error.message));
  worker.on('exit', (code) => listener.onEnd(`the strategy's thread ended with code ${code}`));
  return { post: (message) => worker.postMessage(message), terminate: () => worker.terminate() };
}

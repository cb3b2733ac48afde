import { Worker } from 'node:worker_threads';
import { bundleWorker } from './strategy-bundler';
import type { StrategyWorker, ThreadHost, WorkerListener } from './thread-host';
import type { FromWorker } from './worker/messages';

/** The worker threads of this process. @throws Error when their entry cannot be bundled */
export async function workerThreads(): Promise<ThreadHost> {
  const entry = await bundleWorker();
  return { start: (maxHeapMb, listener) => started(entry, maxHeapMb, listener) };
}

function started(entry: string, maxHeapMb: number, listener: WorkerListener): StrategyWorker {
  const worker = new Worker(entry, {
    eval: true,
    env: {},
    stdin: false,
    workerData: { maxExternalBytes: maxHeapMb * 1024 * 1024, packages: require.resolve('class-validator') },
    // Each thread keeps its young generation for as long as it lives; events need little of it.
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 2 },
  });
  worker.on('message', (message: FromWorker) => listener.onMessage(message));
  worker.on('error', (error) => listener.onEnd(error.message));
  worker.on('exit', (code) => listener.onEnd(`the strategy's thread ended with code ${code}`));
  return { post: (message) => worker.postMessage(message), terminate: () => worker.terminate() };
}

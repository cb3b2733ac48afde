import { Worker, type WorkerOptions } from 'node:worker_threads';
import { bundleWorker } from './strategy-bundler';
import type { StrategyWorker, ThreadHost, WorkerListener } from './thread-host';
import type { FromWorker, ToWorker } from './worker/messages';
import type { View } from '../live/view';

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

/** What each thread runs first. The code has the name of an evaluated text, by which errors of strategies leave its frames out. */
const boot = `
const { parentPort, workerData } = require('node:worker_threads');
const { Script } = require('node:vm');
const cachedData = workerData.compiled ?? undefined;
const script = new Script(workerData.code, { filename: '[worker eval]', cachedData });
script.runInThisContext()(require);
if (workerData.isModel) parentPort.on('message', ({ type }) => {
  if (type === 'handle') parentPort.postMessage(script.createCachedData());
});
`;

/** The program of strategy threads. */
interface WorkerProgram {
  readonly boot: string;
  readonly data: {
    readonly code: string;
    /** The code as V8 has compiled it, in memory that all threads share; null: each thread compiles it. */
    readonly compiled: Uint8Array | null;
  };
}

/** A strategy that makes the model thread run what all threads run. */
const model = `
const { defineStrategy } = require('@libs/strategy');
const { IsInt } = require('class-validator');
class Params { length = 1; }
IsInt()(Params.prototype, 'length');
module.exports = defineStrategy({ version: 1, params: Params, create: () => ({ onTick() {} }) });
`;
const view: View = { positions: [], orders: [], equity: 0, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const quote = { stream: 'main', symbol: 'model', timeMs: 0, bid: 1, ask: 1 };
const calls: readonly ToWorker[] = [
  {
    type: 'load',
    call: 1,
    deployment: {
      name: 'model',
      code: model,
      file: 'model.js',
      source: 'model.js',
      params: {},
      streams: [{ alias: 'main', broker: 'model', symbol: 'model', timeframe: 'M1' }],
      idPrefix: '',
      state: null,
    },
  },
  { type: 'handle', call: 2, name: 'model', event: { type: 'tick', tick: quote, serverMs: 0 }, view },
];

/**
 * The program with its code compiled by one thread, which has run no strategy of a user.
 * @param text of the entry; it may call `require`
 */
export async function compiledProgram(text: string): Promise<WorkerProgram> {
  const code = `(function (require) {${text}\n})`;
  return { boot, data: { code, compiled: await compiledBy(code) } };
}

/** Null if the thread ends without an answer: a start only takes longer then. */
async function compiledBy(code: string): Promise<Uint8Array | null> {
  const workerData = { code, compiled: null, isModel: true, maxExternalBytes: Infinity, packages: '' };
  const worker = new Worker(boot, { eval: true, env: {}, workerData });
  try {
    return await new Promise((resolve) => {
      worker.on('error', () => resolve(null));
      worker.on('exit', () => resolve(null));
      worker.on('message', (message: unknown) => {
        if (message instanceof Uint8Array) resolve(shared(message));
      });
      for (const call of calls) worker.postMessage(call);
    });
  } finally {
    await worker.terminate();
  }
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

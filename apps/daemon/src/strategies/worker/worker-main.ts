import 'reflect-metadata';
import { format } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { Module } from 'node:module';
import type { Strategy } from '@libs/strategy';
import { nanosNow } from '../../latency/nanos';
import type { FromWorker, ToWorker } from './messages';
import { ownStack } from './own-stack';
import { StrategyInstance } from './strategy-instance';
import { takeAwayTheWorld } from './world';
import { exportedStrategy, providedModule } from './exported-strategy';

/** The thread strategies live in: loads them, hands them their events, sends back what they want. */
const port = parentPort;
if (!port) throw new Error('this file is the entry of a worker thread');
const { maxExternalBytes } = workerData as { readonly maxExternalBytes: number };
process.setSourceMapsEnabled(true);

const instances = new Map<string, { readonly instance: StrategyInstance; readonly file: string }>();
/** The strategy that ran last: later stray errors are attributed to it. */
let latest: StrategyInstance | null = null;
const early: string[] = [];

process.on('unhandledRejection', (reason) => latest?.blame(reason));
takeAwayTheWorld((...parts) => {
  const text = format(...parts);
  if (latest) latest.say(text);
  else early.push(text);
});

const reply = (message: FromWorker): void => port.postMessage(message);

port.on('message', (message: ToWorker) => {
  const said = answer(message);
  // Posted before the answer, so that the error is attributed to this call.
  checkMemory();
  try {
    reply(said);
  } catch (error) {
    // An intent that holds a function, for example, cannot be sent to another thread.
    if (said.type !== 'handled') throw error;
    reply({ ...said, reaction: { ...said.reaction, intents: [], logs: [], error: ownStack(error) } });
  }
});

function answer(message: ToWorker): FromWorker {
  try {
    return answerTo(message);
  } catch (error) {
    return { type: 'refused', call: message.call, error: ownStack(error) };
  }
}

function answerTo(message: ToWorker): FromWorker {
  const { call } = message;
  switch (message.type) {
    case 'load': {
      const { name, code, file, source } = message.deployment;
      latest = null;
      const instance = new StrategyInstance(loadStrategy(code, file, source), message.deployment);
      for (const text of early.splice(0)) instance.say(text);
      instances.set(name, { instance, file });
      return { type: 'loaded', call, loaded: instance.loaded };
    }
    case 'handle': {
      const instance = instanceOf(message.name);
      latest = instance;
      const startedNanos = nanosNow();
      const reaction = instance.handle(message.event, message.view);
      return { type: 'handled', call, reaction, startedNanos, endedNanos: nanosNow() };
    }
    case 'adopt':
      return { type: 'adopted', call, state: instanceOf(message.name).adopt(message.state) };
    case 'unload': {
      const known = instances.get(message.name);
      instances.delete(message.name);
      if (known) forgetStrategy(known.file);
      return { type: 'unloaded', call };
    }
  }
}

function instanceOf(name: string): StrategyInstance {
  const known = instances.get(name);
  if (!known) throw new Error(`no strategy ${name} in this thread`);
  return known.instance;
}

/** The heap limit does not count what typed arrays hold outside of it. @throws Error that ends the thread */
function checkMemory(): void {
  const { external_memory: bytes } = getHeapStatistics();
  if (bytes > maxExternalBytes) throw new Error(`out of memory: ${bytes} bytes are allocated outside the heap`);
}

interface Compiled {
  /** Node's internal compile method; unlike `vm`, it uses the source map in the text. */
  _compile(code: string, file: string): void;
}

/** Node forgets a file's source map with its module, and stack traces would name lines of the bundle. */
const loaded = new Map<string, Module>();

/**
 * Runs a bundled strategy file and returns what it exports.
 * @param source path of the source file, for error messages
 * @throws what the file throws while it loads, or Error when it exports no strategy
 */
function loadStrategy(code: string, file: string, source: string): Strategy {
  const module = new Module(file) as Module & Compiled;
  loaded.set(file, module);
  // Node's module and `require` lead to all of its modules: the file gets others under these names. Its lines stay the same.
  module._compile(`module.exports = function (exports, require, module, __filename, __dirname) {${code}\n};`, file);
  const run = module.exports as (exports: object, require: typeof providedModule, module: { exports: object }) => void;
  const own = { exports: {} };
  run.call(own.exports, own.exports, (id) => providedModule(id), own);
  return exportedStrategy(own.exports, source);
}

/** Releases a file that is no longer in use. */
function forgetStrategy(file: string): void {
  loaded.delete(file);
}

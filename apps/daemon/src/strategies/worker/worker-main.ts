import 'reflect-metadata';
import { parentPort } from 'node:worker_threads';
import { nanosNow } from '../../latency/nanos';
import { loadStrategy } from './load-strategy';
import type { FromWorker, ToWorker } from './messages';
import { ownStack } from './own-stack';
import { StrategyInstance } from './strategy-instance';
import { takeAwayTheWorld } from './world';

/** The thread strategies live in: loads them, hands them their events, sends back what they want. */
const port = parentPort;
if (!port) throw new Error('this file is the entry of a worker thread');
process.setSourceMapsEnabled(true);

const instances = new Map<string, StrategyInstance>();
/** The strategy that had its turn last: what turns up after it is its own. */
let latest: StrategyInstance | null = null;
const early: string[] = [];

takeAwayTheWorld((text) => {
  if (latest) latest.say(text);
  else early.push(text);
});
process.on('unhandledRejection', (reason) => latest?.blame(reason));

const reply = (message: FromWorker): void => port.postMessage(message);

port.on('message', (message: ToWorker) => {
  try {
    answer(message);
  } catch (error) {
    reply({ type: 'refused', call: message.call, error: ownStack(error) });
  }
});

function answer(message: ToWorker): void {
  switch (message.type) {
    case 'load': {
      const { deployment, call } = message;
      latest = null;
      const instance = new StrategyInstance(
        loadStrategy(deployment.code, deployment.file, deployment.source),
        deployment,
      );
      for (const text of early.splice(0)) instance.say(text);
      instances.set(deployment.name, instance);
      return reply({ type: 'loaded', call, loaded: instance.loaded });
    }
    case 'handle': {
      const instance = instances.get(message.name);
      if (!instance) throw new Error(`no strategy ${message.name} in this thread`);
      latest = instance;
      const startedNanos = nanosNow();
      const reaction = instance.handle(message.event, message.view);
      return reply({ type: 'handled', call: message.call, reaction, startedNanos, endedNanos: nanosNow() });
    }
    case 'unload':
      instances.delete(message.name);
      return reply({ type: 'unloaded', call: message.call });
  }
}

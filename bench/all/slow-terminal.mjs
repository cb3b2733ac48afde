// The simulated broker behind the terminal link, in a process of its own, as a real terminal answers: one call at a time, each of
// which takes a given time. It keeps when it was busy with which call, in milliseconds of the machine's monotonic clock.
import 'reflect-metadata';
import { createRequire } from 'node:module';

const built = (file) => createRequire(import.meta.url)(`../../dist/${file}`);
const { SystemClock } = built('libs/clock/src/index.js');
const { readSettings } = built('libs/settings/src/index.js');
const { Simulator, simulatorOptions, simulatorSettings } = built('libs/simulator/src/index.js');
const { LinkServer } = built('libs/terminal-client/src/index.js');

/** Not answered by the terminal, and nothing that a caller waits for. */
const subscriptions = ['onLink', 'onLateAnswer', 'close'];
let callMs = 0;
let calls = [];

const clock = new SystemClock();
const simulator = new Simulator(simulatorOptions(readSettings(simulatorSettings, process.env)), clock);
await simulator.start();
const options = { port: 0, token: process.env.TERMINAL_BRIDGE_TOKEN, driver: 'stand-in', build: 5_000 };
const server = new LinkServer(options, () => slow(simulator.connect()), clock);
const port = await server.listen();
process.on('message', (message) => {
  if ('callMs' in message) callMs = message.callMs;
  process.send(calls);
  calls = [];
});
process.on('disconnect', () => process.exit(0));
process.send({ port });

function slow(terminal) {
  return new Proxy(terminal, {
    get(target, method) {
      const member = Reflect.get(target, method, target);
      if (typeof member !== 'function' || subscriptions.includes(method)) {
        return typeof member === 'function' ? member.bind(target) : member;
      }
      return async (...params) => {
        const fromMs = monotonicMs();
        if (callMs > 0) await new Promise((resolve) => setTimeout(resolve, callMs));
        try {
          return await member.apply(target, params);
        } finally {
          calls.push({ method, fromMs, untilMs: monotonicMs() });
        }
      };
    },
  });
}

/** Of the machine, so that it can be compared with that of another process. */
function monotonicMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Globals that give a strategy more than its events: randomness, clock, timers and the network. */
export const withheld = [
  'fetch',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'BroadcastChannel',
  'performance',
  'crypto',
] as readonly string[];

/**
 * Takes clock, chance, timers and network away from this thread, so that a strategy that reaches for them fails where
 * it does, instead of behaving in a backtest as it never will live. What it says to the console goes to its log.
 * @param speak receives what is passed to the console
 */
export function takeAwayTheWorld(speak: (...parts: unknown[]) => void): void {
  // Removed rather than throwing: libraries test whether these globals exist.
  for (const name of withheld) Reflect.deleteProperty(globalThis, name);
  Object.assign(Math, { random: refusing('a strategy has no source of randomness (Math.random)') });
  const refuse = refusing('a strategy has no clock: use trade.timeMs');
  globalThis.Date = new Proxy(Date, {
    apply: refuse,
    construct: (target, args: unknown[], self): object =>
      args.length === 0 ? refuse() : (Reflect.construct(target, args, self) as object),
    get: (target, name, self): unknown => (name === 'now' ? refuse : Reflect.get(target, name, self)),
  });
  // A console of its own: that of Node leads to the streams of the process.
  const own = { log: speak, info: speak, warn: speak, error: speak, debug: speak, trace: speak };
  Object.defineProperty(globalThis, 'console', { value: own, writable: true, configurable: true });
  takeAwayTheProcess();
  refuseCodeOfTexts();
}

/** Globals of Node's that lead to its modules. */
const loaders = ['require', 'module', 'exports', '__filename', '__dirname'];

/** Leaves a process with an empty environment, which libraries ask for, and no way to Node's modules. */
function takeAwayTheProcess(): void {
  for (const name of loaders) Reflect.deleteProperty(globalThis, name);
  Object.defineProperty(globalThis, 'process', { value: { env: {} }, writable: true, configurable: true });
}

/**
 * Makes `eval` and the constructors of functions fail in this realm. A text that runs as code may import any module of Node,
 * which the bundler never sees.
 */
export function refuseCodeOfTexts(): void {
  const refuse = refusing('a strategy cannot run a text as code (eval, Function)');
  Object.defineProperty(globalThis, 'eval', { value: refuse, writable: true, configurable: true });
  const functions: readonly object[] = [
    ...[() => undefined, async () => Promise.resolve()],
    ...[function* () {}, async function* () {}],
  ];
  for (const example of functions) {
    const prototype: unknown = Object.getPrototypeOf(example);
    if (typeof prototype !== 'object' && typeof prototype !== 'function') continue;
    if (prototype === null) continue;
    const { constructor } = prototype;
    // A proxy, so that `instanceof` and comparisons work.
    const value = new Proxy(constructor, { apply: refuse, construct: refuse });
    Object.defineProperty(prototype, 'constructor', { value, writable: true, configurable: true });
    if (constructor === Function)
      Object.defineProperty(globalThis, 'Function', { value, writable: true, configurable: true });
  }
}

function refusing(problem: string): () => never {
  return () => {
    throw new Error(problem);
  };
}

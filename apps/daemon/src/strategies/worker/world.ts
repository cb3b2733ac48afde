import { format } from 'node:util';

/** What would let a strategy see or do more than its events tell: chance and time of its own, timers, the network. */
export const withheld = [
  'fetch',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'BroadcastChannel',
] as readonly string[];

/**
 * Takes clock, chance, timers and network away from this thread, so that a strategy that reaches for them fails where
 * it does, instead of behaving in a backtest as it never will live. What it says to the console goes to its log.
 */
export function takeAwayTheWorld(say: (text: string) => void): void {
  // Gone rather than throwing: libraries ask whether such a thing is there.
  for (const name of withheld) Reflect.deleteProperty(globalThis, name);
  Object.assign(Math, { random: refusing('a strategy has no randomness of its own (Math.random)') });
  const refuse = refusing('a strategy has no clock of its own: use trade.timeMs');
  globalThis.Date = new Proxy(Date, {
    apply: refuse,
    construct: (target, args: unknown[], self): object =>
      args.length === 0 ? refuse() : (Reflect.construct(target, args, self) as object),
    get: (target, name, self): unknown => (name === 'now' ? refuse : Reflect.get(target, name, self)),
  });
  const speak = (...parts: unknown[]): void => say(format(...parts));
  Object.assign(console, { log: speak, info: speak, warn: speak, error: speak, debug: speak });
}

function refusing(problem: string): () => never {
  return () => {
    throw new Error(problem);
  };
}

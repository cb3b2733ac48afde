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
  Object.assign(console, { log: speak, info: speak, warn: speak, error: speak, debug: speak });
}

function refusing(problem: string): () => never {
  return () => {
    throw new Error(problem);
  };
}

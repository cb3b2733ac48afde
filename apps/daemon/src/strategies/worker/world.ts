/** What would let a strategy see or do more than its events tell: chance and time of its own, timers, the network. */
const withheld = [
  'fetch',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'BroadcastChannel',
] as const;

/**
 * Takes clock, chance, timers and network away from this thread, so that a strategy that reaches for them fails where
 * it does, instead of behaving in a backtest as it never will live.
 */
export function takeAwayTheWorld(): void {
  for (const name of withheld) Reflect.deleteProperty(globalThis, name);
  const noChance = (): never => {
    throw new Error('a strategy has no randomness of its own');
  };
  Object.assign(Math, { random: noChance });
  const RealDate = Date;
  const refuse = (): never => {
    throw new Error('a strategy has no clock of its own: use trade.timeMs');
  };
  globalThis.Date = new Proxy(RealDate, {
    apply: refuse,
    construct: (target, args: unknown[], self): object =>
      args.length === 0 ? refuse() : (Reflect.construct(target, args, self) as object),
    get: (target, name, self): unknown => (name === 'now' ? refuse : Reflect.get(target, name, self)),
  });
}

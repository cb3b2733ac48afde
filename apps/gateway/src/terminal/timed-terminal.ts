import type { Histogram } from 'prom-client';
import type { TerminalClient } from '@libs/terminal-client';

type CallTimer = Histogram<'method'>;

/**
 * The same terminal with every call timed. Only functions that return a promise count as calls; each wrapper is made
 * once, so that the hot path pays two clock readings and no more.
 */
export function timedTerminal(terminal: TerminalClient, histogram: CallTimer): TerminalClient {
  const wrappers = new Map<PropertyKey, unknown>();
  return new Proxy(terminal, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      let wrapper = wrappers.get(property);
      if (!wrapper) {
        wrapper = timed(member.bind(target) as (...args: unknown[]) => unknown, histogram, String(property));
        wrappers.set(property, wrapper);
      }
      return wrapper;
    },
  });
}

function timed(call: (...args: unknown[]) => unknown, histogram: CallTimer, method: string) {
  const series = histogram.labels(method);
  return (...args: unknown[]): unknown => {
    const startMs = performance.now();
    const answer = call(...args);
    if (!(answer instanceof Promise)) return answer;
    const observe = (): void => series.observe((performance.now() - startMs) / 1_000);
    answer.then(observe, observe);
    return answer;
  };
}

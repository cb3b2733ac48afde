import type { Histogram } from 'prom-client';
import type { Clock } from '@libs/clock';
import type { TerminalClient } from '@libs/terminal-client';

type CallTimer = Histogram<'method'>;

/**
 * The same terminal with every call timed. Only functions that return a promise count as calls. Each wrapper is created
 * once, so that the hot path costs only two clock readings.
 */
export function timedTerminal(terminal: TerminalClient, histogram: CallTimer, clock: Clock): TerminalClient {
  const wrappers = new Map<PropertyKey, unknown>();
  return new Proxy(terminal, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      let wrapper = wrappers.get(property);
      if (!wrapper) {
        wrapper = timed(member.bind(target) as (...args: unknown[]) => unknown, histogram, String(property), clock);
        wrappers.set(property, wrapper);
      }
      return wrapper;
    },
  });
}

function timed(call: (...args: unknown[]) => unknown, histogram: CallTimer, method: string, clock: Clock) {
  const series = histogram.labels(method);
  return (...args: unknown[]): unknown => {
    const startMs = clock.monotonicMs();
    const answer = call(...args);
    if (!(answer instanceof Promise)) return answer;
    const observe = (): void => series.observe((clock.monotonicMs() - startMs) / 1_000);
    answer.then(observe, observe);
    return answer;
  };
}

import type { Clock } from '@libs/clock';
import type { DurationHistogram, DurationSeries } from '@libs/metrics';
import type { TerminalClient } from '@libs/terminal-client';

type CallTimer = DurationHistogram<'method'>;

/**
 * The same terminal with every call timed. Only functions that return a promise count as calls. Each wrapper is created
 * once, so that the hot path costs only two clock readings.
 */
export function timedTerminal(terminal: TerminalClient, histogram: CallTimer, clock: Clock): TerminalClient {
  const wrappers = new Map<PropertyKey, unknown>();
  return new Proxy(terminal, {
    get(target, property) {
      const known = wrappers.get(property);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      const wrapper = timed(member.bind(target) as (...args: unknown[]) => unknown, histogram, String(property), clock);
      wrappers.set(property, wrapper);
      return wrapper;
    },
  });
}

function timed(call: (...args: unknown[]) => unknown, histogram: CallTimer, method: string, clock: Clock) {
  // A function that returns no promise gets no series.
  let series: DurationSeries | null = null;
  return (...args: unknown[]): unknown => {
    const startMs = clock.monotonicMs();
    const answer = call(...args);
    if (!(answer instanceof Promise)) return answer;
    const ofMethod = (series ??= histogram.series({ method }));
    const observe = (): void => ofMethod.observe((clock.monotonicMs() - startMs) / 1_000);
    answer.then(observe, observe);
    return answer;
  };
}

import type { Clock } from './clock';

/** How a program ends: in order, with an error, at its limit, or because it was asked again. */
export type End =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'late' }
  | { readonly kind: 'repeated' };

/** What a program does when it is asked to end. */
export interface Ending {
  /** Longest time that {@link stop} may take, in milliseconds. */
  readonly limitMs: number;
  /** Stops the program in order. Called once. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /** Ends the process. Called once for each end; the first one must not return to the program. */
  end(end: End): void;
}

/** A stop signal that follows the first one sooner is the same one: npm and shells pass Ctrl-C on, so it arrives twice. */
const sameSignalMs = 1_000;

/**
 * Stops a program at SIGTERM or SIGINT. It ends at the latest after the limit, whatever its stop waits for, and at once at a second
 * signal. An end at once loses nothing that is durable, as after SIGKILL.
 */
export function endOnSignals(
  signals: { on(name: 'SIGTERM' | 'SIGINT', listener: (signal: NodeJS.Signals) => void): unknown },
  clock: Clock,
  ending: Ending,
): void {
  let askedMs: number | null = null;
  const asked = (signal: NodeJS.Signals): void => {
    if (askedMs !== null) {
      if (clock.monotonicMs() - askedMs >= sameSignalMs) ending.end({ kind: 'repeated' });
      return;
    }
    askedMs = clock.monotonicMs();
    const limit = clock.setTimer(ending.limitMs, () => ending.end({ kind: 'late' }));
    const end = (how: End): void => {
      limit.cancel();
      ending.end(how);
    };
    ending.stop(signal).then(
      () => end({ kind: 'stopped' }),
      (error: unknown) => end({ kind: 'failed', error }),
    );
  };
  signals.on('SIGTERM', asked);
  signals.on('SIGINT', asked);
}

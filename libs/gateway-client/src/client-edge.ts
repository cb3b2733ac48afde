/** A scheduled call that can be taken back. */
export interface ClientTimer {
  cancel(): void;
}

/** Everything through which a client reaches its gateway and the time: a simulation replaces it as a whole. */
export interface ClientEdge {
  /** Sends a request; as the global `fetch`. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Calls `run` once, `delayMs` milliseconds from now. */
  setTimer(delayMs: number, run: () => void): ClientTimer;
}

/** The network and the time of this machine. */
export const machineEdge: ClientEdge = {
  fetch: (url, init) => fetch(url, init),
  setTimer: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `delayMs` milliseconds, or when the signal is aborted. */
export function pause(edge: ClientEdge, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = edge.setTimer(delayMs, end);
    signal?.addEventListener('abort', end);
  });
}

/** The result of the work. @throws Error with the problem when the work takes longer than `deadlineMs` milliseconds */
export function withDeadline<T>(edge: ClientEdge, work: Promise<T>, deadlineMs: number, problem: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = edge.setTimer(deadlineMs, () => reject(new Error(problem)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

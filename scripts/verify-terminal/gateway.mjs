import { performance } from 'node:perf_hooks';

const deadlineMs = 150_000;

/**
 * The gateway's HTTP API as it answers. Not the client package: the checks judge statuses, error types and headers, which the
 * client turns into outcomes.
 */
export class Gateway {
  #key;
  /** Milliseconds of each answered request, by method and route. */
  durations = new Map();

  constructor(url, key) {
    this.url = url;
    this.#key = key;
  }

  /** @returns the status, headers and body; a status of 0 when nothing answered, with the reason */
  async call(path, { method = 'GET', body, idempotencyKey, key = this.#key } = {}) {
    const startMs = performance.now();
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(deadlineMs),
      });
      const text = await response.text();
      const ms = performance.now() - startMs;
      this.#record(method, path, ms);
      return { status: response.status, headers: response.headers, body: parsed(text), ms };
    } catch (error) {
      const reason = error.cause?.code ?? error.cause?.message ?? error.message;
      return { status: 0, headers: new Map(), body: {}, reason, ms: performance.now() - startMs };
    }
  }

  /** The body of a read that has to succeed. @throws Error with what was answered instead */
  async read(path) {
    const answer = await this.call(path);
    if (answer.status === 200) return answer.body;
    throw new Error(`GET ${path} answered ${describe(answer)}`);
  }

  #record(method, path, ms) {
    const [, first] = path.split(/[/?]/);
    const route = `${method} /${first}`;
    this.durations.set(route, [...(this.durations.get(route) ?? []), ms]);
  }
}

/** An answer in a line: status, error type and the terminal's own words. */
export function describe({ status, body, reason }) {
  if (status === 0) return `nothing (${reason})`;
  const { error_type: type, error, terminal_error: terminal } = body;
  const words = [status, type, error, terminal && JSON.stringify(terminal)];
  return words.filter(Boolean).join(' ');
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

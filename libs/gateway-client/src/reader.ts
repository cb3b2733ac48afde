import { pause } from './client-edge';
import type { HttpTransport, TransportRequest } from './http-transport';
import { envelopeOf } from './outcomes';
import { GatewayReadError } from './read-error';

export interface ReadOptions {
  /** Deadline of one attempt. */
  readonly timeoutMs: number;
  /** Deadline of one attempt at a span of bars, ticks, deals or orders, which may be long. */
  readonly spanTimeoutMs: number;
  /** Total attempts; only failures that may pass are retried. */
  readonly attempts: number;
  /** Wait before the second attempt; doubles after that. */
  readonly backoffMs: number;
}

interface PutOptions {
  readonly body?: unknown;
  /** Deadline of one attempt; that of a read by default. */
  readonly timeoutMs?: number;
  readonly answerType?: string;
}

/** Query parameters; undefined ones are omitted, dates are sent as ISO-8601 UTC. */
export type Query = Readonly<Record<string, string | number | Date | undefined>>;

/** Sends requests that change nothing and may therefore be retried. */
export class Reader {
  constructor(
    private readonly transport: HttpTransport,
    private readonly options: ReadOptions,
  ) {}

  /**
   * @param answerType an `error_type` that is a valid answer
   * @throws GatewayReadError if there is no answer, as in the other methods
   */
  get(path: string, query: Query = {}, answerType?: string): Promise<unknown> {
    return this.answer({ method: 'GET', path: pathWith(path, query), timeoutMs: this.options.timeoutMs }, answerType);
  }

  /** As above, but null if the gateway answers that it does not exist. */
  async find(path: string, query: Query = {}): Promise<unknown> {
    try {
      return await this.get(path, query);
    } catch (error) {
      if (error instanceof GatewayReadError && error.isAbsence) return null;
      throw error;
    }
  }

  getSpan(path: string, query: Query): Promise<unknown> {
    return this.answer({ method: 'GET', path: pathWith(path, query), timeoutMs: this.options.spanTimeoutMs });
  }

  /** A read that needs a body. */
  ask(path: string, body: unknown): Promise<unknown> {
    return this.answer({ method: 'POST', path, body, timeoutMs: this.options.timeoutMs });
  }

  /** An idempotent change. @param options.answerType an `error_type` that is a valid answer */
  put(path: string, { body, timeoutMs, answerType }: PutOptions = {}): Promise<unknown> {
    const request = { method: 'PUT', path, timeoutMs: timeoutMs ?? this.options.timeoutMs } as const;
    return this.answer(body === undefined ? request : { ...request, body }, answerType);
  }

  getText(path: string): Promise<string> {
    const request = { method: 'GET', path, accept: 'text/plain', timeoutMs: this.options.timeoutMs } as const;
    return this.repeated(async () => {
      const { status, body } = await this.exchange(request);
      if (status === 200 && typeof body === 'string') return body;
      throw refusalOf(status, body);
    });
  }

  private answer(request: TransportRequest, answerType?: string): Promise<unknown> {
    return this.repeated(async () => {
      const { status, body } = await this.exchange(request);
      const { ok, error_type } = envelopeOf(body);
      if (status === 200 && ok === true) return body;
      if (ok === false && answerType !== undefined && error_type === answerType) return body;
      throw refusalOf(status, body);
    });
  }

  private async repeated<T>(attempt: () => Promise<T>): Promise<T> {
    for (let count = 1; ; count++) {
      try {
        return await attempt();
      } catch (error) {
        const again = error instanceof GatewayReadError && error.isTransient && count < this.options.attempts;
        if (!again) throw error;
        await pause(this.transport.edge, this.options.backoffMs * 2 ** (count - 1));
      }
    }
  }

  private async exchange(request: TransportRequest): Promise<{ readonly status: number; readonly body: unknown }> {
    const answer = await this.transport.exchange(request);
    if (answer.kind !== 'answered') throw new GatewayReadError(answer.kind, answer.reason);
    return answer;
  }
}

function refusalOf(status: number, body: unknown): GatewayReadError {
  const { ok, error, error_type, details } = envelopeOf(body);
  if (ok === false) {
    const reason = typeof details === 'object' && details !== null && 'reason' in details ? details.reason : null;
    const said = typeof reason === 'string' ? reason : null;
    return new GatewayReadError('refused', error ?? `status ${status}`, status, error_type ?? null, said);
  }
  return new GatewayReadError('malformed', `status ${status} without the gateway's envelope`, status);
}

function pathWith(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

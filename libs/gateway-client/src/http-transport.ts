import type { ClientEdge } from './client-edge';
import { textWithin } from './limited-text';

/** Far more than 10,000 rows, the most that an answer of a gateway has. */
const mostBytes = 64 * 1_024 * 1_024;

/** One exchange with the gateway, before its outcome is determined. */
export type TransportAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The parsed JSON, undefined if the body is not JSON; the text itself if text was requested and received. */
      readonly body: unknown;
      /** The answer is a replay of an earlier one for the same key. */
      readonly replayed: boolean;
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: 'timeout' | 'unreachable';
      readonly reason: string;
      /** It did not leave. */ readonly isUnsent?: true;
    };

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with query, from the root. */
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** `name;token` of X-Fence. */
  readonly fence?: string;
  /** The W3C header of the trace that the request belongs to. */
  readonly traceparent?: string;
  /** JSON by default. */
  readonly accept?: 'text/plain';
  readonly timeoutMs: number;
}

/** Sends HTTP requests to one gateway over keep-alive connections. Never throws and never repeats a request. */
export class HttpTransport {
  private readonly root: string;

  /**
   * @param baseUrl address of the gateway, such as `http://127.0.0.1:5001`
   * @param apiKey the bearer credential; never part of any message
   * @param expectedLogin returns the account that requests are meant for, called for each one; null means any
   */
  constructor(
    baseUrl: string,
    private readonly apiKey: string,
    private readonly expectedLogin: () => number | null,
    readonly edge: ClientEdge,
  ) {
    this.root = baseUrl.replace(/\/+$/, '');
  }

  async exchange(request: TransportRequest): Promise<TransportAnswer> {
    const deadline = new AbortController();
    const timer = this.edge.setTimer(request.timeoutMs, () => deadline.abort(new DOMException('', 'TimeoutError')));
    try {
      const response = await this.edge.fetch(`${this.root}${request.path}`, {
        method: request.method,
        headers: this.headers(request),
        redirect: 'error',
        signal: deadline.signal,
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      const text = await textWithin(response, mostBytes);
      const isText = request.accept === 'text/plain' && isPlainText(response);
      return {
        kind: 'answered',
        status: response.status,
        body: isText ? text : parsed(text),
        replayed: response.headers.get('idempotent-replayed') === 'true',
        retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
      };
    } catch (error) {
      return failure(error, request, this.root);
    } finally {
      timer.cancel();
    }
  }

  /** Opens an endless answer, such as an event stream. @throws what `fetch` throws */
  async open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    return this.edge.fetch(`${this.root}${path}`, {
      headers: { ...this.identity(), ...headers },
      redirect: 'error',
      signal,
    });
  }

  private headers(request: TransportRequest): Record<string, string> {
    return {
      ...this.identity(),
      accept: request.accept ?? 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
      ...(request.fence === undefined ? {} : { 'x-fence': request.fence }),
      ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    };
  }

  private identity(): Record<string, string> {
    const login = this.expectedLogin();
    return {
      authorization: `Bearer ${this.apiKey}`,
      ...(login === null ? {} : { 'x-expect-login': String(login) }),
    };
  }
}

function isPlainText(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/plain') === true;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfterMs(header: string | null): number | null {
  const seconds = header === null ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

function failure(error: unknown, { method, path, timeoutMs }: TransportRequest, root: string): TransportAnswer {
  const what = `${method} ${publicAddress(root)}${path.split('?', 1)[0] ?? path}`;
  const { name, message } = failureFacts(error);
  if (name === 'TimeoutError') return { kind: 'timeout', reason: `${what}: no answer within ${timeoutMs} ms` };
  const { code, message: cause } = failureFacts(failureFacts(error).cause);
  // Nothing listens there, or fetch itself refuses the port, so the request was not sent.
  if (code === 'ECONNREFUSED') return { kind: 'unreachable', reason: `${what}: ${code}`, isUnsent: true };
  if (cause === 'bad port') {
    return { kind: 'unreachable', reason: `${what}: fetch refuses this port; use another one`, isUnsent: true };
  }
  return { kind: 'unreachable', reason: `${what}: ${code ?? cause ?? message ?? 'failed'}` };
}

/** Without credentials, which a program of others may have in its address. */
function publicAddress(root: string): string {
  if (!URL.canParse(root)) return root;
  const url = new URL(root);
  [url.username, url.password] = ['', ''];
  return url.href.replace(/\/+$/, '');
}

/** Reads a thrown value by its members, because `fetch` throws errors of the realm that it was created in. */
function failureFacts(error: unknown): { name?: string; message?: string; code?: string; cause?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}

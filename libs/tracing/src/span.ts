import type { TraceContext } from './trace-context';

/** Work that has ended, as a part of a trace. */
export interface FinishedSpan {
  readonly name: string;
  /** `server`: a request that was answered. `client`: a call to another program. `internal`: work within this one. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly context: TraceContext;
  /** The span that it belongs to: 16 hexadecimal digits; null for the first one. */
  readonly parentSpanId: string | null;
  /** UTC milliseconds. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly isError: boolean;
}

/** Takes spans. An abstract class, so that it is its own injection token. */
export abstract class Spans {
  /** False if spans are dropped, so that callers need not make them. */
  abstract readonly isEnabled: boolean;
  /** Never throws, and never waits. */
  abstract record(span: FinishedSpan): void;
  /** Sends what has gathered. Resolves in any case, after two seconds at the latest. */
  abstract close(): Promise<void>;
}

export interface SpanOptions {
  /** Base address of an OTLP/HTTP receiver; undefined: no spans. */
  readonly endpoint: string | undefined;
  readonly service: string;
  readonly version: string;
}

import { createHash } from 'node:crypto';

/** The place of one call in a trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span that makes the call: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const longestHeader = 512;

/**
 * Parses a `traceparent` header. A later version of the header may have more fields; version 00 has none.
 * @returns null for a header that is missing or invalid: the receiver then begins a trace of its own
 */
export function parseTraceparent(header: unknown): TraceContext | null {
  if (typeof header !== 'string' || header.length > longestHeader) return null;
  const [matched, version, traceId = '', spanId = '', flags = '', more] = form.exec(header) ?? [];
  if (matched === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The header for a call within a trace. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/**
 * The trace of a request, from the name that it keeps over repetitions and restarts, such as its idempotency key: nothing has to
 * be stored, and the trace of a key can be computed wherever the key is known.
 */
export function traceNamed(name: string): TraceContext {
  const digest = createHash('sha256').update(name).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48), isSampled: true };
}

import { readFileSync } from 'node:fs';

/** Limits on the resources that clients use, before and after they sent a credential. Times in milliseconds. */
export interface ConnectionLimits {
  /** Total connections. Beyond it, the oldest without a credential is closed, else the oldest idle one. */
  readonly most: number;
  /** Connections of one remote address without a credential. Beyond it, the oldest of them is closed. */
  readonly mostUnauthenticated: number;
  /** Requests that may wait on one connection for the answer to an earlier one. */
  readonly mostWaiting: number;
  /** From the connection, or from the first byte of a later request, to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From the end of the headers to the end of the body. */
  readonly requestTimeoutMs: number;
  /** Interval at which both are checked. */
  readonly checkIntervalMs: number;
  /** How long a client may read nothing of an answer. */
  readonly unreadTimeoutMs: number;
  /** How long a connection without a request is kept. */
  readonly keepAliveTimeoutMs: number;
  /** How long a client has at shutdown to read a complete answer. */
  readonly closeGraceMs: number;
}

/** Descriptors left for everything that is not a client: state, logs, the terminal, the program itself. */
const reservedDescriptors = 128;
const fewestConnections = 32;

/** The limits of a program with the descriptors that the system allows. */
export function defaultLimits(descriptors: number | null = grantedDescriptors()): ConnectionLimits {
  const granted = descriptors === null ? Number.POSITIVE_INFINITY : descriptors - reservedDescriptors;
  const most = Math.max(fewestConnections, Math.min(4_096, granted));
  return {
    most,
    mostUnauthenticated: Math.min(128, most / 2),
    mostWaiting: 32,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 20_000,
    checkIntervalMs: 1_000,
    unreadTimeoutMs: 60_000,
    keepAliveTimeoutMs: 72_000,
    closeGraceMs: 2_000,
  };
}

/** The limit on open files of this process; null if the system does not report it. */
function grantedDescriptors(): number | null {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

import { readFileSync } from 'node:fs';

/** What clients may hold of a server, before and after they have shown a credential. Times in milliseconds. */
export interface ConnectionLimits {
  /** Connections in all. Beyond it the oldest without a credential is closed, else the oldest that is idle. */
  readonly most: number;
  /** Connections of one remote address that have shown no credential. Beyond it its oldest such one is closed. */
  readonly mostUnauthenticated: number;
  /** Requests that may wait on one connection for the answer to the one before them. */
  readonly mostWaiting: number;
  /** From the connection, or from the first byte of a later request, to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From there to the end of the body. */
  readonly requestTimeoutMs: number;
  /** How often both are checked. */
  readonly checkIntervalMs: number;
  /** How long a client may take nothing of an answer. */
  readonly unreadTimeoutMs: number;
  /** How long a connection without a request is kept. */
  readonly keepAliveTimeoutMs: number;
  /** How long a client has at shutdown to take an answer that is complete. */
  readonly closeGraceMs: number;
}

/** Descriptors left for everything that is not a client: state, logs, the terminal, the program itself. */
const reservedDescriptors = 128;
const fewestConnections = 32;

/** The limits of a program with the descriptors that the system grants it. */
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

/** The limit on open files of this process; null where the system does not say. */
function grantedDescriptors(): number | null {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

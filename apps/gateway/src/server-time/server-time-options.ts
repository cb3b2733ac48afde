import type { ServerZone } from './server-zone';

/** Log of server time. */
export interface ServerTimeLog {
  log(message: string): void;
  warn(message: string): void;
}

/** The settings of server time; durations in milliseconds. */
export interface ServerTimeOptions {
  /** TERMINAL_SERVER_TIME_ZONE, read by `parseServerZone`; always wins. */
  readonly zone: ServerZone | null;
  /** TERMINAL_SERVER_UTC_OFFSET_SECONDS; wins over derivation. */
  readonly fixedOffsetSeconds: number | null;
  /** TERMINAL_TIME_REFERENCE_SYMBOL: tried before all others. */
  readonly referenceSymbol: string | null;
  /** TERMINAL_TIME_DERIVE_ATTEMPTS and _DELAY: reads of one derivation, and the time between them. */
  readonly deriveAttempts: number;
  readonly deriveDelayMs: number;
  /** TERMINAL_TIME_REFRESH_SECONDS; 0 disables the periodic derivation. */
  readonly refreshMs: number;
  /** TERMINAL_TIME_OFFSET_CONFIRMATIONS. */
  readonly confirmations: number;
  /** TERMINAL_TIME_MAX_OFFSET_AGE_SECONDS. */
  readonly maxOffsetAgeMs: number;
  /** TERMINAL_TIME_ORDER_DERIVE_ATTEMPTS and _DELAY. */
  readonly orderDeriveAttempts: number;
  readonly orderDeriveDelayMs: number;
}

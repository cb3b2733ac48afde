import type { Credentials } from '@libs/terminal-client';

/** The settings of the session; durations in milliseconds. */
export interface SessionOptions {
  /** Null without the four core settings: then nothing logs in but a person. */
  readonly credentials: Credentials | null;
  /** TERMINAL_RECONNECT_ATTEMPTS: attempts in one round. */
  readonly reconnectAttempts: number;
  /** TERMINAL_RECONNECT_BASE_DELAY: pause after a round's first failed attempt; it doubles after each further one. */
  readonly reconnectBaseDelayMs: number;
  /** TERMINAL_RECONNECT_COOLDOWN_SECONDS: fail-fast window after a failed round; doubles with each further one. */
  readonly cooldownMs: number;
  /** TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS. */
  readonly cooldownMaxMs: number;
  /** TERMINAL_CONNECTION_VERIFY_TTL_SECONDS. */
  readonly verifyTtlMs: number;
  /** TERMINAL_DRIVER, as /health shows it. */
  readonly driver: string;
}

/** The pause after the n-th failed attempt of a round, counted from 1. */
export function attemptDelayMs(options: SessionOptions, attempt: number): number {
  return options.reconnectBaseDelayMs * 2 ** (attempt - 1);
}

/** The cooldown window after the n-th failed round in a row, counted from 1. */
export function cooldownWindowMs(options: SessionOptions, failedRounds: number): number {
  return Math.min(options.cooldownMs * 2 ** Math.min(failedRounds - 1, 52), options.cooldownMaxMs);
}

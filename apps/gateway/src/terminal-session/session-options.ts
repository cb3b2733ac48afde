import type { Credentials } from '@libs/terminal-client';

/** What the session tells its operator. */
export interface SessionLog {
  log(message: string): void;
  warn(message: string): void;
}

/** The settings of the session; durations in milliseconds. */
export interface SessionOptions {
  /** Null without the four core settings: then nothing logs in but a person. */
  readonly credentials: Credentials | null;
  /** What is known of the account although nobody can be logged in to it: a manual login to another one is not taken. */
  readonly expected?: { readonly login?: number | undefined; readonly server?: string | undefined };
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

/** Settings of 0 must not make the gateway hammer the terminal. */
const shortestWindowMs = 100;
const shortestLookMs = 1_000;

/** Brokers lock accounts that insist: after so many refusals in a row, a login is tried once an hour at most. */
export const mostRefusals = 3;
const refusedWindowMs = 3_600_000;

/** How often a gateway without credentials looks whether somebody has logged in by hand. */
export function lookPeriodMs(options: SessionOptions): number {
  return Math.max(options.verifyTtlMs, shortestLookMs);
}

/** The pause after the n-th failed attempt of a round, counted from 1. */
export function attemptDelayMs(options: SessionOptions, attempt: number): number {
  return options.reconnectBaseDelayMs * 2 ** (attempt - 1);
}

/** The cooldown window after the n-th failed round in a row, counted from 1, with that many logins refused in a row. */
export function cooldownWindowMs(options: SessionOptions, failedRounds: number, refusals: number): number {
  if (refusals >= mostRefusals) return Math.max(refusedWindowMs, options.cooldownMs);
  const windowMs = Math.min(options.cooldownMs * 2 ** Math.min(failedRounds - 1, 52), options.cooldownMaxMs);
  return Math.max(windowMs, shortestWindowMs);
}

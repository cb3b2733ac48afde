import { backoffMs } from '@libs/clock';
import type { Credentials } from '@libs/terminal-client';

/** Log of the session. */
export interface SessionLog {
  log(message: string): void;
  warn(message: string): void;
}

/** The settings of the session; durations in milliseconds. */
export interface SessionOptions {
  /** Null without the four core settings: then only manual logins are possible. */
  readonly credentials: Credentials | null;
  /** The configured part of the account without credentials: a manual login to a different account is not accepted. */
  readonly expected?: { readonly login?: number | undefined; readonly server?: string | undefined };
  /** The core settings that are not set and without which no login is made, by name. */
  readonly missingSettings?: readonly string[];
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
  /** TERMINAL_DRIVER, for /health. */
  readonly driver: 'simulator' | 'bridge';
}

/** Minimum pause, so that settings of 0 do not overload the terminal. */
const shortestWindowMs = 100;
const shortestLookMs = 1_000;

/**
 * Brokers lock accounts after repeated logins: after this many refusals in a row, at most one login per hour is
 * attempted.
 */
export const mostRefusals = 3;
const refusedWindowMs = 3_600_000;

/** Interval at which a gateway without credentials checks for a manual login. */
export function lookPeriodMs(options: SessionOptions): number {
  return Math.max(options.verifyTtlMs, shortestLookMs);
}

/**
 * The pause after the n-th failed attempt of a round, counted from 1: no longer than a pause between rounds, or the
 * first.
 */
export function attemptDelayMs({ reconnectBaseDelayMs, cooldownMaxMs }: SessionOptions, attempt: number): number {
  const longestMs = Math.max(reconnectBaseDelayMs, cooldownMaxMs);
  return backoffMs(attempt - 1, { firstMs: reconnectBaseDelayMs, longestMs });
}

/** The cooldown window after the n-th failed round in a row, counted from 1, with that many logins refused in a row. */
export function cooldownWindowMs(options: SessionOptions, failedRounds: number, refusals: number): number {
  if (refusals >= mostRefusals) return Math.max(refusedWindowMs, options.cooldownMs);
  const windowMs = backoffMs(failedRounds - 1, { firstMs: options.cooldownMs, longestMs: options.cooldownMaxMs });
  return Math.max(windowMs, shortestWindowMs);
}

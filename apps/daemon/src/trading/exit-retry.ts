import type { Conclusion } from './unknown-ladder';

/**
 * Return codes that pass by themselves: requote, rejected, price changed, no quotes, market closed, too many requests,
 * locked, frozen (docs: trade server return codes).
 */
const passing: readonly number[] = [10004, 10006, 10018, 10020, 10021, 10024, 10028, 10029];
/** Waits before an exit is tried again, one after the other; after the last it is given up. */
const waitsMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 60_000, 60_000] as const;

/**
 * How long to wait before an exit that came to nothing is sent again, under a fresh key because this one is proven
 * undone; null when it is no use, or has been tried often enough.
 */
export function exitRetryMs(conclusion: Exclude<Conclusion, { kind: 'done' }>, attempt: number): number | null {
  return mayPass(conclusion) ? (waitsMs[attempt] ?? null) : null;
}

function mayPass(conclusion: Exclude<Conclusion, { kind: 'done' }>): boolean {
  if (conclusion.kind === 'absent') return true;
  if (conclusion.kind === 'blocked') return false;
  return conclusion.retryable || passing.includes(conclusion.terminalError?.retcode ?? 0);
}

const dayMs = 86_400_000;

/** Retention after the end of an entry, in milliseconds of running time. */
export const retentionMs = {
  /** For /reconcile, which looks back 31 days. */
  intent: 35 * dayMs,
  /** Used keys, and the key of an order ticket (`client_order_id` of rows). */
  key: 100 * dayMs,
} as const;

/** True once a key has expired; from then on it counts as unused. */
export function isForgotten(endedAtRunningMs: number, runningMs: number): boolean {
  return runningMs > endedAtRunningMs + retentionMs.key;
}

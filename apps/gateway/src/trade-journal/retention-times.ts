const dayMs = 86_400_000;

/** How long things are kept after their end, in milliseconds of running time. */
export const retentionMs = {
  /** For /reconcile, which looks back 31 days. */
  intent: 35 * dayMs,
  /** Used keys, and which key an order ticket belongs to: `client_order_id` of rows. */
  key: 100 * dayMs,
} as const;

/** True once a key was kept for its time: from then on it is as good as new. */
export function isForgotten(endedAtRunningMs: number, runningMs: number): boolean {
  return runningMs > endedAtRunningMs + retentionMs.key;
}

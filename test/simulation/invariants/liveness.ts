import type { Ask } from '../asks';

/** Once all faults have ended, every request gets its last word within a bounded time. */
export function unsettled(asks: readonly Ask[], afterMs: number): string[] {
  return asks.map(
    ({ key, kind }) => `${key} (${kind}) has no last word ${Math.round(afterMs / 1_000)} s after the last fault`,
  );
}

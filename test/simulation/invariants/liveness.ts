import type { Ask } from '../asks';
import type { FenceClaim } from '../fenced-strategies';

/** Once all faults have ended, every request gets its last word within a bounded time. */
export function unsettled(asks: readonly Ask[], afterMs: number): string[] {
  return asks.map(
    ({ key, kind }) => `${key} (${kind}) has no last word ${Math.round(afterMs / 1_000)} s after the last fault`,
  );
}

/** So does every raise of a fence. */
export function unraised(raises: readonly FenceClaim[], afterMs: number): string[] {
  return raises.map(
    ({ name, token }) =>
      `the raise of ${name} to ${token} has no definite answer ${Math.round(afterMs / 1_000)} s after the last fault`,
  );
}

// Bound once: a thread of strategies has no `process` later on.
const { hrtime } = process;

/** The machine's monotonic clock in nanoseconds: the same in all threads, and only good for differences. */
export function nanosNow(): number {
  return Number(hrtime.bigint());
}

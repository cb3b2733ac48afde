/** The machine's monotonic clock in nanoseconds: the same in all threads, and only good for differences. */
export function nanosNow(): number {
  return Number(process.hrtime.bigint());
}

/**
 * How much a long test does: the short form in every run, the long one where `TEST_EFFORT=long`, as in `.ci/nightly`.
 * Both find the same faults; the long form finds the rare ones sooner.
 */
export function effort<T>(short: T, long: T): T {
  return process.env['TEST_EFFORT'] === 'long' ? long : short;
}

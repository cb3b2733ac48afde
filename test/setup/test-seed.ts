/** The seed of the random tests of this run, set before the first suite. @throws Error when it is not set */
export function testSeed(): number {
  const seed = Number(process.env['TEST_SEED']);
  if (!Number.isSafeInteger(seed)) throw new Error('TEST_SEED must be an integer; the setup of the tests sets it');
  return seed;
}

// The unit tests of one folder, MUTATED_FOLDER, as jest.config.js has them. Without the setup of a run, which would be made for each
// change of the code: these tests use no prices, and their seed is set.
const [unit] = require('../../jest.config.js').projects;

module.exports = {
  ...unit,
  displayName: undefined,
  globalSetup: undefined,
  globalTeardown: undefined,
  testSequencer: `${__dirname}/short-specs-first.cjs`,
  setupFiles: [`${__dirname}/fail-at-once.cjs`],
  roots: [`<rootDir>/${process.env.MUTATED_FOLDER}`],
  testMatch: ['**/*.spec.ts'],
};

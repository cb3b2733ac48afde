const { readFileSync } = require('node:fs');

const swc = { ...JSON.parse(readFileSync(`${__dirname}/swc.json`, 'utf8')), swcrc: false };
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  testEnvironmentOptions: { globalsCleanup: 'on' },
  // The packages that read and write Parquet are modules of ECMAScript, which Jest cannot require.
  transform: { '(\\.ts|/node_modules/hy[^/]+/.+\\.js)$': ['@swc/jest', swc] },
  transformIgnorePatterns: ['/node_modules/(?!hy(parquet|snappy))'],
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/test/setup/seeded-fast-check.js',
    '^@libs/envelope/error-types$': '<rootDir>/libs/envelope/src/error-types',
    '^@libs/order-drafts/limits$': '<rootDir>/libs/order-drafts/src/limits',
    '^@libs/settings/yaml-text$': '<rootDir>/libs/settings/src/yaml-text',
    '^@libs/terminal-client/fixed-point$': '<rootDir>/libs/terminal-client/src/fixed-point',
    '^@libs/terminal-client/sealing$': '<rootDir>/libs/terminal-client/src/sealing',
    '^@libs/terminal-client/timeframes$': '<rootDir>/libs/terminal-client/src/timeframes',
    '^@libs/simulator/bar-length$': '<rootDir>/libs/simulator/src/market/replay/bar-length',
    '^@libs/gateway-client/figure-text$': '<rootDir>/libs/gateway-client/src/figure-text',
    '^@libs/records/figure-text$': '<rootDir>/libs/records/src/figure-text',
    '^@libs/strategy/testing$': '<rootDir>/apps/daemon/src/strategy-testing',
    '^@libs/([^/]+)$': '<rootDir>/libs/$1/src',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.build/python-engines/'],
  globalSetup: '<rootDir>/test/setup/before-suites.js',
  globalTeardown: '<rootDir>/test/setup/after-suites.js',
};
/** What takes too long for a change: it runs at night, and when one of its files is named. */
const isNight =
  process.env.TEST_EFFORT === 'long' || process.argv.some((word) => /test\/drills|\.slow\.spec/.test(word));
const specs = (kinds) => kinds.map((kind) => `<rootDir>/{apps,libs,strategies,scripts}/**/*${kind}.spec.ts`);
const folders = (names) => names.map((name) => `<rootDir>/test/${name}/**/*spec.ts`);
const suite = (displayName, testMatch) => ({ ...base, displayName, testMatch });

// CONTRIBUTING.md says which question each suite answers. `jest --selectProjects e2e` runs just that one.
module.exports = {
  // No behaviour is timed; this only ends a test that hangs, also on a machine that is busy with other things. No test has a limit
  // of its own: a machine that is busy enough breaks each of them.
  testTimeout: isNight ? 7_200_000 : 900_000,
  // Of the tests of one file that may run side by side.
  maxConcurrency: 2,
  projects: [
    {
      ...suite('unit', specs([''])),
      testPathIgnorePatterns: ['/node_modules/', '\\.(api|long|slow)\\.spec\\.ts$'],
    },
    suite('api', specs(['.api'])),
    suite('long', specs(['.long', ...(isNight ? ['.slow'] : [])])),
    suite('contract', folders(['contract', 'order'])),
    suite('e2e', folders(['e2e'])),
    suite('programs', folders(['host', 'examples', 'python'])),
    suite('wine', folders(['wine', 'genuine'])),
    suite('simulation', folders(['simulation'])),
    // Not with the simulation: after a gateway in the same process, LMDB reports a failed commit to the file of tests before.
    suite('drills', folders(['chaos', 'fuzz', ...(isNight ? ['drills'] : [])])),
  ],
};

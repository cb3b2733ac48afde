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
    '^@libs/strategy/testing$': '<rootDir>/apps/daemon/src/strategy-testing',
    '^@libs/([^/]+)$': '<rootDir>/libs/$1/src',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.build/python-engines/'],
  globalSetup: '<rootDir>/test/setup/before-suites.js',
  globalTeardown: '<rootDir>/test/setup/after-suites.js',
};
const sources = '{apps,libs,strategies,scripts}';
// Each suite under test/ is a project of its own, so that `jest --selectProjects e2e` runs just that one.
const suite = (name) => ({ ...base, displayName: name, testMatch: [`<rootDir>/test/${name}/**/*.e2e-spec.ts`] });

module.exports = {
  // No behaviour is timed; this only ends a test that hangs, also on a machine that is busy with other things.
  testTimeout: process.env.TEST_EFFORT === 'long' ? 3_600_000 : 120_000,
  // Of the tests of one file that may run side by side.
  maxConcurrency: 2,
  projects: [
    {
      ...{ ...base, displayName: 'unit', testMatch: [`<rootDir>/${sources}/**/*.spec.ts`] },
      testPathIgnorePatterns: ['/node_modules/', '\\.(api|long|slow)\\.spec\\.ts$'],
    },
    // Each starts a whole gateway in the process of the test.
    { ...base, displayName: 'api', testMatch: [`<rootDir>/${sources}/**/*.api.spec.ts`] },
    // Whole backtests, trading over HTTP and long random runs: too slow for the gate.
    { ...base, displayName: 'long', testMatch: [`<rootDir>/${sources}/**/*.long.spec.ts`] },
    // Of one part, and so long that they run at night.
    { ...base, displayName: 'slow', testMatch: [`<rootDir>/${sources}/**/*.slow.spec.ts`] },
    {
      ...{ ...base, displayName: 'simulation', testMatch: ['<rootDir>/test/simulation/**/*.spec.ts'] },
      testPathIgnorePatterns: ['/node_modules/', 'fresh-seeds'],
    },
    // As many fresh seeds of the simulation as fit in the minutes of SIMULATION_MINUTES.
    { ...base, displayName: 'seeds', testMatch: ['<rootDir>/test/simulation/fresh-seeds.spec.ts'] },
    ...['order', 'contract', 'host', 'e2e', 'drills', 'fuzz', 'examples', 'chaos', 'wine', 'genuine', 'python'].map(
      suite,
    ),
  ],
};

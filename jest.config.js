const { readFileSync } = require('node:fs');

const swc = { ...JSON.parse(readFileSync(`${__dirname}/.swcrc.jest.json`, 'utf8')), swcrc: false };
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  testEnvironmentOptions: { globalsCleanup: 'on' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper: {
    '^@libs/terminal-client/sealing$': '<rootDir>/libs/terminal-client/src/sealing',
    '^@libs/([^/]+)$': '<rootDir>/libs/$1/src',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/setup/temp-folder.js',
  globalTeardown: '<rootDir>/test/setup/remove-temp-folder.js',
};
// Each suite under test/ is a project of its own, so that `jest --selectProjects e2e` runs just that one.
const suite = (name) => ({ ...base, displayName: name, testMatch: [`<rootDir>/test/${name}/**/*.e2e-spec.ts`] });

module.exports = {
  // No behaviour is timed; this only ends a test that hangs, also on a machine that is busy with other things.
  testTimeout: 120_000,
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,strategies,scripts}/**/*.spec.ts'] },
    ...['contract', 'host', 'e2e', 'examples', 'chaos', 'wine'].map(suite),
  ],
};

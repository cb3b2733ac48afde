import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

const timeOfTheMachine = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: 'Use the injected Clock.',
};
const doubleCast = {
  selector: "TSAsExpression > TSAsExpression[typeAnnotation.type='TSUnknownKeyword']",
  message: 'A double cast hides an error; parse or narrow instead.',
};
const limitOfATest = 'jest.config.js has the one limit: a test with its own fails on a busy machine.';
const ownLimit = [
  "CallExpression[callee.object.name='jest'][callee.property.name='setTimeout']",
  'CallExpression[callee.name=/^(it|test|(before|after)(Each|All))$/] > Literal.arguments[raw=/^[0-9]/]',
  "CallExpression[callee.callee.property.name='each'] > Literal.arguments[raw=/^[0-9]/]",
].map((selector) => ({ selector, message: limitOfATest }));
const packing = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the members one by one.',
};
/** What code that only decides does without. */
const waiting = [
  { selector: ':function[async=true]', message: 'A pure core is synchronous.' },
  { selector: "Identifier[name='Promise']", message: 'A pure core is synchronous.' },
  { selector: "NewExpression[callee.name='Date']", message: 'A pure core has no clock.' },
];

export default tseslint.config(
  {
    ignores: [
      '.build/**',
      'dist/**',
      'node_modules/**',
      'coverage/**',
      '.data/**',
      '**/*.js',
      '**/*.cjs',
      'libs/*/dist/**',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-syntax': ['error', doubleCast, packing],
    },
  },
  {
    // Domain code takes its time from the injected clock and its settings from the settings files.
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: [
      ...['**/*.spec.ts', '**/*.config.ts', '**/main.ts', '**/cli/**', 'libs/clock/**', '**/testing/**'],
      // The client is a package of its own; the daemon's simulation gives it another edge.
      'libs/gateway-client/src/client-edge.ts',
      // The clock that is the same in the daemon and in the threads of its strategies.
      'apps/daemon/src/latency/nanos.ts',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'Use the injected Clock.' },
        { name: 'setInterval', message: 'Use the injected Clock.' },
        { name: 'performance', message: 'Use the injected Clock.' },
        { name: 'crypto', message: 'Inject the randomness.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Use the injected Clock.' },
        { object: 'Math', property: 'random', message: 'Inject the randomness.' },
        { object: 'process', property: 'hrtime', message: 'Use the injected Clock.' },
        { object: 'process', property: 'env', message: 'Settings are read in *.config.ts only.' },
      ],
      'no-restricted-syntax': ['error', doubleCast, packing, timeOfTheMachine],
    },
  },
  {
    // Its protections against full disks and damaged files hold for every database.
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: ['libs/store/**', '**/*.spec.ts'],
    rules: { 'no-restricted-imports': ['error', { name: 'lmdb', message: 'Open databases with @libs/store.' }] },
  },
  {
    // A simulation replaces what is durable: only through the ports can it.
    files: ['apps/gateway/src/{audit,health,kill-switch,server-time,streams,trade-journal}/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'lmdb', message: 'Open databases with the injected StoreEngine.' },
            { name: 'node:fs', message: 'Use the injected Files.' },
            { name: 'node:fs/promises', message: 'Use the injected Files.' },
            { name: '@libs/store', importNames: ['lmdbStores', 'LmdbStore'], message: 'Use the injected StoreEngine.' },
            { name: '@libs/files', importNames: ['machineFiles'], message: 'Use the injected Files.' },
            { name: 'node:crypto', importNames: ['randomUUID', 'randomBytes'], message: 'Use the injected ids.' },
          ],
        },
      ],
    },
  },
  {
    // Pure, so that a backtest uses them as the gateway does.
    files: ['libs/{order-drafts,records,trade-constants}/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@nestjs/*', 'node:*', 'lmdb'], message: 'Orders are drafted without I/O and framework.' },
          ],
        },
      ],
    },
  },
  {
    // A table: no I/O, no clock, no promise.
    files: ['libs/request-life/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['@nestjs/*', '@libs/*', 'node:*', 'lmdb'], message: 'The life of a request is pure.' }],
        },
      ],
      'no-restricted-syntax': ['error', doubleCast, packing, ...waiting],
    },
  },
  {
    // Events in, effects out. The randomness of ids comes with the events.
    files: ['apps/gateway/src/trade-core/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'lmdb', message: 'The trade core is pure.' },
            { name: 'node:crypto', importNames: ['randomUUID', 'randomBytes'], message: 'The trade core is pure.' },
          ],
          patterns: [
            { group: ['@nestjs/*', '@libs/store', '@libs/files', 'node:fs*'], message: 'The trade core is pure.' },
          ],
        },
      ],
      'no-restricted-syntax': ['error', doubleCast, packing, ...waiting],
    },
  },
  {
    files: ['apps/daemon/src/leases/keeper-{core,round,state}.ts'],
    rules: { 'no-restricted-syntax': ['error', doubleCast, packing, ...waiting] },
  },
  {
    // A table of cases may put several members in a line.
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', '**/testing/**/*.ts', '{test,bench,libs/*/bench,scripts}/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', doubleCast] },
  },
  {
    // Nest resolves constructor types at run time: such imports are values, whatever the rule would make of them.
    files: ['apps/**/*.ts', 'libs/envelope/**/*.ts', 'libs/metrics/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', 'test/**/*.ts'],
    ...jest.configs['flat/recommended'],
    rules: {
      ...jest.configs['flat/recommended'].rules,
      'no-restricted-syntax': ['error', doubleCast, ...ownLimit],
      'jest/no-disabled-tests': 'error',
      'jest/no-focused-tests': 'error',
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect*', 'fc.assert', 'assert*'] }],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // The cases of a contract are exported: several specs run them, each on a subject of its own.
    files: ['test/contract/*-contract.ts'],
    rules: { 'jest/no-export': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  prettier,
);

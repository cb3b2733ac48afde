/** Who may import whom. One direction, no cycles; see docs/architecture.md. */
const libs = (allowed) => `^libs/(?!(${allowed})/)`;
const own = (name, allowed, comment) => ({
  name: `${name}-imports`,
  severity: 'error',
  comment,
  from: { path: `^libs/${name}/`, pathNot: '\\.spec\\.ts$' },
  to: { path: libs([name, ...allowed].join('|')) },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      comment: 'a package that another one brings may go with it',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      comment: 'the images hold no development dependencies; the page of the gateway is bundled before',
      from: { path: '^(apps|libs)/', pathNot: '(\\.spec\\.ts$|/testing/|/bench/|^apps/gateway/console/)' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'no-lib-to-app',
      severity: 'error',
      comment: 'but for specs that hold a library to the application it was written for',
      from: { path: '^libs/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^apps/' },
    },
    {
      name: 'no-app-to-app',
      severity: 'error',
      // The specs of the MCP server have a whole gateway behind it.
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/mcp/src/(testing/|.+\\.spec\\.ts$)' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    own('clock', [], 'a base library imports nothing of ours'),
    own('files', [], 'a base library imports nothing of ours'),
    own('command-folder', ['files'], 'commands of an operator, whatever they are'),
    own('command-line', [], 'the parts of a command line, whatever its commands are'),
    own('settings', [], 'a base library imports nothing of ours'),
    own('store', ['files'], 'tables, in files'),
    own('postgres', ['store'], 'tables of a store, and leases, on a server'),
    own('validation', [], 'a base library imports nothing of ours'),
    own('state-lock', ['files'], 'a lock in a folder'),
    own('envelope', [], 'a base library imports nothing of ours'),
    own('logging', [], 'a base library imports nothing of ours'),
    own('tracing', [], 'a base library imports nothing of ours'),
    own('metrics', [], 'a base library imports nothing of ours'),
    own(
      'http-surface',
      ['envelope', 'clock', 'command-line', 'settings'],
      'what both programs put before their handlers',
    ),
    own('trade-constants', [], 'a base library imports nothing of ours'),
    own('records', [], 'a base library imports nothing of ours'),
    own('terminal-client', ['clock', 'records', 'trade-constants'], 'the port knows no driver'),
    own('account-evidence', ['records', 'trade-constants'], 'the rule, without a program around it'),
    own('order-drafts', ['terminal-client', 'settings'], 'rules and requests, without a program around them'),
    own('request-life', [], 'a table of states, without a program around it'),
    own(
      'simulator',
      ['terminal-client', 'clock', 'records', 'settings', 'validation'],
      'a broker behind the port, nothing more',
    ),
    own('simulated-disk', ['clock', 'files', 'store'], 'a disk behind two ports, nothing more'),
    own('simulated-postgres', ['clock', 'postgres'], 'a server behind a port, nothing more'),
    own('gateway-client', ['records'], 'bots use it without the rest'),
    own('strategy', [], 'strategy files import it and nothing else of ours'),
    {
      name: 'gateway-commands-only-ask',
      severity: 'error',
      comment: 'the commands of the program are a client like any other',
      from: { path: '^apps/gateway/src/cli/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps/gateway/src/(?!cli/)|libs/(?!(command-line|gateway-client|settings)/))' },
    },
    {
      name: 'gateway-page-only-asks',
      severity: 'error',
      comment: 'the page is a client like any other, and runs in a browser',
      from: { path: '^apps/gateway/console/' },
      to: { path: '^(apps/(?!gateway/console/)|libs/(?!gateway-client/))', pathNot: '/node_modules/' },
    },
    {
      name: 'no-program-to-page',
      severity: 'error',
      comment: 'the page is served as files',
      from: { pathNot: '^apps/gateway/console/' },
      to: { path: '^apps/gateway/console/' },
    },
    {
      name: 'gateway-imports',
      severity: 'error',
      from: { path: '^apps/gateway/', pathNot: '(\\.spec\\.ts$|^apps/gateway/(src/cli|console)/)' },
      to: {
        path: libs(
          'account-evidence|clock|settings|files|command-folder|command-line|state-lock|store|envelope|http-surface|logging|metrics|order-drafts|records|request-life|terminal-client|simulator|tracing|validation',
        ),
      },
    },
    {
      name: 'daemon-holds-no-terminal',
      severity: 'error',
      comment: 'it rounds prices by the arithmetic of the port, which reaches nothing',
      from: { path: '^apps/daemon/', pathNot: '(\\.spec\\.ts$|^apps/daemon/src/(backtest|price-data|testing)/)' },
      to: {
        path: libs(
          'account-evidence|clock|settings|files|command-folder|command-line|state-lock|store|postgres|envelope|http-surface|logging|metrics|gateway-client|strategy|trade-constants|tracing|validation',
        ),
        pathNot: '^libs/terminal-client/src/fixed-point',
      },
    },
    {
      name: 'mcp-only-asks',
      severity: 'error',
      comment: 'the server of agents is a client of the gateway like any other',
      from: { path: '^apps/mcp/', pathNot: '(\\.spec\\.ts$|/testing/)' },
      to: {
        path: libs('clock|command-line|envelope|gateway-client|http-surface|records|settings|state-lock|validation'),
      },
    },
    {
      name: 'mcp-policy-only-decides',
      severity: 'error',
      comment: 'whether a person is needed follows from the file and the facts',
      from: { path: '^apps/mcp/src/policy/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps/mcp/src/(?!policy/)|libs/(?!(settings|validation)/|gateway-client/src/figure-text))' },
    },
    {
      name: 'core-is-pure',
      severity: 'error',
      comment: 'events in, effects out: no clock and no I/O; of most libraries only types',
      from: { path: '^apps/daemon/src/core/', pathNot: '\\.spec\\.ts$' },
      to: {
        pathNot:
          '(^apps/daemon/src/core/|^libs/(account-evidence|clock|gateway-client|trade-constants)/src/index\\.ts$|^libs/gateway-client/src/figure-text\\.ts$|/decimal\\.js/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'core-knows-no-shell',
      severity: 'error',
      comment: 'of the daemon the core imports nothing but itself, types included',
      from: { path: '^apps/daemon/src/core/', pathNot: '(\\.spec\\.ts$|/testing/)' },
      to: { path: '^apps/daemon/src/(?!core/)' },
    },
    {
      name: 'trade-core-is-pure',
      severity: 'error',
      comment: 'events in, effects out: no clock and no I/O, and of the gateway only the types of what is recorded',
      from: { path: '^apps/gateway/src/trade-core/', pathNot: '(\\.spec\\.ts$|/testing/)' },
      to: {
        pathNot:
          '(^apps/gateway/src/trade-core/|^libs/(order-drafts|request-life|terminal-client)/src/index\\.ts$|^(node:)?crypto$|^node_modules/decimal\\.js/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'trade-core-knows-no-shell',
      severity: 'error',
      from: { path: '^apps/gateway/src/trade-core/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^apps/gateway/src/(?!(trade-core/|audit/(audit-event|caller)\\.ts$))' },
    },
    {
      name: 'only-the-journal-seals',
      severity: 'error',
      comment: 'a trade request is sealed by the journal, or passed on by the server side of the link',
      from: {
        path: '^(apps|libs)/',
        pathNot:
          '(^apps/gateway/src/trade-journal/|^libs/terminal-client/src/|^apps/daemon/src/backtest/|^libs/simulator/bench/|\\.spec\\.ts$|/testing/)',
      },
      to: { path: '^libs/terminal-client/src/sealing', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-lib-internals',
      severity: 'error',
      comment:
        'a library is used by its index; the error types of the envelope also without Nest, and the parts that the start of a backtest needs without the rest, or not at all',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^libs/[^/]+/src/',
        pathNot:
          '(^libs/$2/|/src/index\\.ts$|^libs/terminal-client/src/(sealing|fixed-point|timeframes)|^libs/(gateway-client|records)/src/figure-text|^libs/simulator/src/market/replay/bar-length|^libs/envelope/src/error-types|^libs/order-drafts/src/limits|^libs/settings/src/yaml-text)',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'types'] },
  },
};

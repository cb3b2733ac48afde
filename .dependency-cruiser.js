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
      name: 'no-lib-to-app',
      severity: 'error',
      comment: 'but for specs that hold a library to the application it was written for',
      from: { path: '^libs/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^apps/' },
    },
    {
      name: 'no-app-to-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    own('clock', [], 'a base library imports nothing of ours'),
    own('settings', [], 'a base library imports nothing of ours'),
    own('store', [], 'a base library imports nothing of ours'),
    own('state-lock', [], 'a base library imports nothing of ours'),
    own('envelope', [], 'a base library imports nothing of ours'),
    own('logging', [], 'a base library imports nothing of ours'),
    own('metrics', [], 'a base library imports nothing of ours'),
    own('http-surface', ['envelope', 'clock'], 'what both programs put before their handlers'),
    own('terminal-client', ['clock'], 'the port knows no driver'),
    own('simulator', ['terminal-client', 'clock', 'settings'], 'a broker behind the port, nothing more'),
    own('gateway-client', ['envelope'], 'bots use it without the rest'),
    own('strategy', [], 'strategy files import it and nothing else of ours'),
    {
      name: 'gateway-imports',
      severity: 'error',
      from: { path: '^apps/gateway/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: libs('clock|settings|state-lock|store|envelope|http-surface|logging|metrics|terminal-client|simulator'),
      },
    },
    {
      name: 'daemon-holds-no-terminal',
      severity: 'error',
      from: { path: '^apps/daemon/', pathNot: '(\\.spec\\.ts$|^apps/daemon/src/backtest/)' },
      to: {
        path: libs('clock|settings|state-lock|store|envelope|http-surface|logging|metrics|gateway-client|strategy'),
      },
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
      comment: 'a library is used by its index',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: '(^libs/$2/|/src/index\\.ts$|^libs/terminal-client/src/sealing)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^dist/|node_modules)' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'types'] },
  },
};

// The navigation of the documentation site, by task. Every page of docs/ is in it: navigation.spec.ts compares.

/** Each entry is a file of the repository, with the name that the navigation shows; without one, its heading. */
export const navigation = [
  {
    title: 'Start',
    pages: [
      ['README.md', 'Overview'],
      ['docs/first-order.md', 'First order'],
      ['docs/first-strategy.md', 'First strategy'],
      ['docs/console.md', 'Console'],
      ['docs/simulator.md', 'Simulated broker'],
      ['docs/real-terminal.md', 'A real account'],
    ],
  },
  {
    title: 'Trade',
    pages: [
      ['docs/market-data.md', 'Market data and streams'],
      ['docs/signals.md', 'Signals of TradingView'],
      ['docs/metatrader5.md', 'MetaTrader5 in Python'],
      ['docs/python.md', 'Python client'],
      ['docs/nautilus.md', 'NautilusTrader'],
      ['docs/mcp.md', 'Agents (MCP)'],
      ['examples/README.md', 'Example bots'],
      ['docs/trade-path.md', 'The path of an order'],
      ['docs/http.md', 'Connections and limits'],
    ],
  },
  {
    title: 'Strategies',
    pages: [
      ['docs/strategies.md', 'Write a strategy'],
      ['docs/daemon.md', 'Run strategies'],
      ['docs/fleet.md', 'Several hosts'],
    ],
  },
  {
    title: 'Research',
    pages: [
      ['docs/data.md', 'Price files'],
      ['docs/optimize.md', 'Search for parameters'],
    ],
  },
  {
    title: 'Operate',
    pages: [
      ['docs/operation.md', 'Operate the gateway'],
      ['docs/alerts.md', 'Alerts'],
      ['docs/terminal-session.md', 'Terminal session'],
      ['docs/questions/not-ready.md', 'Why is it not ready?'],
      ['docs/questions/unknown-outcome.md', 'What does unknown mean?'],
      ['docs/questions/network-dies.md', 'If the network dies'],
      ['docs/questions/gateway-killed.md', 'If the gateway is killed'],
      ['docs/questions/believe-the-account.md', 'When to believe the account'],
      ['docs/questions/stop-everything.md', 'Stop everything'],
      ['docs/questions/change-the-key.md', 'Change the key'],
      ['docs/questions/backup-and-restore.md', 'Back up and restore'],
      ['docs/questions/upgrade.md', 'Upgrade'],
      ['docs/questions/two-on-one-account.md', 'Two on one account'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['api.md', 'API'],
      ['docs/routes.md', 'Routes in three languages'],
      ['docs/errors.md', 'Errors'],
      ['docs/configuration.md', 'Settings'],
      ['schemas.md', 'JSON Schemas'],
      ['docs/metrics.md', 'Metrics'],
      ['docs/versions.md', 'Versions of the API'],
      ['SECURITY.md', 'Security'],
      ['CHANGELOG.md', 'Changelog'],
    ],
  },
  {
    title: 'How it is built and tested',
    collapsed: true,
    pages: [
      ['docs/architecture.md', 'Architecture'],
      ['docs/reliability.md', 'Reliability'],
      ['docs/performance.md', 'Performance'],
      ['docs/benchmarks.md', 'Benchmarks'],
      ['CONTRIBUTING.md', 'Contributing'],
    ],
  },
  {
    title: 'Decisions',
    collapsed: true,
    pages: [
      '0001-trade-journal-in-lmdb',
      '0002-hooks-on-the-read-path',
      '0003-simulator-as-test-double',
      '0004-settings-as-a-table',
      '0005-replay-before-kill-switch',
      '0006-uplot-for-all-charts',
      '0007-periodic-work-by-the-injected-clock',
      '0008-pure-cores-decide',
      '0009-retention-in-running-time',
      '0010-void-keys',
      '0011-leases-and-fences',
      '0012-backtest-in-a-vm-context',
      '0013-reserve-for-exits',
      '0014-one-authority-on-disk',
      '0015-screen-then-confirm',
      '0016-the-trade-core',
      '0017-signals-are-requests',
      '0018-approvals-are-signed',
    ].map((name) => [`docs/decisions/${name}.md`]),
  },
];

/** Pages that the build makes: of the OpenAPI document, and of the classes that read the files. */
export const madePages = ['api.md', 'schemas.md'];

/** Where the site has a file of the repository; a file that is not Markdown is a page with its text. */
export function addressOf(file) {
  if (file === 'README.md') return '/overview';
  if (!file.endsWith('.md')) return `/source/${file}`;
  return `/${file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()}`;
}

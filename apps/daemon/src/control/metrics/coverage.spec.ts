import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MetricsRegistry } from '@libs/metrics';
import { ContractGateway } from '../../testing/contract-gateway';
import { FleetRig, floating, leave, magicOf, owned } from '../../testing/fleet-rig';
import { portfolioStatusOf } from '../portfolio-row';
import { healthOf, listOf, statusOf } from '../snapshots';
import { registerDaemonMetrics } from './daemon-metrics';

/** No number, or a fact that a label or another metric says: named with the reason. */
const text = 'a text; Prometheus has numbers';
const ofCurrency = 'how its money is written';
const data = 'data of the strategy, in a form of its own';
const settled = 'given by the configuration';
const halted = 'daemon_strategy_halted changes at that time';
const perItem = 'a row for each position, order, trade or layer; their number is a metric';

/** The metric of each member of the JSON, or why it has none. */
const health: Readonly<Record<string, string>> = {
  status: 'always ok: the scrape itself says that the daemon answers',
  condition: 'daemon_degraded',
  problems: 'daemon_problems',
  strategies: 'daemon_strategies',
  uptimeMs: 'daemon_uptime_seconds',
  'perStrategy[].name': 'daemon_strategy_state',
  'perStrategy[].state': 'daemon_strategy_state',
  'perStrategy[].halted': 'daemon_strategy_halted',
  'perStrategy[].haltReason': text,
  'perStrategy[].haltedAt': halted,
  'perStrategy[].problem': 'daemon_strategy_problem',
  'perStrategy[].startedAt': 'daemon_strategy_start_time_seconds',
  'perStrategy[].uptimeMs': 'daemon_strategy_uptime_seconds',
  'perStrategy[].restarts': 'daemon_strategy_restarts_total',
  'perStrategy[].lastFailure.at': 'daemon_strategy_last_failure_time_seconds',
  'perStrategy[].lastFailure.reason': text,
  'perStrategy[].lastTickAgeMs': 'daemon_strategy_last_tick_age_seconds',
  'perStrategy[].inboundQueueDepth': 'daemon_strategy_inbound_queue_depth',
  'perStrategy[].droppedTicks': 'daemon_strategy_dropped_ticks_total',
  'perStrategy[].missedBars': 'daemon_strategy_missed_bars_total',
  'gateways[].name': 'daemon_gateway_up',
  'gateways[].reachable': 'daemon_gateway_up',
  'gateways[].ready': 'daemon_gateway_ready',
  'gateways[].notReady': text,
  'gateways[].lastError': text,
  'gateways[].state': 'daemon_gateway_account_explained',
  'gateways[].reason': text,
  'gateways[].tickets': 'daemon_gateway_account_explained',
  'gateways[].differences': 'daemon_gateway_account_differences',
  'gateways[].streaming': 'daemon_gateway_streaming',
  'gateways[].tickGaps': 'daemon_gateway_tick_gaps_total',
  'gateways[].lostTicks': 'daemon_gateway_lost_ticks_total',
  'gateways[].badTicks': 'daemon_gateway_bad_ticks_total',
  'gateways[].account.login': 'names the account, and never changes while the gateway is up',
  'gateways[].account.server': text,
  'gateways[].account.currency': text,
  'gateways[].account.currencyDigits': ofCurrency,
  'gateways[].account.asOf': 'daemon_gateway_account_time_seconds',
  'gateways[].account.balance': 'daemon_gateway_balance',
  'gateways[].account.credit': 'daemon_gateway_credit',
  'gateways[].account.unrealized': 'daemon_gateway_unrealized',
  'gateways[].account.equity': 'daemon_gateway_equity',
  'gateways[].account.strategies.realized': 'daemon_gateway_strategies_realized',
  'gateways[].account.strategies.unrealized': 'daemon_gateway_strategies_unrealized',
  'gateways[].account.removed.realized': 'daemon_gateway_removed_realized',
  'gateways[].account.unattributed.balance': 'daemon_gateway_unattributed_balance',
  'gateways[].account.unattributed.unrealized': 'daemon_gateway_unattributed_unrealized',
  'gateways[].account.problem': text,
  'config.loadedAt': 'daemon_config_loaded_time_seconds',
  'config.lastReload': 'daemon_config_last_reload_successful',
};
const strategyRow: Readonly<Record<string, string>> = {
  name: 'daemon_strategy_state',
  kind: settled,
  version: 'of the strategy file; a label of it would begin new series at each change',
  state: 'daemon_strategy_state',
  halted: 'daemon_strategy_halted',
  haltReason: text,
  haltedAt: halted,
  problem: 'daemon_strategy_problem',
  startedAt: 'daemon_strategy_start_time_seconds',
  uptimeMs: 'daemon_strategy_uptime_seconds',
  restarts: 'daemon_strategy_restarts_total',
  'lastFailure.at': 'daemon_strategy_last_failure_time_seconds',
  'lastFailure.reason': text,
  deployedAt: 'daemon_strategy_deployed_time_seconds',
  magic: settled,
  params: settled,
  streams: settled,
  currency: 'of the gateway: its account',
  currencyDigits: ofCurrency,
  capital: 'daemon_strategy_capital',
  balance: 'daemon_strategy_balance',
  equity: 'daemon_strategy_equity',
  realized: 'daemon_strategy_realized',
  unrealized: 'daemon_strategy_unrealized',
  accountAsOf: 'daemon_strategy_account_time_seconds',
  accounts: 'of the gateway: daemon_gateway_account_explained',
  positions: 'daemon_strategy_open_positions',
  'lastTrade.timestamp': 'daemon_strategy_last_trade_time_seconds',
  lastTrade: perItem,
  trades: 'daemon_strategy_trades_total',
  pendingStackLayers: 'daemon_strategy_pending_stack_layers',
  pendingOrders: 'daemon_strategy_pending_orders',
  streamBrokers: settled,
  inboundQueueDepth: 'daemon_strategy_inbound_queue_depth',
  droppedTicks: 'daemon_strategy_dropped_ticks_total',
  missedBars: 'daemon_strategy_missed_bars_total',
  lateBars: 'daemon_strategy_late_bars_total',
  staleSymbols: 'daemon_strategy_stale',
  staleStreams: 'daemon_strategy_stale',
  clockSkewedSymbols: 'only while a symbol is skewed: daemon_strategy_clock_skew_seconds',
  errors: 'daemon_strategy_errors_total',
  orders: 'daemon_strategy_orders_total',
  'orders.inFlight': 'daemon_strategy_orders_in_flight',
  keptState: data,
  'persistence.writes': 'daemon_strategy_state_writes_total',
  'persistence.failedWrites': 'daemon_strategy_state_write_failures_total',
  'persistence.lastError': text,
};
const ofChildren = 'the sum of the children, each with its own metric';
const portfolioRow: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(strategyRow).map((path) => [path, ofChildren])),
  name: 'daemon_portfolio_state',
  state: 'daemon_portfolio_state',
  halted: 'daemon_portfolio_halted',
  problem: 'daemon_portfolio_problem',
  startedAt: 'daemon_portfolio_deployed_time_seconds',
  deployedAt: 'daemon_portfolio_deployed_time_seconds',
  uptimeMs: 'daemon_portfolio_uptime_seconds',
  capital: 'daemon_portfolio_capital',
  balance: 'daemon_portfolio_balance',
  equity: 'daemon_portfolio_equity',
  realized: 'daemon_portfolio_realized',
  unrealized: 'daemon_portfolio_unrealized',
  drawdownPct: 'daemon_portfolio_drawdown_percent',
  trades: 'daemon_portfolio_trades_total',
  children: ofChildren,
  unreachable: 'daemon_portfolio_unreachable_children',
  keptState: data,
  'persistence.writes': 'daemon_portfolio_state_writes_total',
  'persistence.failedWrites': 'daemon_portfolio_state_write_failures_total',
};
const list: Readonly<Record<string, string>> = {
  name: 'daemon_strategy_state',
  kind: settled,
  state: 'daemon_strategy_state',
  trades: 'daemon_strategy_trades_total',
  port: 'where to ask, not what is',
  uptimeMs: 'daemon_strategy_uptime_seconds',
  streamBrokers: settled,
  children: settled,
  parent: settled,
};

/** Members without an entry of their own or of a member above them. */
function uncovered(value: unknown, table: Readonly<Record<string, string>>, path = ''): string[] {
  if (path in table && !Object.keys(table).some((other) => other.startsWith(`${path}.`))) return [];
  if (Array.isArray(value)) return value.flatMap((item) => uncovered(item, table, `${path}[]`));
  if (typeof value !== 'object' || value === null) return path in table || hasBelow(table, path) ? [] : [path];
  return Object.entries(value).flatMap(([member, inner]) => {
    const at = path === '' ? member : `${path}.${member}`;
    if (path in table && !(at in table)) return [];
    return uncovered(inner, table, at);
  });
}

const hasBelow = (table: Readonly<Record<string, string>>, path: string): boolean =>
  Object.keys(table).some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[]`));

describe('the metrics page', () => {
  it('has a metric for every member of the JSON, but for those named here with the reason', async () => {
    const gateway = await ContractGateway.start();
    const stateDir = mkdtempSync(join(tmpdir(), 'fleet-'));
    const ticket = floating(gateway, magicOf('a'), 5);
    const timestamp = '2024-01-02T00:00:00.000Z';
    const lastTrade = { timestamp, side: 'buy', symbol: 'EURUSD', volume: 0.1, price: 1, realized: 3 } as const;
    await leave(stateDir, { name: 'book/a', tickets: [owned('demo', ticket)], record: { trades: 1, lastTrade } });
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'] } }, stateDir);
    await rig.look();
    const [demo] = rig.deployed.gateways;
    await demo?.money.look();
    rig.portfolio.watch();
    const { restarts } = rig.child('a');
    restarts.begins();
    restarts.runs();
    restarts.failed('no idea');
    const { hub } = rig.gateways.get('demo');
    const stream = { alias: 'demo', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
    const listener = (): void => undefined;
    await hub.subscribe(stream, 0, listener);

    const registry = new MetricsRegistry();
    registerDaemonMetrics(rig.deployed, registry);
    const page = await registry.metrics();
    const covered: readonly (readonly [unknown, Readonly<Record<string, string>>])[] = [
      [healthOf(rig.deployed, true), health],
      [statusOf(rig.child('a')), strategyRow],
      [portfolioStatusOf(rig.portfolio), portfolioRow],
      ...listOf(rig.deployed).map((row) => [row, list] as const),
    ];
    expect(covered.flatMap(([body, table]) => uncovered(body, table))).toEqual([]);
    const named = covered.flatMap(([, table]) => Object.values(table)).filter((name) => /^daemon_\w+$/.test(name));
    expect([...new Set(named)].filter((name) => !new RegExp(`^${name}[{ ]`, 'm').test(page))).toEqual([]);
    expect(page).toContain('daemon_portfolio_equity{portfolio="book"} 50005');
    expect(page).toContain('daemon_strategy_state{strategy="book/a",state="starting"} 1');
    expect(page).not.toMatch(/latency|p95|threshold/);
    hub.unsubscribe(stream, listener);
    await rig.stop();
    await gateway.stop();
  });

  it('fails on a member that is new to the JSON', () => {
    expect(uncovered({ name: 'x', brandNew: 1, orders: { denied: 1 } }, strategyRow)).toEqual(['brandNew']);
  });
});

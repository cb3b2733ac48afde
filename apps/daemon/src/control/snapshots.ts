import type { Deployed } from './deployed';
import type { Portfolio } from '../portfolios/portfolio';
import type { StrategyState } from '../strategies/strategy-state';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Persistence } from '../state/persistence';
import { pendingOrdersOf, positionsOf } from './owned-rows';
import { problemsOf } from './problems';

/**
 * The bodies of the control port, each made in one go from what is in memory: nothing here waits, so nothing a strategy
 * or a gateway does can delay an answer or mix two moments.
 */

/** Body of `GET /health`; the accounts' money and the configuration are only for callers that may ask for everything else. */
export function healthOf(deployed: Deployed, showsMoney: boolean): object {
  const problems = problemsOf(deployed);
  return {
    // A probe reads this: the daemon answers, so it is alive, whatever its strategies and gateways do.
    status: 'ok',
    condition: problems.length === 0 ? 'ok' : 'degraded',
    problems,
    strategies: deployed.strategies.length,
    uptimeMs: deployed.uptimeMs,
    perStrategy: deployed.strategies.map(healthOfStrategy),
    gateways: deployed.gateways.map(({ session, money, hub }) => ({
      name: session.name,
      reachable: session.reachable,
      ready: session.ready,
      lastError: session.lastError,
      ...hub.quotes,
      ...(showsMoney ? { account: money.report } : {}),
    })),
    // Problems of a configuration name files and parameters.
    ...(showsMoney ? { config: configOf(deployed) } : {}),
  };
}

function configOf({ configuration }: Deployed): object {
  const { loadedMs, lastReload } = configuration;
  return { loadedAt: new Date(loadedMs).toISOString(), lastReload };
}

/** One strategy's row of the health report. */
export function healthOfStrategy(strategy: StrategyRunner): object {
  return {
    name: strategy.spec.name,
    state: strategy.state,
    ...haltOf(strategy),
    problem: strategy.problem,
    ...startsOf(strategy),
    lastTickAgeMs: strategy.market.lastTickAgeMs,
    inboundQueueDepth: strategy.queue.depth,
    droppedTicks: strategy.queue.droppedTicks,
    missedBars: strategy.market.missedBars,
  };
}

/** Rows of `GET /list`, portfolios first. */
export function listOf(daemon: Deployed): object[] {
  const portfolios = daemon.portfolios.map((portfolio) => ({
    name: portfolio.spec.name,
    kind: 'portfolio',
    state: portfolioState(portfolio),
    trades: portfolio.unreadable === null ? portfolio.trades : null,
    port: null,
    uptimeMs: portfolio.uptimeMs,
    streamBrokers: streamBrokersOfAll(portfolio),
    children: portfolio.spec.children,
  }));
  return [...portfolios, ...daemon.strategies.map(rowOf)];
}

function rowOf(strategy: StrategyRunner): object {
  return {
    name: strategy.spec.name,
    kind: strategy.spec.portfolio === null ? 'strategy' : 'child',
    state: strategy.state,
    trades: known(strategy, strategy.book.record.trades),
    port: strategy.port,
    uptimeMs: strategy.restarts.uptimeMs,
    streamBrokers: streamBrokersOf(strategy),
    ...(strategy.spec.portfolio === null ? {} : { parent: strategy.spec.portfolio }),
  };
}

/** Body of `GET /status/<name>` for a strategy. */
export function statusOf(strategy: StrategyRunner): object {
  const { book, spec, queue, trading } = strategy;
  const { desk } = trading;
  const { balance, unrealized } = book;
  return {
    name: spec.name,
    kind: spec.portfolio === null ? 'strategy' : 'child',
    version: strategy.version,
    state: strategy.state,
    ...haltOf(strategy),
    problem: strategy.problem,
    ...startsOf(strategy),
    deployedAt: isoOf(strategy.deployedAtMs),
    magic: spec.magic,
    capital: spec.capital,
    balance: known(strategy, balance.toNumber()),
    equity: worth(strategy, balance.plus(unrealized).toNumber()),
    realized: known(strategy, Number(book.record.realized)),
    unrealized: worth(strategy, unrealized.toNumber()),
    positions: positionsOf(book),
    lastTrade: book.record.lastTrade,
    trades: known(strategy, book.record.trades),
    pendingStackLayers: trading.stacks.pending,
    pendingOrders: pendingOrdersOf(book),
    streamBrokers: streamBrokersOf(strategy),
    inboundQueueDepth: queue.depth,
    droppedTicks: queue.droppedTicks,
    missedBars: strategy.market.missedBars,
    lateBars: strategy.lateBars,
    staleSymbols: strategy.market.staleSymbols,
    clockSkewedSymbols: strategy.market.clockSkewedSymbols,
    errors: strategy.errors,
    orders: { ...desk.counts, inFlight: desk.inFlight },
    persistence: persistenceOf(trading),
  };
}

/** Body of `GET /status/<name>` for a portfolio: the sums of its children, and their rows. */
export function portfolioStatusOf(portfolio: Portfolio): object {
  const { spec, record, children } = portfolio;
  const sum = (figure: number): number | null => (portfolio.unreadable === null ? figure : null);
  const worth = (figure: number): number | null => (portfolio.isEquityKnown ? figure : null);
  return {
    name: spec.name,
    kind: 'portfolio',
    state: portfolioState(portfolio),
    halted: record.halt !== null,
    haltReason: record.halt?.reason ?? null,
    capital: spec.capital,
    problem: portfolio.problem,
    balance: sum(portfolio.balance.toNumber()),
    equity: worth(portfolio.equity.toNumber()),
    realized: sum(portfolio.realized.toNumber()),
    unrealized: worth(portfolio.unrealized.toNumber()),
    drawdownPct: portfolio.drawdownPct,
    trades: sum(portfolio.trades),
    streamBrokers: streamBrokersOfAll(portfolio),
    children: children.map(statusOf),
    unreachable: portfolio.unreachable,
    persistence: persistenceOf(portfolio),
  };
}

/** A figure of a strategy whose state could be read; anything else would be made up. */
function known(strategy: StrategyRunner, figure: number): number | null {
  return strategy.trading.unreadable === null ? figure : null;
}

/** A figure that counts the open positions in; it is not known before they were looked at. */
function worth(strategy: StrategyRunner, figure: number): number | null {
  return strategy.book.isEquityKnown ? known(strategy, figure) : null;
}

/** When it last began to run, and how often it had to be started again. */
function startsOf({ restarts }: StrategyRunner): object {
  const { startedAtMs, uptimeMs, count, lastFailure } = restarts;
  return {
    startedAt: isoOf(startedAtMs),
    uptimeMs,
    restarts: count,
    lastFailure: lastFailure && { at: isoOf(lastFailure.atMs), reason: lastFailure.reason },
  };
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function persistenceOf({ persistence }: { readonly persistence: Persistence }): object {
  const { writes, failedWrites, lastError } = persistence;
  return { writes, failedWrites, lastError };
}

function portfolioState(portfolio: Portfolio): StrategyState {
  const { record, children, unreadable } = portfolio;
  if (unreadable !== null) return 'failed';
  if (record.halt !== null) return 'halted';
  if (children.length === 0) return 'failed';
  for (const state of ['failed', 'halted', 'starting', 'stopped'] as const) {
    if (children.some((child) => child.state === state)) return state;
  }
  return 'running';
}

function haltOf({ book }: StrategyRunner): { halted: boolean; haltReason: string | null } {
  const { halt } = book.record;
  return { halted: halt !== null, haltReason: halt?.reason ?? null };
}

/** The children's streams by their aliases; one that means several gateways is told apart by the child's own alias. */
function streamBrokersOfAll({ children }: Portfolio): Record<string, string> {
  const all = children.flatMap(({ spec }) => {
    const child = spec.name.slice(spec.name.indexOf('/') + 1);
    return spec.streams.map(({ alias, broker }) => ({ alias, broker, child }));
  });
  const isShared = (alias: string): boolean =>
    new Set(all.filter((stream) => stream.alias === alias).map(({ broker }) => broker)).size > 1;
  return Object.fromEntries(
    all.map(({ alias, broker, child }) => [isShared(alias) ? `${child}/${alias}` : alias, broker]),
  );
}

function streamBrokersOf({ spec }: StrategyRunner): Record<string, string> {
  return Object.fromEntries(spec.streams.map(({ alias, broker }) => [alias, broker]));
}

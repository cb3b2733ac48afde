import type { Daemon } from '../daemon';
import type { Portfolio } from '../portfolios/portfolio';
import type { StrategyState } from '../strategies/strategy-state';
import type { StrategyRunner } from '../strategies/strategy-runner';

/**
 * The bodies of the control port, each made in one go from what is in memory: nothing here waits, so nothing a strategy
 * or a gateway does can delay an answer or mix two moments.
 */

export function healthOf(daemon: Daemon): object {
  const degraded =
    daemon.strategies.some(
      ({ state, trading }) =>
        state === 'failed' ||
        state === 'halted' ||
        trading.persistence.lastError !== null ||
        trading.desk.problem !== null,
    ) || daemon.gateways.some(({ session }) => !session.reachable || session.mismatch !== null);
  return {
    status: degraded ? 'degraded' : 'ok',
    strategies: daemon.strategies.length,
    uptimeMs: daemon.uptimeMs,
    perStrategy: daemon.strategies.map(healthOfStrategy),
    gateways: daemon.gateways.map(({ session }) => ({
      name: session.name,
      reachable: session.reachable,
      ready: session.ready,
      lastError: session.lastError,
    })),
  };
}

/** One strategy's row of the health report. */
export function healthOfStrategy(strategy: StrategyRunner): object {
  return {
    name: strategy.spec.name,
    state: strategy.state,
    ...haltOf(strategy),
    problem: strategy.lifecycle.problem ?? strategy.trading.desk.problem,
    lastTickAgeMs: strategy.market.lastTickAgeMs,
    inboundQueueDepth: strategy.queue.depth,
    droppedTicks: strategy.queue.droppedTicks,
    missedBars: strategy.market.missedBars,
  };
}

/** Rows of `GET /list`, portfolios first. */
export function listOf(daemon: Daemon): object[] {
  const portfolios = daemon.portfolios.map((portfolio) => ({
    name: portfolio.spec.name,
    kind: 'portfolio',
    state: portfolioState(portfolio),
    trades: portfolio.trades,
    port: null,
    uptimeMs: daemon.uptimeMs,
    streamBrokers: Object.assign({}, ...portfolio.children.map(streamBrokersOf)) as object,
    children: portfolio.spec.children,
  }));
  return [...portfolios, ...daemon.strategies.map(rowOf)];
}

function rowOf(strategy: StrategyRunner): object {
  return {
    name: strategy.spec.name,
    kind: strategy.spec.portfolio === null ? 'strategy' : 'child',
    state: strategy.state,
    trades: strategy.book.record.trades,
    port: strategy.port,
    uptimeMs: strategy.uptimeMs,
    streamBrokers: streamBrokersOf(strategy),
    ...(strategy.spec.portfolio === null ? {} : { parent: strategy.spec.portfolio }),
  };
}

/** Body of `GET /status/<name>` for a strategy. */
export function statusOf(strategy: StrategyRunner): object {
  const { book, spec, queue, trading } = strategy;
  const { desk, persistence } = trading;
  return {
    name: spec.name,
    kind: spec.portfolio === null ? 'strategy' : 'child',
    version: strategy.version,
    state: strategy.state,
    ...haltOf(strategy),
    problem: strategy.lifecycle.problem ?? strategy.trading.desk.problem,
    startedAt: new Date(strategy.startedAtMs).toISOString(),
    uptimeMs: strategy.uptimeMs,
    magic: spec.magic,
    capital: spec.capital,
    balance: book.balance.toNumber(),
    equity: book.equity.toNumber(),
    realized: book.realized.toNumber(),
    unrealized: book.unrealized.toNumber(),
    positions: book.positions.map((position) => ({
      symbol: position.symbol,
      broker: position.broker,
      side: position.side,
      volume: position.volume,
      avgPrice: position.avgPrice,
      unrealized: position.unrealized,
      ticket: position.ticket,
      openedAt: position.openedAtMs === null ? null : new Date(position.openedAtMs).toISOString(),
      sl: position.sl === 0 ? null : position.sl,
      tp: position.tp === 0 ? null : position.tp,
    })),
    lastTrade: book.record.lastTrade,
    trades: book.record.trades,
    pendingStackLayers: trading.stacks.pending,
    pendingOrders: book.orders,
    streamBrokers: streamBrokersOf(strategy),
    inboundQueueDepth: queue.depth,
    droppedTicks: queue.droppedTicks,
    missedBars: strategy.market.missedBars,
    staleSymbols: strategy.market.staleSymbols,
    clockSkewedSymbols: strategy.market.clockSkewedSymbols,
    errors: strategy.errors,
    orders: { ...desk.counts, inFlight: desk.inFlight },
    persistence: {
      writes: persistence.writes,
      failedWrites: persistence.failedWrites,
      lastError: persistence.lastError,
    },
  };
}

/** Body of `GET /status/<name>` for a portfolio: the sums of its children, and their rows. */
export function portfolioStatusOf(portfolio: Portfolio): object {
  const { spec, record, children } = portfolio;
  return {
    name: spec.name,
    kind: 'portfolio',
    state: portfolioState(portfolio),
    halted: record.halt !== null,
    haltReason: record.halt?.reason ?? null,
    capital: spec.capital,
    balance: portfolio.balance.toNumber(),
    equity: portfolio.equity.toNumber(),
    realized: portfolio.realized.toNumber(),
    unrealized: portfolio.unrealized.toNumber(),
    drawdownPct: portfolio.drawdownPct,
    trades: portfolio.trades,
    streamBrokers: Object.assign({}, ...children.map(streamBrokersOf)) as object,
    children: children.map(statusOf),
    unreachable: portfolio.unreachable,
  };
}

function portfolioState({ record, children }: Portfolio): StrategyState {
  if (record.halt !== null) return 'halted';
  for (const state of ['failed', 'halted', 'starting', 'stopped'] as const) {
    if (children.some((child) => child.state === state)) return state;
  }
  return 'running';
}

function haltOf({ book }: StrategyRunner): { halted: boolean; haltReason: string | null } {
  const { halt } = book.record;
  return { halted: halt !== null, haltReason: halt?.reason ?? null };
}

function streamBrokersOf({ spec }: StrategyRunner): Record<string, string> {
  return Object.fromEntries(spec.streams.map(({ alias, broker }) => [alias, broker]));
}

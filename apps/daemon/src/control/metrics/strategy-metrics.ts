import type { StrategyRunner } from '../../strategies/strategy-runner';
import { strategyStates } from '../../strategies/strategy-state';
import { oneOf, secondsOf, type Metric, type Sample } from './metric';

/** A metric of a strategy. */
interface Figure {
  readonly kind?: Metric['kind'];
  readonly name: string;
  readonly help: string;
  readonly value: (strategy: StrategyRunner) => number | null;
  /** Known only if the state could be read. */
  readonly needsState?: boolean;
  /** Known only if the state could be read and the open positions are in a snapshot. */
  readonly needsSight?: boolean;
}

const figures: readonly Figure[] = [
  { name: 'capital', help: 'Capital allocated to the strategy.', value: ({ spec }) => spec.capital },
  {
    name: 'balance',
    help: 'Capital plus realized P&L.',
    value: ({ book }) => book.balance.toNumber(),
    needsState: true,
  },
  {
    name: 'realized',
    help: 'Realized P&L, costs included.',
    value: ({ book }) => book.realized.toNumber(),
    needsState: true,
  },
  {
    name: 'unrealized',
    help: 'Unrealized P&L, swap included.',
    value: ({ book }) => book.unrealized.toNumber(),
    needsSight: true,
  },
  {
    name: 'equity',
    help: 'Capital plus realized and unrealized P&L.',
    value: ({ book }) => book.equity.toNumber(),
    needsSight: true,
  },
  {
    name: 'open_positions',
    help: 'Number of open positions; absent until the account has been read.',
    value: ({ book }) => book.positionRows.length,
    needsSight: true,
  },
  {
    name: 'pending_orders',
    help: 'Number of pending orders; absent until the account has been read.',
    value: ({ book }) => book.orders.length,
    needsSight: true,
  },
  {
    name: 'pending_stack_layers',
    help: 'Number of stack layers that wait for their price.',
    value: ({ trading }) => trading.desk.pendingLayers.length,
    needsState: true,
  },
  {
    name: 'halted',
    help: '1 while entries are halted.',
    value: ({ book }) => (book.record.halt === null ? 0 : 1),
    needsState: true,
  },
  {
    name: 'problem',
    help: '1 while the strategy has a problem; see its status.',
    value: ({ problem }) => (problem === null ? 0 : 1),
  },
  {
    name: 'crash_looping',
    help: '1 while the strategy is in a crash loop.',
    value: ({ restarts }) => (restarts.isLooping ? 1 : 0),
  },
  {
    name: 'uptime_seconds',
    help: 'Seconds since the last start; 0 while the strategy is not running.',
    value: ({ restarts }) => restarts.uptimeMs / 1_000,
  },
  {
    name: 'start_time_seconds',
    help: 'Time of the last start.',
    value: ({ restarts }) => secondsOf(restarts.startedAtMs),
  },
  { name: 'deployed_time_seconds', help: 'Time of deployment.', value: ({ deployedAtMs }) => deployedAtMs / 1_000 },
  {
    name: 'last_failure_time_seconds',
    help: 'Time of the last failure.',
    value: ({ restarts }) => secondsOf(restarts.lastFailure?.atMs),
  },
  {
    name: 'last_trade_time_seconds',
    help: 'Time of the last deal.',
    value: ({ book }) => timeOf(book.record.lastTrade?.timestamp),
  },
  {
    name: 'account_time_seconds',
    help: 'Time at which positions and equity were read from the account.',
    value: ({ accounts }) => secondsOf(accounts.asOfMs),
  },
  {
    name: 'last_tick_age_seconds',
    help: "Age of the newest quote of the strategy's streams.",
    value: ({ market }) => secondsOf(market.lastTickAgeMs),
  },
  { name: 'inbound_queue_depth', help: "Number of events in the strategy's queue.", value: ({ queue }) => queue.depth },
  {
    name: 'orders_in_flight',
    help: 'Number of requests in flight or with unknown outcome.',
    value: ({ trading }) => trading.desk.inFlight,
  },
  {
    kind: 'counter',
    name: 'trades_total',
    help: 'Deals booked.',
    value: ({ book }) => book.record.trades,
    needsState: true,
  },
  {
    kind: 'counter',
    name: 'dropped_ticks_total',
    help: 'Ticks dropped under load.',
    value: ({ queue }) => queue.droppedTicks,
  },
  {
    kind: 'counter',
    name: 'missed_bars_total',
    help: 'Bars no longer available from the gateway.',
    value: ({ market }) => market.missedBars,
  },
  {
    kind: 'counter',
    name: 'late_bars_total',
    help: 'Bars delivered late.',
    value: ({ lateBars }) => lateBars,
  },
  { kind: 'counter', name: 'errors_total', help: 'Errors thrown by handlers.', value: ({ errors }) => errors },
  {
    kind: 'counter',
    name: 'restarts_total',
    help: 'Restarts of the strategy.',
    value: ({ restarts }) => restarts.count,
  },
  {
    kind: 'counter',
    name: 'state_writes_total',
    help: 'Writes of state.',
    value: ({ trading }) => trading.persistence.writes,
  },
  {
    kind: 'counter',
    name: 'state_write_failures_total',
    help: 'Failed writes of state.',
    value: ({ trading }) => trading.persistence.failedWrites,
  },
];

const label = 'strategy';

/** Metrics of strategies, including children of portfolios. */
export const strategyMetrics: readonly Metric[] = [
  ...figures.map(({ kind = 'gauge', name, help, value, needsState = false, needsSight = false }): Metric => ({
    kind,
    name: `daemon_strategy_${name}`,
    help,
    labels: [label],
    samples: ({ strategies }) =>
      strategies.map((strategy): Sample => {
        // Without a readable state or a snapshot of the positions, the value is unknown.
        const isReadable = strategy.trading.unreadable === null;
        const isKnown = (!needsState && !needsSight) || (isReadable && (!needsSight || strategy.book.isEquityKnown));
        return [{ strategy: strategy.spec.name }, isKnown ? value(strategy) : null];
      }),
  })),
  {
    kind: 'gauge',
    name: 'daemon_strategy_state',
    help: '1 for the current state of the strategy, 0 for the others.',
    labels: [label, 'state'],
    samples: ({ strategies }) =>
      strategies.flatMap(({ spec, state }) => oneOf(strategyStates, state, { strategy: spec.name })),
  },
  {
    kind: 'gauge',
    name: 'daemon_strategy_stale',
    help: '1 while the quotes of a stream are stale.',
    labels: [label, 'stream'],
    samples: ({ strategies }) =>
      strategies.flatMap(({ spec, market }) =>
        spec.streams.map((stream): Sample => [
          { strategy: spec.name, stream: `${stream.broker}:${stream.symbol}@${stream.timeframe}` },
          market.isStale(stream) ? 1 : 0,
        ]),
      ),
  },
  {
    kind: 'gauge',
    name: 'daemon_strategy_clock_skew_seconds',
    help: 'Clock skew of a symbol; present only while it exceeds maxClockSkewSeconds of the gateway.',
    labels: [label, 'symbol'],
    samples: ({ strategies }) =>
      strategies.flatMap(({ spec, market }) =>
        Object.entries(market.clockSkewedSymbols).map(([symbol, ms]): Sample => [
          { strategy: spec.name, symbol },
          ms / 1_000,
        ]),
      ),
  },
  {
    kind: 'counter',
    name: 'daemon_strategy_orders_total',
    help: 'Orders by outcome. Denied orders include stale ones.',
    labels: [label, 'outcome'],
    samples: ({ strategies }) =>
      strategies.flatMap(({ spec, trading }) =>
        Object.entries(trading.desk.counts).map(([outcome, count]): Sample => [
          { strategy: spec.name, outcome },
          count,
        ]),
      ),
  },
];

function timeOf(iso: string | null | undefined): number | null {
  return iso === null || iso === undefined ? null : Date.parse(iso) / 1_000;
}

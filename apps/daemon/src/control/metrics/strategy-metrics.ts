import type { StrategyRunner } from '../../strategies/strategy-runner';
import { strategyStates } from '../../strategies/strategy-state';
import { oneOf, secondsOf, type Metric, type Sample } from './metric';

/** A figure of a strategy. */
interface Figure {
  readonly kind?: Metric['kind'];
  readonly name: string;
  readonly help: string;
  readonly value: (strategy: StrategyRunner) => number | null;
  /** Known only when its state could be read. */
  readonly needsState?: boolean;
  /** Known only when its state could be read and its open positions were looked at. */
  readonly needsSight?: boolean;
}

const figures: readonly Figure[] = [
  { name: 'capital', help: 'Capital allotted to the strategy.', value: ({ spec }) => spec.capital },
  {
    name: 'balance',
    help: 'Capital with the result of all deals.',
    value: ({ book }) => book.balance.toNumber(),
    needsState: true,
  },
  {
    name: 'realized',
    help: 'Result of all deals, costs included.',
    value: ({ book }) => book.realized.toNumber(),
    needsState: true,
  },
  {
    name: 'unrealized',
    help: 'Floating result, swap included.',
    value: ({ book }) => book.unrealized.toNumber(),
    needsSight: true,
  },
  { name: 'equity', help: 'Capital with all results.', value: ({ book }) => book.equity.toNumber(), needsSight: true },
  {
    name: 'open_positions',
    help: 'Open positions; absent until the account was read.',
    value: ({ book }) => book.positionRows.length,
    needsSight: true,
  },
  {
    name: 'pending_orders',
    help: 'Pending orders; absent until the account was read.',
    value: ({ book }) => book.orders.length,
    needsSight: true,
  },
  {
    name: 'pending_stack_layers',
    help: 'Stack layers that wait for their price.',
    value: ({ trading }) => trading.stacks.pending.length,
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
    help: '1 while the strategy has a problem, which its status names.',
    value: ({ problem }) => (problem === null ? 0 : 1),
  },
  {
    name: 'crash_looping',
    help: '1 while the strategy fails again and again.',
    value: ({ restarts }) => (restarts.isLooping ? 1 : 0),
  },
  {
    name: 'uptime_seconds',
    help: 'Time since the last start; 0 while it does not run.',
    value: ({ restarts }) => restarts.uptimeMs / 1_000,
  },
  {
    name: 'start_time_seconds',
    help: 'When it last started.',
    value: ({ restarts }) => secondsOf(restarts.startedAtMs),
  },
  { name: 'deployed_time_seconds', help: 'When it was deployed.', value: ({ deployedAtMs }) => deployedAtMs / 1_000 },
  {
    name: 'last_failure_time_seconds',
    help: 'When it last failed.',
    value: ({ restarts }) => secondsOf(restarts.lastFailure?.atMs),
  },
  {
    name: 'last_trade_time_seconds',
    help: 'When its last deal was made.',
    value: ({ book }) => timeOf(book.record.lastTrade?.timestamp),
  },
  {
    name: 'account_time_seconds',
    help: 'When its positions and equity were read from the account.',
    value: ({ accountAsOfMs }) => secondsOf(accountAsOfMs),
  },
  {
    name: 'last_tick_age_seconds',
    help: 'Age of the newest quote of its streams.',
    value: ({ market }) => secondsOf(market.lastTickAgeMs),
  },
  { name: 'inbound_queue_depth', help: 'Events that wait for the strategy.', value: ({ queue }) => queue.depth },
  {
    name: 'orders_in_flight',
    help: 'Requests in flight or of unknown outcome.',
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
    help: 'Ticks left out under load.',
    value: ({ queue }) => queue.droppedTicks,
  },
  {
    kind: 'counter',
    name: 'missed_bars_total',
    help: 'Bars the gateway gave no longer.',
    value: ({ market }) => market.missedBars,
  },
  {
    kind: 'counter',
    name: 'late_bars_total',
    help: 'Bars that were handed on late.',
    value: ({ lateBars }) => lateBars,
  },
  { kind: 'counter', name: 'errors_total', help: 'Errors that handlers threw.', value: ({ errors }) => errors },
  {
    kind: 'counter',
    name: 'restarts_total',
    help: 'Starts after the first one.',
    value: ({ restarts }) => restarts.count,
  },
  {
    kind: 'counter',
    name: 'state_writes_total',
    help: 'Writes of its state.',
    value: ({ trading }) => trading.persistence.writes,
  },
  {
    kind: 'counter',
    name: 'state_write_failures_total',
    help: 'Writes of its state that failed.',
    value: ({ trading }) => trading.persistence.failedWrites,
  },
];

const label = 'strategy';

/** Everything of strategies; children of portfolios are strategies as well. */
export const strategyMetrics: readonly Metric[] = [
  ...figures.map(({ kind = 'gauge', name, help, value, needsState = false, needsSight = false }): Metric => ({
    ...{ kind, name: `daemon_strategy_${name}`, help, labels: [label] },
    samples: ({ strategies }) =>
      strategies.map((strategy): Sample => {
        // A figure of a state that could not be read, or of positions that were not looked at, would be made up.
        const isReadable = strategy.trading.unreadable === null;
        const isKnown = (!needsState && !needsSight) || (isReadable && (!needsSight || strategy.book.isEquityKnown));
        return [{ strategy: strategy.spec.name }, isKnown ? value(strategy) : null];
      }),
  })),
  {
    ...{
      kind: 'gauge',
      name: 'daemon_strategy_state',
      help: '1 for the state of the strategy.',
      labels: [label, 'state'],
    },
    samples: ({ strategies }) =>
      strategies.flatMap(({ spec, state }) => oneOf(strategyStates, state, { strategy: spec.name })),
  },
  {
    ...{
      kind: 'gauge',
      name: 'daemon_strategy_stale',
      help: '1 while a stream has no fresh prices.',
      labels: [label, 'stream'],
    },
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
    help: 'How far the clock of a symbol is off, where that is more than its gateway allows.',
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
    ...{
      kind: 'counter',
      name: 'daemon_strategy_orders_total',
      help: 'Orders by outcome; stale ones are among the denied.',
    },
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

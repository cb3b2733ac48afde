import type { Portfolio } from '../../portfolios/portfolio';
import { strategyStates } from '../../strategies/strategy-state';
import { portfolioState } from '../portfolio-state';
import { oneOf, type Metric, type Sample } from './metric';

interface Figure {
  readonly kind?: Metric['kind'];
  readonly name: string;
  readonly help: string;
  readonly value: (portfolio: Portfolio) => number | null;
}

/** A sum over children whose states could all be read. */
const sum = (of: (portfolio: Portfolio) => number): Figure['value'] => {
  return (portfolio) => (portfolio.unreadable === null ? of(portfolio) : null);
};
/** A figure that counts the open positions in. */
const worth = (of: (portfolio: Portfolio) => number): Figure['value'] => {
  return (portfolio) => (portfolio.isEquityKnown ? of(portfolio) : null);
};

const figures: readonly Figure[] = [
  { name: 'capital', help: 'Capital of the portfolio.', value: ({ spec }) => spec.capital },
  { name: 'balance', help: 'Capital with the results of all deals.', value: sum(({ balance }) => balance.toNumber()) },
  { name: 'realized', help: 'Result of all deals of its children.', value: sum(({ realized }) => realized.toNumber()) },
  {
    name: 'unrealized',
    help: 'Floating result of its children.',
    value: worth(({ unrealized }) => unrealized.toNumber()),
  },
  { name: 'equity', help: 'Capital with all results.', value: worth(({ equity }) => equity.toNumber()) },
  { name: 'drawdown_percent', help: 'How far equity is below its peak.', value: ({ drawdownPct }) => drawdownPct },
  {
    name: 'halted',
    help: '1 while its children may not enter.',
    value: ({ record }) => (record.halt === null ? 0 : 1),
  },
  { name: 'problem', help: '1 while the portfolio has a problem.', value: ({ problem }) => (problem === null ? 0 : 1) },
  {
    name: 'unreachable_children',
    help: 'Children whose account cannot be read.',
    value: ({ unreachable }) => unreachable.length,
  },
  { name: 'uptime_seconds', help: 'Time since it was deployed.', value: ({ uptimeMs }) => uptimeMs / 1_000 },
  { name: 'deployed_time_seconds', help: 'When it was deployed.', value: ({ deployedAtMs }) => deployedAtMs / 1_000 },
  { kind: 'counter', name: 'trades_total', help: 'Deals booked by its children.', value: sum(({ trades }) => trades) },
  {
    kind: 'counter',
    name: 'state_writes_total',
    help: 'Writes of its state.',
    value: ({ persistence }) => persistence.writes,
  },
  {
    kind: 'counter',
    name: 'state_write_failures_total',
    help: 'Writes of its state that failed.',
    value: ({ persistence }) => persistence.failedWrites,
  },
];

/** Everything of portfolios that is not the sum of what their children have under `daemon_strategy_`. */
export const portfolioMetrics: readonly Metric[] = [
  ...figures.map(({ kind = 'gauge', name, help, value }): Metric => ({
    ...{ kind, name: `daemon_portfolio_${name}`, help, labels: ['portfolio'] },
    samples: ({ portfolios }) =>
      portfolios.map((portfolio): Sample => [{ portfolio: portfolio.spec.name }, value(portfolio)]),
  })),
  {
    ...{
      kind: 'gauge',
      name: 'daemon_portfolio_state',
      help: '1 for the state of the portfolio.',
      labels: ['portfolio', 'state'],
    },
    samples: ({ portfolios }) =>
      portfolios.flatMap((portfolio) =>
        oneOf(strategyStates, portfolioState(portfolio), { portfolio: portfolio.spec.name }),
      ),
  },
];

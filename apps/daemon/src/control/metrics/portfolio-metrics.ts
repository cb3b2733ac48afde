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

/** A sum over the children; unknown unless the state of every child could be read. */
const sum = (of: (portfolio: Portfolio) => number): Figure['value'] => {
  return (portfolio) => (portfolio.unreadable === null ? of(portfolio) : null);
};
/** A value that includes open positions. */
const worth = (of: (portfolio: Portfolio) => number): Figure['value'] => {
  return (portfolio) => (portfolio.isEquityKnown ? of(portfolio) : null);
};

const figures: readonly Figure[] = [
  { name: 'capital', help: 'Capital of the portfolio.', value: ({ spec }) => spec.capital },
  { name: 'balance', help: 'Capital plus realized P&L.', value: sum(({ balance }) => balance.toNumber()) },
  { name: 'realized', help: 'Realized P&L of the children.', value: sum(({ realized }) => realized.toNumber()) },
  {
    name: 'unrealized',
    help: 'Unrealized P&L of the children.',
    value: worth(({ unrealized }) => unrealized.toNumber()),
  },
  {
    name: 'equity',
    help: 'Capital plus realized and unrealized P&L.',
    value: worth(({ equity }) => equity.toNumber()),
  },
  {
    name: 'drawdown_percent',
    help: 'Drawdown from the peak equity, in percent.',
    value: ({ drawdownPct }) => drawdownPct,
  },
  {
    name: 'halted',
    help: '1 while entries of the children are halted.',
    value: ({ record }) => (record.halt === null ? 0 : 1),
  },
  { name: 'problem', help: '1 while the portfolio has a problem.', value: ({ problem }) => (problem === null ? 0 : 1) },
  {
    name: 'unreachable_children',
    help: 'Number of children whose account cannot be read.',
    value: ({ unreachable }) => unreachable.length,
  },
  {
    name: 'uptime_seconds',
    help: 'Seconds since the portfolio was deployed.',
    value: ({ uptimeMs }) => uptimeMs / 1_000,
  },
  { name: 'deployed_time_seconds', help: 'Time of deployment.', value: ({ deployedAtMs }) => deployedAtMs / 1_000 },
  { kind: 'counter', name: 'trades_total', help: 'Deals booked by the children.', value: sum(({ trades }) => trades) },
  {
    kind: 'counter',
    name: 'state_writes_total',
    help: 'Writes of state.',
    value: ({ persistence }) => persistence.writes,
  },
  {
    kind: 'counter',
    name: 'state_write_failures_total',
    help: 'Failed writes of state.',
    value: ({ persistence }) => persistence.failedWrites,
  },
];

/** Portfolio metrics that are not sums of the children's `daemon_strategy_` metrics. */
export const portfolioMetrics: readonly Metric[] = [
  ...figures.map(({ kind = 'gauge', name, help, value }): Metric => ({
    kind,
    name: `daemon_portfolio_${name}`,
    help,
    labels: ['portfolio'],
    samples: ({ portfolios }) =>
      portfolios.map((portfolio): Sample => [{ portfolio: portfolio.spec.name }, value(portfolio)]),
  })),
  {
    kind: 'gauge',
    name: 'daemon_portfolio_state',
    help: '1 for the current state of the portfolio, 0 for the others.',
    labels: ['portfolio', 'state'],
    samples: ({ portfolios }) =>
      portfolios.flatMap((portfolio) =>
        oneOf(strategyStates, portfolioState(portfolio), { portfolio: portfolio.spec.name }),
      ),
  },
];

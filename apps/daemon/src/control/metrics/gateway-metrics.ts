import type { AccountReport } from '../../live/account-report';
import type { GatewayServices } from '../../strategies/services';
import type { Metric, Sample } from './metric';

interface Figure {
  readonly kind?: Metric['kind'];
  readonly name: string;
  readonly help: string;
  readonly value: (gateway: GatewayServices) => number | null | undefined;
}

const ofAccount = (of: (report: AccountReport) => number | null | undefined): Figure['value'] => {
  return ({ money }) => money.report && of(money.report);
};

const figures: readonly Figure[] = [
  { name: 'up', help: '1 while the gateway is reachable.', value: ({ session }) => (session.reachable ? 1 : 0) },
  {
    name: 'ready',
    help: '1 while the gateway is connected to the broker and its kill switch is inactive.',
    value: ({ session }) => (session.ready ? 1 : 0),
  },
  {
    name: 'account_explained',
    help: '1 while the gateway says that what its terminal shows of the account is explained; entries stop while it is 0.',
    value: ({ session }) => {
      const { state, reason } = session.accountState;
      return state === 'connected' && reason === null ? 1 : 0;
    },
  },
  {
    name: 'account_differences',
    help: 'What the account and the journal of the gateway disagree on.',
    value: ({ session }) => session.accountState.differences.length,
  },
  {
    name: 'account_mismatch',
    help: '1 while the gateway has the wrong account.',
    value: ({ session }) => (session.mismatch === null ? 0 : 1),
  },
  {
    name: 'streaming',
    help: "1 while the gateway's event stream delivers every subscribed symbol.",
    value: ({ hub }) => (hub.quotes.streaming && hub.lostSymbols.length === 0 ? 1 : 0),
  },
  { name: 'balance', help: 'Balance of the account.', value: ofAccount(({ balance }) => balance) },
  { name: 'credit', help: 'Credit of the account.', value: ofAccount(({ credit }) => credit) },
  { name: 'equity', help: 'Balance, credit and unrealized P&L.', value: ofAccount(({ equity }) => equity) },
  { name: 'unrealized', help: 'Unrealized P&L of all positions.', value: ofAccount(({ unrealized }) => unrealized) },
  {
    name: 'account_time_seconds',
    help: 'Time at which the account was read.',
    value: ofAccount(({ asOf }) => (asOf === null ? null : Date.parse(asOf) / 1_000)),
  },
  {
    name: 'strategies_realized',
    help: 'Realized P&L of the deployed strategies.',
    value: ofAccount(({ strategies }) => strategies?.realized),
  },
  {
    name: 'strategies_unrealized',
    help: 'Unrealized P&L of the deployed strategies.',
    value: ofAccount(({ strategies }) => strategies?.unrealized),
  },
  {
    name: 'removed_realized',
    help: 'Realized P&L of strategies that are no longer configured.',
    value: ofAccount(({ removed }) => removed?.realized),
  },
  {
    name: 'unattributed_balance',
    help: 'Part of the balance that is not attributed to a strategy; absent while it is uncertain.',
    value: ofAccount(({ unattributed }) => unattributed?.balance),
  },
  {
    name: 'unattributed_unrealized',
    help: 'Unrealized P&L of positions that no strategy owns.',
    value: ofAccount(({ unattributed }) => unattributed?.unrealized),
  },
  {
    kind: 'counter',
    name: 'tick_gaps_total',
    help: 'Gaps in the sequence of quotes.',
    value: ({ hub }) => hub.quotes.tickGaps,
  },
  {
    kind: 'counter',
    name: 'lost_ticks_total',
    help: 'Minimum number of quotes lost in gaps.',
    value: ({ hub }) => hub.quotes.lostTicks,
  },
  {
    kind: 'counter',
    name: 'bad_ticks_total',
    help: 'Invalid quotes dropped.',
    value: ({ hub }) => hub.quotes.badTicks,
  },
];

/** Metrics of gateways and their accounts. */
export const gatewayMetrics: readonly Metric[] = figures.map(({ kind = 'gauge', name, help, value }) => ({
  kind,
  name: `daemon_gateway_${name}`,
  help,
  labels: ['gateway'],
  samples: ({ gateways }) => gateways.map((gateway): Sample => [{ gateway: gateway.session.name }, value(gateway)]),
}));

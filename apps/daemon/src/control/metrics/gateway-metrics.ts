import type { AccountReport } from '../../gateways/account-report';
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
  { name: 'up', help: '1 while the gateway answers.', value: ({ session }) => (session.reachable ? 1 : 0) },
  {
    name: 'ready',
    help: '1 while it is connected to the broker and not halted.',
    value: ({ session }) => (session.ready ? 1 : 0),
  },
  {
    name: 'account_mismatch',
    help: '1 while its account is not the expected one.',
    value: ({ session }) => (session.mismatch === null ? 0 : 1),
  },
  {
    name: 'streaming',
    help: '1 while every symbol comes by the event stream of the gateway.',
    value: ({ hub }) => (hub.quotes.streaming ? 1 : 0),
  },
  { name: 'balance', help: 'Balance of the account.', value: ofAccount(({ balance }) => balance) },
  { name: 'credit', help: 'Credit of the account.', value: ofAccount(({ credit }) => credit) },
  { name: 'equity', help: 'Balance, credit and floating result.', value: ofAccount(({ equity }) => equity) },
  { name: 'unrealized', help: 'Floating result of all positions.', value: ofAccount(({ unrealized }) => unrealized) },
  {
    name: 'account_time_seconds',
    help: 'When the account was read.',
    value: ofAccount(({ asOf }) => (asOf === null ? null : Date.parse(asOf) / 1_000)),
  },
  {
    name: 'strategies_realized',
    help: 'What the deployed strategies earned.',
    value: ofAccount(({ strategies }) => strategies?.realized),
  },
  {
    name: 'strategies_unrealized',
    help: 'Floating result of the deployed strategies.',
    value: ofAccount(({ strategies }) => strategies?.unrealized),
  },
  {
    name: 'removed_realized',
    help: 'Realized result of strategies that are no longer configured.',
    value: ofAccount(({ removed }) => removed?.realized),
  },
  {
    name: 'unattributed_balance',
    help: 'What of the balance no strategy realized; absent while it is not certain.',
    value: ofAccount(({ unattributed }) => unattributed?.balance),
  },
  {
    name: 'unattributed_unrealized',
    help: 'Floating result of positions of no strategy.',
    value: ofAccount(({ unattributed }) => unattributed?.unrealized),
  },
  {
    kind: 'counter',
    name: 'tick_gaps_total',
    help: 'Times quotes were left out.',
    value: ({ hub }) => hub.quotes.tickGaps,
  },
  {
    kind: 'counter',
    name: 'lost_ticks_total',
    help: 'Quotes that were left out, at least.',
    value: ({ hub }) => hub.quotes.lostTicks,
  },
  { kind: 'counter', name: 'bad_ticks_total', help: 'Quotes that were none.', value: ({ hub }) => hub.quotes.badTicks },
];

/** Everything of gateways and their accounts. */
export const gatewayMetrics: readonly Metric[] = figures.map(({ kind = 'gauge', name, help, value }) => ({
  ...{ kind, name: `daemon_gateway_${name}`, help, labels: ['gateway'] },
  samples: ({ gateways }) => gateways.map((gateway): Sample => [{ gateway: gateway.session.name }, value(gateway)]),
}));

import type { Metric } from './metric';

/** Of a host of a fleet; without a database they have no samples. */
export const leaseMetrics: readonly Metric[] = [
  {
    ...{ kind: 'gauge', name: 'daemon_leases', help: 'Leases that this host holds.', labels: [] },
    samples: ({ units }) => [[{}, units?.leases.length]],
  },
  {
    kind: 'gauge',
    name: 'daemon_lease_token',
    help: 'Token of a lease that this host holds, by strategy or portfolio.',
    labels: ['unit'],
    samples: ({ units }) => (units?.leases ?? []).map(({ fence: { name, token } }) => [{ unit: name }, token]),
  },
  {
    kind: 'gauge',
    name: 'daemon_lease_age_seconds',
    help: 'Seconds since the oldest lease of this host was renewed.',
    labels: [],
    samples: ({ units }) => {
      const ages = units?.leases.map(({ ageMs }) => ageMs) ?? [];
      return ages.length === 0 ? [] : [[{}, Math.max(...ages) / 1_000]];
    },
  },
  {
    kind: 'gauge',
    name: 'daemon_lease_database_up',
    help: '1 if the last attempt to renew the leases succeeded.',
    labels: [],
    samples: ({ units }) => (units ? [[{}, units.problem === null ? 1 : 0]] : []),
  },
  {
    ...{
      kind: 'counter',
      name: 'daemon_leases_taken_total',
      help: 'Strategies and portfolios taken over.',
      labels: [],
    },
    samples: ({ units }) => [[{}, units?.counts.taken]],
  },
  {
    kind: 'counter',
    name: 'daemon_leases_lost_total',
    help: 'Leases that ended while their strategies were running: taken by another host or refused by a gateway.',
    labels: [],
    samples: ({ units }) => [[{}, units?.counts.lost]],
  },
  {
    kind: 'counter',
    name: 'daemon_leases_given_total',
    help: 'Strategies and portfolios given to other hosts, by a command or because this host is draining.',
    labels: [],
    samples: ({ units }) => [[{}, units?.counts.given]],
  },
  {
    kind: 'gauge',
    name: 'daemon_draining',
    help: '1 while this host gives its strategies and portfolios to others and takes none.',
    labels: [],
    samples: ({ units }) => (units ? [[{}, units.isDraining ? 1 : 0]] : []),
  },
  {
    kind: 'gauge',
    name: 'daemon_units_unplaced',
    help: 'Strategies and portfolios of the fleet that run on no host and that no running host may take.',
    labels: [],
    samples: ({ units }) => (units ? [[{}, units.unplaced.length]] : []),
  },
  {
    kind: 'gauge',
    name: 'daemon_exits_kept',
    help: 'Exits in the journal of this host that are not in the database yet.',
    labels: [],
    samples: ({ units }) => (units ? [[{}, units.keptExits]] : []),
  },
];

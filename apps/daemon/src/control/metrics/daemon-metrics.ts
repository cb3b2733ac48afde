import { Inject, Injectable } from '@nestjs/common';
import { MetricsRegistry } from '@libs/metrics';
import { version } from '../../../../../package.json';
import { Daemon } from '../../daemon';
import { strategyStates } from '../../strategies/strategy-state';
import type { Deployed } from '../deployed';
import { problemsOf } from '../problems';
import { gatewayMetrics } from './gateway-metrics';
import { register, type Metric, type Sample } from './metric';
import { portfolioMetrics } from './portfolio-metrics';
import { strategyMetrics } from './strategy-metrics';

const ownMetrics: readonly Metric[] = [
  {
    kind: 'gauge',
    name: 'daemon_info',
    help: 'Version of the daemon; always 1.',
    labels: ['version'],
    samples: () => [[{ version }, 1]],
  },
  {
    kind: 'gauge',
    name: 'daemon_uptime_seconds',
    help: 'Seconds since the daemon started.',
    labels: [],
    samples: ({ uptimeMs }) => [[{}, uptimeMs / 1_000]],
  },
  {
    kind: 'gauge',
    name: 'daemon_degraded',
    help: '1 while /health reports the condition degraded.',
    labels: [],
    samples: (deployed) => [[{}, problemsOf(deployed).length === 0 ? 0 : 1]],
  },
  {
    kind: 'gauge',
    name: 'daemon_problems',
    help: 'Number of problems that /health reports.',
    labels: [],
    samples: (deployed) => [[{}, problemsOf(deployed).length]],
  },
  {
    kind: 'gauge',
    name: 'daemon_strategies',
    help: 'Number of strategies by state.',
    labels: ['state'],
    samples: ({ strategies }) =>
      strategyStates.map((state): Sample => [{ state }, strategies.filter((one) => one.state === state).length]),
  },
  {
    kind: 'gauge',
    name: 'daemon_config_last_reload_successful',
    help: '1 if the last configuration reload was applied completely, or if none was requested.',
    labels: [],
    samples: ({ configuration: { lastReload } }) => [
      [{}, lastReload === null || lastReload.outcome === 'applied' ? 1 : 0],
    ],
  },
  {
    kind: 'gauge',
    name: 'daemon_config_loaded_time_seconds',
    help: 'Time at which the active configuration was read.',
    labels: [],
    samples: ({ configuration }) => [[{}, configuration.loadedMs / 1_000]],
  },
  {
    kind: 'gauge',
    name: 'daemon_config_version',
    help: 'Version of the active configuration, if it is that of the database of a fleet.',
    labels: [],
    samples: ({ configuration }) => [[{}, configuration.version ?? undefined]],
  },
  {
    kind: 'counter',
    name: 'daemon_persistence_failures_total',
    help: 'Failed writes of state.',
    labels: [],
    samples: ({ strategies, portfolios }) => {
      const all = [...strategies.map(({ trading }) => trading), ...portfolios];
      return [[{}, all.reduce((sum, { persistence }) => sum + persistence.failedWrites, 0)]];
    },
  },
];

/** Registers the values of the control port as metrics; they are read from memory at each scrape. */
export function registerDaemonMetrics(deployed: Deployed, registry: MetricsRegistry): void {
  for (const metric of [...ownMetrics, ...leaseMetrics, ...gatewayMetrics, ...portfolioMetrics, ...strategyMetrics]) {
    register(metric, deployed, registry);
  }
}

/** The control port's values as metrics. */
@Injectable()
export class DaemonMetrics {
  constructor(@Inject(Daemon) daemon: Deployed, registry: MetricsRegistry) {
    registerDaemonMetrics(daemon, registry);
  }
}

/** Of a host of a fleet; without a database they have no samples. */
const leaseMetrics: readonly Metric[] = [
  {
    kind: 'gauge',
    name: 'daemon_leases',
    help: 'Leases that this host holds.',
    labels: [],
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
    kind: 'counter',
    name: 'daemon_leases_taken_total',
    help: 'Strategies and portfolios taken over.',
    labels: [],
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

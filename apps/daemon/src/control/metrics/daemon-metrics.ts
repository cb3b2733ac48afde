import { Inject, Injectable } from '@nestjs/common';
import { MetricsRegistry } from '@libs/metrics';
import { version } from '../../../../../package.json';
import { Daemon } from '../../daemon';
import { strategyStates } from '../../strategies/strategy-state';
import type { Deployed } from '../deployed';
import { problemsOf } from '../problems';
import { leaseMetrics } from './lease-metrics';
import { gatewayMetrics } from './gateway-metrics';
import { register, type Metric, type Sample } from './metric';
import { portfolioMetrics } from './portfolio-metrics';
import { strategyMetrics } from './strategy-metrics';

const ownMetrics: readonly Metric[] = [
  {
    ...{ kind: 'gauge', name: 'daemon_info', help: 'Version of the daemon; always 1.', labels: ['version'] },
    samples: () => [[{ version }, 1]],
  },
  {
    ...{ kind: 'gauge', name: 'daemon_uptime_seconds', help: 'Seconds since the daemon started.', labels: [] },
    samples: ({ uptimeMs }) => [[{}, uptimeMs / 1_000]],
  },
  {
    ...{ kind: 'gauge', name: 'daemon_degraded', help: '1 while /health reports the condition degraded.', labels: [] },
    samples: (deployed) => [[{}, problemsOf(deployed).length === 0 ? 0 : 1]],
  },
  {
    ...{ kind: 'gauge', name: 'daemon_problems', help: 'Number of problems that /health reports.', labels: [] },
    samples: (deployed) => [[{}, problemsOf(deployed).length]],
  },
  {
    ...{ kind: 'gauge', name: 'daemon_strategies', help: 'Number of strategies by state.', labels: ['state'] },
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
    ...{
      kind: 'gauge',
      name: 'daemon_config_loaded_time_seconds',
      help: 'Time at which the active configuration was read.',
      labels: [],
    },
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
    ...{ kind: 'counter', name: 'daemon_persistence_failures_total', help: 'Failed writes of state.', labels: [] },
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

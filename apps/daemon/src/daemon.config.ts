import { hostname } from 'node:os';
import {
  SettingRefused,
  choice,
  decimal,
  integer,
  list,
  misspeltSettings,
  readSettings,
  requireWebAddress,
  text,
  type SettingsOf,
} from '@libs/settings';
import { hostLabel, hostLabelShape } from './daemon-file/host-labels';

const offWords = ['false', '0', 'off', 'no'];

/** Every environment variable of the daemon; flags of the command line win over them. */
export const daemonSettings = {
  DAEMON_CONFIG: text({
    meaning:
      'Configuration file (`--config`). With a database and neither of them: the version that `daemon apply` has stored, if there is one.',
    defaultText: 'daemon.yaml',
  }),
  DAEMON_STATE_DIR: text({
    meaning: 'Folder of the state (`--state-dir`).',
    default: '.data/daemon',
  }),
  DAEMON_CONTROL_PORT: integer({
    meaning: 'Control port; 0 picks a free one (`--control-port`).',
    default: 0,
    min: 0,
    max: 65_535,
  }),
  DAEMON_CONTROL_HOST: text({
    meaning: 'Address that the control port listens on (`--control-host`).',
    default: '127.0.0.1',
  }),
  DAEMON_CONTROL_TOKEN: text({
    meaning: 'Bearer token of every route of the control port but /health.',
    secret: true,
    pattern: /^\S+$/,
    shape: 'a value without spaces',
  }),
  DAEMON_ALLOWED_HOSTS: list({
    meaning:
      'Further host names, without a port, that a request on loopback may have in Host; others than these and localhost, 127.0.0.1 and [::1] are 403.',
    check: (name) => {
      if (!/^[A-Za-z0-9.-]+$/.test(name)) throw new SettingRefused('must list host names without a port');
    },
  }),
  DAEMON_LATENCY_TRACKING: text({
    meaning: '1 tracks latency.',
    isAnyText: true,
    default: '',
    defaultText: 'unset (off)',
  }),
  DAEMON_METRICS_PROMETHEUS: text({
    meaning: 'false, 0, off or no, in any letter case, disable GET /metrics.',
    isAnyText: true,
    default: '',
    defaultText: 'unset (on)',
  }),
  DAEMON_WATCHDOG_MS: integer({
    meaning: 'Maximum time for one event of a strategy, in milliseconds; then its thread is ended.',
    default: 5_000,
    min: 100,
    max: 600_000,
  }),
  DAEMON_MAX_HEAP_MB: integer({
    meaning: 'Maximum heap of one strategy thread, in MiB.',
    default: 64,
    min: 16,
    max: 4_096,
  }),
  DAEMON_BAR_WAIT_SECONDS: decimal({
    meaning:
      "Maximum time for which the bars of one instant wait for those of the strategy's other streams, in seconds.",
    default: 2,
    min: 0,
    max: 60,
  }),
  DAEMON_STATE_KEEP_DAYS: integer({
    meaning: 'Days for which closed tickets, settled intents and finished stacks are kept.',
    default: 30,
    min: 1,
    max: 36_500,
  }),
  DAEMON_DATABASE_URL: text({
    meaning:
      'PostgreSQL database of a [fleet](fleet.md). On another machine it needs sslmode=verify-full (or sslmode=disable, where the network encrypts).',
    secret: true,
    pattern: /^postgres(ql)?:\/\/\S+$/,
    shape: 'a URL that begins with postgres:// or postgresql://',
  }),
  DAEMON_HOST_NAME: text({
    meaning: 'Name of this host in the fleet.',
    defaultText: 'the host name of the system',
    pattern: /^[A-Za-z0-9._-]{1,100}$/,
    shape: 'up to 100 letters, digits, dots, dashes and underscores',
  }),
  DAEMON_CAPACITY: integer({
    meaning: 'Maximum number of standalone strategies and portfolios on this host of a fleet.',
    default: 1_000,
    min: 1,
    max: 10_000,
  }),
  DAEMON_LABELS: list({
    meaning: '[Labels](fleet.md#labels) of this host.',
    check: (label) => {
      if (!hostLabel.test(label)) throw new SettingRefused(`must list labels of ${hostLabelShape}`);
    },
  }),
  DAEMON_LEASE_SECONDS: integer({
    meaning: 'Duration of a [lease](fleet.md#what-is-guaranteed), in seconds. The same on all hosts.',
    default: 10,
    min: 3,
    max: 300,
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: text({
    meaning:
      'Base URL of an OpenTelemetry collector (OTLP over HTTP) for spans of decisions and trade requests; OTEL_EXPORTER_OTLP_HEADERS may hold its credentials.',
    defaultText: 'unset (no spans)',
    check: requireWebAddress,
  }),
  LOG_LEVEL: choice({
    meaning: 'Lowest level that is logged.',
    of: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    default: 'INFO',
  }),
} as const;

export type DaemonSettings = SettingsOf<typeof daemonSettings>;

/** @throws SettingsError naming every problem */
export function readDaemonSettings(env: NodeJS.ProcessEnv = process.env): DaemonSettings {
  return readSettings(daemonSettings, env);
}

/** As a start needs them: also no name may be misspelt. @throws SettingsError naming every problem */
export function readStartSettings(env: NodeJS.ProcessEnv = process.env): DaemonSettings {
  return readSettings(daemonSettings, env, () => misspeltSettings(daemonSettings, env));
}

/** Name of this host in a fleet. */
export function hostNameOf({ DAEMON_HOST_NAME }: Pick<DaemonSettings, 'DAEMON_HOST_NAME'>): string {
  return DAEMON_HOST_NAME ?? hostname();
}

/** Path of the configuration file. @param flag that of the command line */
export function configPath(flag: string | undefined, { DAEMON_CONFIG }: Pick<DaemonSettings, 'DAEMON_CONFIG'>): string {
  return flag ?? DAEMON_CONFIG ?? 'daemon.yaml';
}

/** {@link daemonSettings} `DAEMON_BAR_WAIT_SECONDS` in milliseconds. */
export function barWaitMs({
  DAEMON_BAR_WAIT_SECONDS: seconds,
}: Pick<DaemonSettings, 'DAEMON_BAR_WAIT_SECONDS'>): number {
  return Math.round(seconds * 1_000);
}

/** Whether the text exposition of the metrics is served. */
export function servesMetrics({ DAEMON_METRICS_PROMETHEUS: word }: DaemonSettings): boolean {
  return !offWords.includes(word.toLowerCase());
}

/** Whether latencies are tracked: only by exactly `1`. */
export function tracksLatency({ DAEMON_LATENCY_TRACKING: word }: DaemonSettings): boolean {
  return word === '1';
}

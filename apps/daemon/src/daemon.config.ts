import { SettingRefused, choice, integer, list, readSettings, text, type SettingsOf } from '@libs/settings';

const offWords = ['false', '0', 'off', 'no'];

/** Every environment variable of the daemon; flags of the command line win over them. */
export const daemonSettings = {
  DAEMON_CONFIG: text({ meaning: 'Configuration file, as --config.', default: 'daemon.yaml' }),
  DAEMON_STATE_DIR: text({
    meaning: 'Folder of everything the daemon keeps, as --state-dir.',
    default: '.data/daemon',
  }),
  DAEMON_CONTROL_PORT: integer({
    meaning: 'Port of the control surface, as --control-port; 0 takes a free one.',
    default: 0,
    min: 0,
    max: 65_535,
  }),
  DAEMON_CONTROL_HOST: text({
    meaning: 'Address the control surface listens on, as --control-host.',
    default: '127.0.0.1',
  }),
  DAEMON_CONTROL_TOKEN: text({
    meaning: 'Bearer credential of the control surface; without it there is none. /health never needs it.',
    secret: true,
    pattern: /^\S+$/,
    shape: 'free of blanks',
  }),
  DAEMON_ALLOWED_HOSTS: list({
    meaning:
      'Names beside localhost, 127.0.0.1 and [::1] by which clients may reach ports on loopback, without a port. A request with another Host is 403.',
    check: (name) => {
      if (!/^[A-Za-z0-9.-]+$/.test(name)) throw new SettingRefused('must list host names without a port');
    },
  }),
  DAEMON_LATENCY_TRACKING: text({
    meaning: 'Latency tracking is on when this is 1.',
    default: '',
    defaultText: 'unset (off)',
  }),
  DAEMON_METRICS_PROMETHEUS: text({
    meaning: 'GET /metrics is left out when this is false, 0, off or no, in any case.',
    default: '',
    defaultText: 'unset (on)',
  }),
  DAEMON_WATCHDOG_MS: integer({
    meaning: 'How long a strategy may take over one event before its thread is ended, in milliseconds.',
    default: 5_000,
    min: 100,
    max: 600_000,
  }),
  DAEMON_MAX_HEAP_MB: integer({
    meaning: 'Heap of one strategy thread, in MiB.',
    default: 64,
    min: 16,
    max: 4_096,
  }),
  DAEMON_STATE_KEEP_DAYS: integer({
    meaning: 'Days for which closed tickets, finished intents and stacks that are over are remembered.',
    default: 30,
    min: 1,
    max: 36_500,
  }),
  LOG_LEVEL: choice({
    meaning: 'Least grave level that is logged.',
    of: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    default: 'INFO',
  }),
} as const;

export type DaemonSettings = SettingsOf<typeof daemonSettings>;

/** @throws SettingsError naming every problem */
export function readDaemonSettings(env: NodeJS.ProcessEnv = process.env): DaemonSettings {
  return readSettings(daemonSettings, env);
}

/** Whether the text exposition of the metrics is served (spec: daemon, built-in /metrics rules). */
export function servesMetrics({ DAEMON_METRICS_PROMETHEUS: word }: DaemonSettings): boolean {
  return !offWords.includes(word.toLowerCase());
}

/** Whether latencies are tracked: only by exactly `1` (spec: daemon, latency object). */
export function tracksLatency({ DAEMON_LATENCY_TRACKING: word }: DaemonSettings): boolean {
  return word === '1';
}

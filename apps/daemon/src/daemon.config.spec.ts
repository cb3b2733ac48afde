import { readDaemonSettings, servesMetrics } from './daemon.config';

it.each([
  ...['false', '0', 'OFF', 'No'].map((word) => [word, false] as const),
  ...['true', '1', 'on', ''].map((word) => [word, true] as const),
])('DAEMON_METRICS_PROMETHEUS=%s: the metrics are served: %s', (word, isServed) => {
  expect(servesMetrics(readDaemonSettings({ DAEMON_METRICS_PROMETHEUS: word }))).toBe(isServed);
});

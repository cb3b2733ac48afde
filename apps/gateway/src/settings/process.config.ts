import { choice, flag, integer, seconds, text, requireWebAddress } from '@libs/settings';
import { hostAndPort, keyForm } from './setting-forms';

/** The process, the bridge and the journal. */
export const processSettings = {
  API_KEY_NEXT: text({
    meaning: 'A second key with the rights of API_KEY, for a change of the key.',
    ...keyForm,
  }),
  API_KEY_READONLY: text({
    meaning: 'Key that permits reading only; a request that would change something is 403.',
    ...keyForm,
  }),
  TERMINAL_API_HOST: text({ meaning: 'Address that the API listens on.', default: '127.0.0.1' }),
  TERMINAL_PROBE_PORT: integer({
    meaning: 'Second port, which answers only GET /ready and /live, without key and details; 0 picks a free one.',
    min: 0,
    max: 65_535,
    defaultText: 'unset (off)',
  }),
  TERMINAL_DRIVER: choice({
    meaning: 'Terminal behind the API: the simulated broker, or that of a bridge.',
    of: ['simulator', 'bridge'],
    default: 'simulator',
  }),
  TERMINAL_HOST: flag({
    meaning: 'Start and supervise the real terminal, as the terminal image does.',
    default: false,
  }),
  TERMINAL_BRIDGE_ADDR: text({
    meaning: 'Address of the bridge.',
    default: '127.0.0.1:18812',
    ...hostAndPort,
  }),
  TERMINAL_LINK_ADDR: text({
    meaning: 'Address of a relay to the bridge, as that of `npm run verify:terminal`.',
    defaultText: 'TERMINAL_BRIDGE_ADDR',
    ...hostAndPort,
  }),
  TERMINAL_BRIDGE_TOKEN: text({ meaning: 'Token that the bridge requires.', secret: true }),
  TERMINAL_CALL_TIMEOUT_MS: integer({
    meaning: 'Deadline of a read from the terminal, in milliseconds.',
    default: 10_000,
    min: 100,
    max: 600_000,
  }),
  TERMINAL_TRADE_TIMEOUT_MS: integer({
    meaning: 'Deadline of a send, in milliseconds; then its outcome is unknown.',
    default: 20_000,
    min: 500,
    max: 600_000,
  }),
  IDEMPOTENCY_TTL_SECONDS: seconds({
    meaning:
      'Time for which the answer to a settled request is replayed unchanged, and a refused key stays bound to its parameters. ' +
      'Only time while the gateway runs counts. Keys are kept for 100 days in any case.',
    default: 86_400,
    min: 60,
    max: 31_536_000,
  }),
  FILL_CONFIRM_TIMEOUT_MS: integer({
    meaning: "Maximum time to look up the price of a fill that the broker's answer lacks, in milliseconds.",
    default: 3_000,
    min: 0,
    max: 60_000,
  }),
  FILL_CONFIRM_POLL_MS: integer({ meaning: 'Milliseconds between these look-ups.', default: 200, min: 1, max: 60_000 }),
  NOTIFIER_FILE: text({
    meaning: 'YAML file of [alerts](alerts.md): channels and rules.',
    defaultText: 'unset (no alerts)',
  }),
  SIGNALS_FILE: text({
    meaning: 'YAML file of the sources of [signals](signals.md), such as TradingView.',
    defaultText: 'unset (no signals)',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: text({
    meaning:
      'Base URL of an OpenTelemetry collector (OTLP over HTTP) for spans of trade requests; OTEL_EXPORTER_OTLP_HEADERS may hold its credentials.',
    defaultText: 'unset (no spans)',
    check: requireWebAddress,
  }),
  STATE_DIR: text({
    meaning:
      'Folder of the trade journal, trade events, recorded equity, queued alerts, received signals and the last server-time offset.',
    defaultText: 'folder of ORDER_AUDIT_FILE',
  }),
  TRADE_RECORDING: flag({
    meaning:
      'Write each event of the trade core and its decision to STATE_DIR/trade-recording.jsonl, for a report of a defect. The file has idempotency keys, accounts and prices of your orders, no API key and no password.',
    default: false,
  }),
  SHUTDOWN_DRAIN_SECONDS: seconds({
    meaning: 'Time between reporting not ready and closing the sockets at a shutdown.',
    default: 0.5,
    min: 0,
    max: 300,
  }),
};

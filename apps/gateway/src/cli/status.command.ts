import { duration, table } from '@libs/command-line';
import type { HealthReport, ReadinessReport } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { exitCodes } from './exit-codes';

/** `gateway status`: the state of the gateway; not fine unless it is ready and healthy. */
export async function status(call: CommandCall): Promise<number> {
  const { client, flags, out } = call;
  const [health, readiness, { first_seq, last_seq }] = await Promise.all([
    client.reads.health(),
    client.reads.healthReady(),
    client.reads.events({ limit: 1 }),
  ]);
  const events = { first_seq, last_seq };
  if (flags.json) printJson(call, { health, readiness, events });
  else out(statusText(health, readiness, events));
  return readiness.status === 'ready' && health.status === 'healthy' ? exitCodes.fine : exitCodes.attention;
}

function statusText(health: HealthReport, readiness: ReadinessReport, events: LoggedEvents): string {
  const { journal, audit, kill_switch_file: file, server_time: time, connection } = health;
  const down = downChecks(readiness);
  const rows = [
    ['status', down.length === 0 ? readiness.status : `${readiness.status}: ${down.join(', ')}`],
    ['health', health.status],
    ['account', health.account ?? 'none'],
    ['terminal', `${health.terminal_status}, ${connection.driver}, since ${connection.since}`],
    ['account data', evidenceText(health)],
    ...(health.differences ?? []).map(({ message, since }) => ['difference', `${message}, since ${since}`]),
    ['problem', connection.problem ?? null],
    ['terminal host', hostText(health)],
    ['last error', health.last_error === null ? null : `${health.last_error.code} ${health.last_error.message}`],
    ['kill switch', `${health.kill_switch_active ? 'active' : 'inactive'}, file ${withReason(file.state, file.error)}`],
    ['journal', withReason(journal.state, journal.reason)],
    ['trade events', eventsText(events)],
    ['audit log', withReason(audit.state, audit.error ?? audit.missing ?? null)],
    ['server time', time.offset_seconds === null ? 'unknown' : `UTC ${signed(time.offset_seconds)} s, ${time.source}`],
    ...health.limits.map(({ setting, symbol, value, limit }) => [
      symbol === null ? setting : `${setting} ${symbol}`,
      `${value ?? 'unknown'} of ${limit}`,
    ]),
    ['missing settings', health.missing_settings.length === 0 ? null : health.missing_settings.join(', ')],
    ['key', health.api_key === 'read_only' ? 'read-only' : 'full'],
    ['version', `${health.version}, up ${duration(health.uptime_seconds * 1_000)}`],
  ];
  return table(['WHAT', 'STATE'], rows);
}

/** The readiness checks that are down; what cannot be judged without a session is not. */
export function downChecks({ checks }: ReadinessReport): string[] {
  return Object.entries(checks)
    .filter(([, check]) => check.status !== 'up' && check.status !== 'unknown')
    .map(([name]) => name);
}

/** Null from a gateway of an earlier version. */
function evidenceText({ account_evidence: evidence }: HealthReport): string | null {
  if (evidence === undefined) return null;
  const messages = evidence.unexplained.map(({ message }) => message).join('; ');
  return withReason(evidence.state, messages === '' ? null : messages);
}

/** Null if the gateway runs no terminal, or its account is logged in. */
function hostText({ terminal_host: host }: HealthReport): string | null {
  return host === null || host.state === 'logged_in' ? null : withReason(host.state, host.message);
}

interface LoggedEvents {
  readonly first_seq: number;
  readonly last_seq: number;
}

/** The numbers for `gateway watch --since`. */
function eventsText({ first_seq: first, last_seq: last }: LoggedEvents): string {
  return first > last ? `none, the next is #${first}` : `#${first} to #${last}`;
}

function withReason(state: string, reason: string | null): string {
  return reason === null ? state : `${state} (${reason})`;
}

function signed(seconds: number): string {
  return seconds < 0 ? String(seconds) : `+${seconds}`;
}

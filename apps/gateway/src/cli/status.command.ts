import { duration, table } from '@libs/command-line';
import type { HealthReport, ReadinessReport } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { exitCodes, partOf, type Part } from './exit-codes';

/** `gateway status`: the state of the gateway; not fine unless it is ready and healthy. */
export async function status(call: CommandCall): Promise<number> {
  const { client, flags, out } = call;
  const health = await client.reads.health();
  const [readiness, log] = await Promise.all([
    partOf(client.reads.healthReady()),
    partOf(client.reads.events({ limit: 1 })),
  ]);
  const events = 'read' in log ? { read: { first_seq: log.read.first_seq, last_seq: log.read.last_seq } } : log;
  if (flags.json) printJson(call, { health, readiness: plain(readiness), events: plain(events) });
  else out(statusText(health, readiness, events));
  const isReady = 'read' in readiness && readiness.read.status === 'ready';
  return isReady && 'read' in events && health.status === 'healthy' ? exitCodes.fine : exitCodes.attention;
}

/** For programs: the part itself, or an object with the problem. */
function plain<T>(part: Part<T>): T | { readonly problem: string } {
  return 'read' in part ? part.read : part;
}

function statusText(health: HealthReport, readiness: Part<ReadinessReport>, events: Part<LoggedEvents>): string {
  const { journal, audit, kill_switch_file: file, server_time: time, connection } = health;
  const rows = [
    ['status', 'read' in readiness ? readyText(readiness.read) : readiness.problem],
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
    ['trade events', 'read' in events ? eventsText(events.read) : events.problem],
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

function readyText(readiness: ReadinessReport): string {
  const down = downChecks(readiness);
  return down.length === 0 ? readiness.status : `${readiness.status}: ${down.join(', ')}`;
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

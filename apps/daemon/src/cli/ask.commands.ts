import { duration, parseArguments, table, UsageError } from '@libs/command-line';
import { mostLogLines, type LogLines } from '../logs/log-book';
import { ask, askingFlags, followText, pathOf } from './control-client';

type Row = Readonly<Record<string, unknown>>;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** `daemon list`: lists the deployed strategies and portfolios. */
export async function list(args: readonly string[]): Promise<void> {
  const { flags } = parseArguments(args, askingFlags);
  const rows = await ask<readonly Row[]>('/list', flags);
  if (flags.json) return print(JSON.stringify(rows, null, 2));
  const cells = rows.map((row) => [
    row['name'],
    row['kind'],
    row['state'],
    row['trades'],
    duration(Number(row['uptimeMs'])),
  ]);
  print(table(['NAME', 'KIND', 'STATE', 'TRADES', 'UPTIME'], cells));
}

/** `daemon status [NAME]`: shows positions, results and state. */
export async function status(args: readonly string[]): Promise<void> {
  const { flags, words } = parseArguments(args, askingFlags, ['[NAME]']);
  const [name] = words;
  const body = await ask<Row | readonly Row[]>(name === undefined ? '/status' : `/status/${pathOf(name)}`, flags);
  if (flags.json) return print(JSON.stringify(body, null, 2));
  const rows = Array.isArray(body) ? (body as readonly Row[]) : [body as Row];
  const cells = rows.map((row) => [
    ...[row['name'], row['haltReason'] ?? row['problem'] ?? doubtOf(row) ?? row['state'], row['equity'], row['realized']],
    ...[row['unrealized'], positionsOf(row), row['trades'], row['missedBars']],
  ]);
  print(table(['NAME', 'STATE', 'EQUITY', 'REALIZED', 'UNREALIZED', 'POSITIONS', 'TRADES', 'MISSED BARS'], cells));
  if (name !== undefined) return;
  const health = await ask<HealthBody>('/health', flags);
  print(`\n${accounts(health)}`);
  if (health.problems.length > 0) print(`\n${health.problems.join('\n')}`);
}

interface HealthBody {
  readonly problems: readonly string[];
  readonly gateways: readonly (Row & {
    readonly account: (Row & { readonly strategies: Row | null; readonly unattributed: Row | null }) | null;
  })[];
}

/** Attribution of each account's balance. */
function accounts({ gateways }: HealthBody): string {
  const cells = gateways.map(({ account, ...gateway }) => [
    ...[gateway['name'], stateOf(gateway), account?.['login'], account?.['currency'], account?.['balance']],
    ...[account?.['equity'], account?.strategies?.['realized'], account?.unattributed?.['balance']],
    ...[account?.unattributed?.['unrealized'], account?.['problem']],
  ]);
  const money = ['BALANCE', 'EQUITY', 'STRATEGIES', 'UNATTRIBUTED', 'FLOATING', 'PROBLEM'];
  return table(['GATEWAY', 'STATE', 'ACCOUNT', 'CURRENCY', ...money], cells);
}

/** Why entries wait for an account of the strategy; null while they do not. */
function doubtOf({ accounts: seen }: Row): unknown {
  const reasons = Array.isArray(seen) ? (seen as readonly Row[]).map(({ reason }) => reason) : [];
  return reasons.find((reason) => typeof reason === 'string') ?? null;
}

function stateOf({ reachable, ready, state }: Row): string {
  if (reachable !== true) return 'away';
  if (state === 'synchronizing') return state;
  return ready === true ? 'ready' : 'not ready';
}

const logFlags = {
  ...askingFlags,
  lines: { upTo: mostLogLines },
  level: 'text',
  since: 'text',
  follow: 'switch',
} as const;

/**
 * `daemon logs NAME`: prints the last lines, or the first lines after `--since`; `--follow` continues with new lines.
 */
export async function logs(args: readonly string[]): Promise<void> {
  const { flags, words } = parseArguments(args, logFlags, ['NAME'], { f: 'follow' });
  const [name] = words;
  if (name === undefined) throw new UsageError('logs needs a strategy name');
  if (flags.follow && flags.json) throw new UsageError('--follow cannot be combined with --json');
  const query = new URLSearchParams({ lines: String(flags.lines ?? 200), level: flags.level ?? 'debug' });
  if (flags.since !== undefined) query.set('since', flags.since);
  if (flags.follow) query.set('follow', 'true');
  const path = `/logs/${pathOf(name)}?${query.toString()}`;
  if (flags.follow) return followText(path, flags, process.stdout);
  const body = await ask<LogLines>(path, flags);
  if (flags.json) return print(JSON.stringify(body, null, 2));
  if (body.linesRemoved) process.stderr.write('older lines were removed by rotation\n');
  if (body.lines.length > 0) print(body.lines.join('\n'));
}

interface LatencyBody {
  readonly enabled: boolean;
  readonly strategies: Readonly<Record<string, Readonly<Record<string, Row>>>>;
}

/** `daemon latency`: prints the latency of each stage in microseconds. */
export async function latency(args: readonly string[]): Promise<void> {
  const { flags } = parseArguments(args, askingFlags);
  const body = await ask<LatencyBody>('/latency', flags);
  if (flags.json) return print(JSON.stringify(body, null, 2));
  if (!body.enabled) return print('Latency tracking is off; start the daemon with DAEMON_LATENCY_TRACKING=1.');
  const cells = Object.entries(body.strategies).flatMap(([name, stages]) =>
    Object.entries(stages).map(([stage, row]) => [
      ...[name, stage, row['count']],
      ...['p50Nanos', 'p95Nanos', 'p99Nanos', 'maxNanos'].map((member) => Math.round(Number(row[member]) / 1_000)),
    ]),
  );
  print(table(['NAME', 'STAGE', 'COUNT', 'P50 µs', 'P95 µs', 'P99 µs', 'MAX µs'], cells));
}

/** Number of positions of the strategy, or of the portfolio's children; null while it is unknown. */
function positionsOf({ positions, children }: Row): number | null {
  if (Array.isArray(positions)) return positions.length;
  if (!Array.isArray(children)) return null;
  const counts = (children as readonly Row[]).map(positionsOf);
  return counts.reduce<number | null>((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

import { duration, table, UsageError } from '@libs/command-line';
import { moneyText, priceText, volumeText } from '@libs/gateway-client';
import { type LogLines } from '../logs/log-book';
import { ask, followText, pathOf } from './control-client';
import { argumentsOf, commands } from './commands';

type Row = Readonly<Record<string, unknown>>;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** `daemon list`: lists the deployed strategies and portfolios. */
export async function list(args: readonly string[]): Promise<void> {
  const { flags } = argumentsOf(commands.list, args);
  const rows = await ask<readonly Row[]>('/list', flags);
  if (flags.json) return print(JSON.stringify(rows, null, 2));
  const cells = rows.map((row) => [
    row['name'],
    row['kind'],
    row['state'],
    row['trades'],
    duration(Number(row['uptimeMs'])),
  ]);
  print(table(['NAME', 'KIND', 'STATE', 'DEALS', 'UPTIME'], cells));
}

/** `daemon status [NAME]`: shows positions, results and state. */
export async function status(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.status, args);
  const [name] = words;
  const body = await ask<Row | readonly Row[]>(name === undefined ? '/status' : `/status/${pathOf(name)}`, flags);
  if (flags.json) return print(JSON.stringify(body, null, 2));
  const rows = Array.isArray(body) ? (body as readonly Row[]) : [body as Row];
  print(statusText(rows, Date.now()));
  if (name !== undefined) return;
  const health = await ask<HealthBody>('/health', flags);
  print(`\n${accounts(health)}`);
  if (health.problems.length > 0) print(`\n${health.problems.join('\n')}`);
}

/** `daemon positions [NAME]`: lists the open positions with their side, stops and trailing stops. */
export async function positions(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.positions, args);
  const [name] = words;
  const body = await ask<Row | readonly Row[]>(name === undefined ? '/status' : `/status/${pathOf(name)}`, flags);
  // The rows of a portfolio have those of its children.
  const rows = (Array.isArray(body) ? (body as readonly Row[]) : [body as Row]).filter(
    ({ kind }) => name !== undefined || kind !== 'child',
  );
  const open = rows.flatMap((row) => row['positions'] as readonly Row[]);
  if (flags.json) return print(JSON.stringify(open, null, 2));
  print(positionsText(rows));
}

/** The table of `daemon positions`. @param rows of the status, with their positions */
export function positionsText(rows: readonly Row[]): string {
  const open = rows.flatMap(({ positions: own, currencyDigits }) =>
    (own as readonly Row[]).map((one): Row => ({ ...one, currencyDigits })),
  );
  if (open.length === 0) return 'no open positions';
  const cells = open.map((row) => [
    ...[row['strategy'], row['broker'], row['ticket'], row['symbol'], row['side'], volume(row['volume'])],
    ...['avgPrice', 'sl', 'tp', 'trail'].map((name) => price(row[name], row['digits'])),
    ...[money(row['unrealized'], row['currencyDigits']), row['openedAt']],
  ]);
  const prices = ['VOLUME', 'OPEN', 'SL', 'TP', 'TRAIL', 'UNREALIZED', 'SINCE'];
  return table(['STRATEGY', 'GATEWAY', 'TICKET', 'SYMBOL', 'SIDE', ...prices], cells);
}

/** The table of `daemon status`. @param nowMs for the age of each account; it grows while its gateway is away */
export function statusText(rows: readonly Row[], nowMs: number): string {
  const cells = rows.map((row) => {
    const readMs = typeof row['accountAsOf'] === 'string' ? Date.parse(row['accountAsOf']) : null;
    return [
      ...[row['name'], row['state'], row['haltReason'] ?? row['problem'] ?? doubtOf(row), amount(row, 'equity')],
      ...[readMs === null ? null : `${duration(Math.max(0, nowMs - readMs))} ago`],
      ...[amount(row, 'realized'), amount(row, 'unrealized'), positionsOf(row), row['trades'], row['missedBars']],
    ];
  });
  const figures = ['EQUITY', 'READ', 'REALIZED', 'UNREALIZED', 'POSITIONS', 'DEALS', 'MISSED BARS'];
  return table(['NAME', 'STATE', 'REASON', ...figures], cells);
}

/** With the decimals of its currency, two where a daemon does not state them; null while it is unknown. */
function money(value: unknown, digits: unknown): string | null {
  return typeof value === 'number' ? moneyText(value, typeof digits === 'number' ? digits : undefined) : null;
}

function amount(row: Row, name: string): string | null {
  return money(row[name], row['currencyDigits']);
}

function price(value: unknown, digits: unknown): string | null {
  return typeof value === 'number' ? priceText(value, typeof digits === 'number' ? digits : undefined) : null;
}

function volume(lots: unknown): string | null {
  return typeof lots === 'number' ? volumeText(lots) : null;
}

interface HealthBody {
  readonly problems: readonly string[];
  readonly gateways: readonly (Row & {
    readonly account: (Row & { readonly strategies: Row | null; readonly unattributed: Row | null }) | null;
  })[];
}

/** Attribution of each account's balance. */
function accounts({ gateways }: HealthBody): string {
  const cells = gateways.map(({ account, ...gateway }) => {
    const sum = (value: unknown): string | null => money(value, account?.['currencyDigits']);
    return [
      ...[gateway['name'], stateOf(gateway), account?.['login'], account?.['currency'], sum(account?.['balance'])],
      ...[sum(account?.['equity']), sum(account?.strategies?.['realized']), sum(account?.unattributed?.['balance'])],
      ...[sum(account?.unattributed?.['unrealized']), account?.['problem'] ?? gateway['lastError']],
    ];
  });
  const sums = ['BALANCE', 'EQUITY', 'REALIZED BY STRATEGIES', 'UNATTRIBUTED', 'FLOATING', 'PROBLEM'];
  return table(['GATEWAY', 'STATE', 'ACCOUNT', 'CURRENCY', ...sums], cells);
}

/** Why entries wait for an account of the strategy; null while they do not. */
function doubtOf({ accounts: seen }: Row): unknown {
  const reasons = Array.isArray(seen) ? (seen as readonly Row[]).map(({ reason }) => reason) : [];
  return reasons.find((reason) => typeof reason === 'string') ?? null;
}

function stateOf({ reachable, ready, state, notReady }: Row): string {
  if (reachable !== true) return 'away';
  if (state === 'synchronizing') return state;
  if (ready === true) return 'ready';
  return typeof notReady === 'string' ? `not ready: ${notReady}` : 'not ready';
}

/**
 * `daemon logs NAME`: prints the last lines, or the first lines after `--since`; `--follow` continues with new lines.
 */
export async function logs(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.logs, args);
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
  const { flags } = argumentsOf(commands.latency, args);
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

import type { DealRecord } from '@libs/gateway-client';
import { moneyOfAny } from './figures';

/** A strategy or a portfolio as the daemon reports it. */
export type StrategyRow = Readonly<Record<string, unknown>>;

/** The row of that name, also that of a portfolio's child; undefined if there is none. */
export function strategyNamed(rows: readonly StrategyRow[], name: string): StrategyRow | undefined {
  return rows.flatMap((row) => [row, ...childrenOf(row)]).find((row) => row['name'] === name);
}

/** The strategies of a portfolio; empty for a strategy. */
export function childrenOf(row: StrategyRow): readonly StrategyRow[] {
  return rowsIn(row, 'children');
}

/** The rows under a member; empty if the daemon did not send them. */
export function rowsIn(row: StrategyRow, member: string): readonly StrategyRow[] {
  const { [member]: rows } = row;
  return Array.isArray(rows) ? rows.filter(isRow) : [];
}

/** What a strategy is worth and how it runs, each with its name. A figure that the daemon does not know is not a zero. */
export function factsOf(row: StrategyRow, digits?: number): readonly (readonly [name: string, value: string])[] {
  const known = believed(row);
  return [
    ...(['balance', 'equity', 'realized', 'unrealized', 'capital'] as const).map(
      (name) => [`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, moneyText(known[name], digits)] as const,
    ),
    ['Deals', valueText(row['trades'])],
    ['Errors', valueText(row['errors'])],
    ['Restarts', valueText(row['restarts'])],
  ];
}

/** When it was started, to the minute; empty if the daemon does not know. */
export function startText({ startedAt }: StrategyRow): string {
  return isNothing(startedAt) ? '' : `started ${timeText(startedAt).slice(0, 16)} UTC`;
}

/** Why what its account shows may not be believed now; null if it may. */
export function accountDoubt(row: StrategyRow): string | null {
  const doubted = rowsIn(row, 'accounts').filter(({ state, reason }) => state !== 'connected' || !isNothing(reason));
  if (doubted.length === 0) return null;
  const reasons = doubted.map(
    ({ gateway, state, reason }) => `${valueText(gateway)}: ${valueText(isNothing(reason) ? state : reason)}`,
  );
  const { accountAsOf } = row;
  const read = isNothing(accountAsOf) ? 'were not read' : `are of ${timeText(accountAsOf)} UTC`;
  return `Its account is not explained (${reasons.join('; ')}). Its positions ${read}; its equity is not known.`;
}

/** The row without its open positions and what they are worth, while its account may not be believed. */
export function believed(row: StrategyRow): StrategyRow {
  return accountDoubt(row) === null ? row : { ...row, equity: null, unrealized: null, positions: null };
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** What it is configured with: its magic and streams, then its parameters. */
export function settingsOf(row: StrategyRow): readonly (readonly [name: string, value: string])[] {
  const magic: [string, unknown][] = typeof row['magic'] === 'number' ? [['Magic', row['magic']]] : [];
  return [...magic, ...entriesOf(row['streams']), ...entriesOf(row['params'])].map(([name, value]) => [
    ...([name, valueText(value)] as const),
  ]);
}

/** Why it is halted and since when; null if it is not. */
export function haltText(row: StrategyRow): string | null {
  if (row['halted'] !== true) return null;
  const since = typeof row['haltedAt'] === 'string' ? ` since ${timeText(row['haltedAt'])}` : '';
  return `Halted${since}: ${valueText(row['haltReason'])}`;
}

/**
 * The deals of a strategy on this gateway, if they are its own: it may trade through another gateway, where the same magic is another
 * strategy's. The newest of them has to be the last trade that the daemon booked.
 * @returns null if that is not known
 */
export function ownDeals<Deal extends Pick<DealRecord, 'time_utc' | 'symbol' | 'price'>>(
  row: StrategyRow,
  deals: readonly Deal[],
): readonly Deal[] | null {
  const { lastTrade } = row;
  if (!isRow(lastTrade) || rowsIn(row, 'accounts').length > 1) return null;
  const { timestamp, symbol, price } = lastTrade;
  const isBooked = (deal: Deal): boolean =>
    deal.time_utc === timestamp && deal.symbol === symbol && deal.price === price;
  return deals.some(isBooked) ? deals : null;
}

/** The parts of a line of the daemon's log: what happened, and the data that belongs to it. */
export function logLineOf(line: string): Readonly<Record<'time' | 'level' | 'text' | 'data', string>> {
  const [, time = '', level = '', rest = line] = /^(\S+Z) ([A-Z]+) (.*)$/s.exec(line) ?? [];
  const [, text = rest, data = ''] = /^(.*?) (\{.*\})$/s.exec(rest) ?? [];
  return { time, level, text, data: dataText(data) };
}

/** Identities and times that the line has already, or that only a developer looks up. */
const internal: ReadonlySet<string> = new Set(['trace_id', 'intentId', 'timeMs']);

/** Names and values, without those that are null or internal. */
function dataText(json: string): string {
  try {
    const known = entriesOf(JSON.parse(json)).filter(([name, value]) => value !== null && !internal.has(name));
    return known.map(([name, value]) => `${name}=${valueText(value)}`).join(' ');
  } catch {
    return json;
  }
}

/** A value of the daemon in words. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'not known';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function moneyText(value: unknown, digits?: number): string {
  return typeof value === 'number' ? moneyOfAny(value, digits) : 'not known';
}

/** A time of the daemon to the second, UTC. */
export function timeText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 19).replace('T', ' ') : 'not known';
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRow(value) ? Object.entries(value) : [];
}

function isRow(value: unknown): value is StrategyRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

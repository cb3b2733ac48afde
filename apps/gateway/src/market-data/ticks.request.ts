import { CopyTicks } from '@libs/terminal-client';
import { QueryReader } from '../http/query-reader';
import { readClock, readInstant, readSpan, type UtcSpan } from './utc-span';
import type { ClockWord } from '../server-time/utc-instant';

/** Ticks of a symbol in a span of time. */
export interface TicksByTime {
  readonly symbol: string;
  readonly span: UtcSpan;
  /** The terminal's filter of ticks: {@link CopyTicks}. */
  readonly flags: number;
}

/** The first ticks of a symbol from a time on. */
export interface TicksFrom {
  readonly symbol: string;
  /** The start, in milliseconds of its clock. */
  readonly fromMs: number;
  readonly clock: ClockWord;
  readonly count: number;
  readonly flags: number;
  /** How long after the start ticks are searched. */
  readonly longestMs: number;
}

/** The most ticks in one answer. */
export const largestTickCount = 1_000_000;
const defaultTickCount = 1_000;
const dayMs = 86_400_000;

const names: Readonly<Record<string, number>> = {
  all: CopyTicks.ALL,
  info: CopyTicks.INFO,
  trade: CopyTicks.TRADE,
};

/** @throws ApiError validation_error naming every problem */
export function ticksByTime(raw: Readonly<Record<string, unknown>>, maxDays: number): TicksByTime {
  const query = new QueryReader(raw);
  const symbol = query.requiredText('symbol');
  const span = readSpan(query, 'from_date', 'to_date', maxDays);
  const flags = readFlags(query);
  query.finish();
  return { symbol, span, flags };
}

/** @throws ApiError validation_error naming every problem */
export function ticksFrom(raw: Readonly<Record<string, unknown>>, maxDays: number): TicksFrom {
  const query = new QueryReader(raw);
  const symbol = query.requiredText('symbol');
  query.requiredText('from_date');
  const fromMs = readInstant(query, 'from_date');
  const clock = readClock(query);
  const count = query.integer('num_ticks', { min: 1, max: largestTickCount }) ?? defaultTickCount;
  const flags = readFlags(query);
  query.finish();
  return { symbol, fromMs: fromMs ?? 0, clock, count, flags, longestMs: maxDays * dayMs };
}

function readFlags(query: QueryReader): number {
  return query.parsed('flags', 'all, info, trade or an integer from 0 to 7', parseFlags) ?? CopyTicks.ALL;
}

function parseFlags(text: string): number | null {
  const named = names[text.toLowerCase()];
  if (named !== undefined) return named;
  if (!/^[0-7]$/.test(text)) return null;
  // Without a flag, all ticks are requested.
  return Number(text) || CopyTicks.ALL;
}

import { timeframeOf, Timeframe } from '@libs/terminal-client';
import type { GatewaySettings } from '../gateway.config';
import { QueryReader } from '../http/query-reader';
import { readClock, readInstant, readSpan, type UtcSpan } from './utc-span';
import type { ClockWord } from '../server-time/utc-instant';

type Limits = Pick<GatewaySettings, 'MAX_NUM_BARS' | 'MAX_HISTORY_RANGE_DAYS'>;

/** Bars counted back from the forming one. */
export interface BarsByPosition {
  readonly symbol: string;
  readonly timeframe: Timeframe;
  readonly count: number;
  readonly start: number;
}

/** Bars that open inside a span of time. */
export interface BarsByTime {
  readonly symbol: string;
  readonly timeframe: Timeframe;
  readonly span: UtcSpan;
}

/** The last bars that open at a time, in milliseconds of its clock, or before it. */
export interface BarsUpTo {
  readonly symbol: string;
  readonly timeframe: Timeframe;
  readonly count: number;
  readonly lastMs: number;
  readonly clock: ClockWord;
}

const largestStart = 2_147_483_647;

/** @throws ApiError validation_error naming every problem */
export function barsByPosition(raw: Readonly<Record<string, unknown>>, limits: Limits): BarsByPosition {
  const query = new QueryReader(raw);
  const symbol = query.requiredText('symbol');
  const timeframe = readTimeframe(query);
  const count = readCount(query, limits);
  const start = query.integer('start_pos', { min: 0, max: largestStart });
  query.finish();
  return { symbol, timeframe, count, start: start ?? 0 };
}

/** @throws ApiError validation_error naming every problem */
export function barsUpToTime(raw: Readonly<Record<string, unknown>>, limits: Limits): BarsUpTo {
  const query = new QueryReader(raw);
  const symbol = query.requiredText('symbol');
  const timeframe = readTimeframe(query);
  query.requiredText('date');
  const lastMs = readInstant(query, 'date');
  const clock = readClock(query);
  const count = readCount(query, limits);
  query.finish();
  return { symbol, timeframe, count, lastMs: lastMs ?? 0, clock };
}

/** @throws ApiError validation_error naming every problem */
export function barsByTime(raw: Readonly<Record<string, unknown>>, limits: Limits): BarsByTime {
  const query = new QueryReader(raw);
  const symbol = query.requiredText('symbol');
  const timeframe = readTimeframe(query);
  const span = readSpan(query, 'start', 'end', limits.MAX_HISTORY_RANGE_DAYS);
  query.finish();
  return { symbol, timeframe, span };
}

function readCount(query: QueryReader, { MAX_NUM_BARS: most }: Limits): number {
  return query.integer('num_bars', { min: 1, max: most, setting: 'MAX_NUM_BARS' }) ?? Math.min(100, most);
}

function readTimeframe(query: QueryReader): Timeframe {
  return query.parsed('timeframe', `one of ${Object.keys(Timeframe).join(', ')}`, timeframeOf) ?? Timeframe.M1;
}

import { timeframeOf, Timeframe } from '@libs/terminal-client';
import type { GatewaySettings } from '../gateway.config';
import { QueryReader } from '../http/query-reader';
import { readSpan, type UtcSpan } from './utc-span';

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

const largestStart = 2_147_483_647;

/** @throws ApiError validation_error naming every problem */
export function barsByPosition(raw: Readonly<Record<string, unknown>>, limits: Limits): BarsByPosition {
  const query = new QueryReader(raw);
  const symbol = query.requiredText('symbol');
  const timeframe = readTimeframe(query);
  const most = limits.MAX_NUM_BARS;
  const count = query.integer('num_bars', { min: 1, max: most, setting: 'MAX_NUM_BARS' });
  const start = query.integer('start_pos', { min: 0, max: largestStart });
  query.finish();
  return { symbol, timeframe, count: count ?? Math.min(100, most), start: start ?? 0 };
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

function readTimeframe(query: QueryReader): Timeframe {
  return query.parsed('timeframe', `one of ${Object.keys(Timeframe).join(', ')}`, timeframeOf) ?? Timeframe.M1;
}

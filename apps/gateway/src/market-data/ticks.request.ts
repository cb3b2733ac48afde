import { CopyTicks } from '@libs/terminal-client';
import { QueryReader } from '../http/query-reader';
import { readSpan, type UtcSpan } from './utc-span';

/** Ticks of a symbol in a span of time. */
export interface TicksByTime {
  readonly symbol: string;
  readonly span: UtcSpan;
  /** The terminal's filter of ticks: {@link CopyTicks}. */
  readonly flags: number;
}

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
  const flags = query.parsed('flags', 'all, info, trade or an integer from 0 to 7', parseFlags);
  query.finish();
  return { symbol, span, flags: flags ?? CopyTicks.ALL };
}

function parseFlags(text: string): number | null {
  const named = names[text.toLowerCase()];
  if (named !== undefined) return named;
  if (!/^[0-7]$/.test(text)) return null;
  // Without a flag, all ticks are requested.
  return Number(text) || CopyTicks.ALL;
}

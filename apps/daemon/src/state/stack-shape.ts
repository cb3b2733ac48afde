import type { StackRecord } from '../core/stack';
import { count, each, flag, number, oneOf, orNull, record, text, type Shape } from './shape';

/** A stack as stored. The core declares the record; the compiler compares the members with it. */
export const stackShape: Shape<StackRecord> = record({
  id: text,
  strategy: text,
  stream: text,
  broker: text,
  symbol: text,
  side: oneOf('buy', 'sell'),
  volume: number,
  spacing: number,
  slDistance: orNull(number),
  tpDistance: orNull(number),
  anchor: orNull(number),
  expiresMs: number,
  waiting: each(count),
  tickets: each(count),
  over: flag,
});

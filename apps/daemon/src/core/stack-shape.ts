import type { StackRecord } from './stack';
import { count, each, flag, number, oneOf, orAbsent, orNull, record, type Shape, text } from './shape';

/** A stack as stored. The compiler compares the members with the declared record. */
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
  tag: orAbsent(text),
});

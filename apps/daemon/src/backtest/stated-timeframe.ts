import { basename } from 'node:path';
import { statedLength, timeframeName } from '@libs/simulator/bar-length';

/**
 * The timeframe of bars that the name of a price file states, such as H1; null if it states none. The command line reads it at its start,
 * so it is apart from recorded-prices.ts, which loads the whole simulated broker.
 */
export function statedTimeframe(path: string): string | null {
  const stated = statedLength(basename(path));
  return stated === null ? null : timeframeName(stated);
}

import { recordedTimes, ServerClock } from '@libs/simulator';
import { readPrices } from './recorded-prices';

/** First and last instant with a price of any symbol, in UTC milliseconds; bars longer than an hour end by the clock of UTC. */
export interface PriceSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The span of price files, as SIM_FEED takes them. @throws RecordingError naming the file that cannot be used */
export function priceSpan(files: readonly string[], acceptsFaulty: boolean): PriceSpan {
  const { firstMs, lastMs } = recordedTimes(readPrices(files, acceptsFaulty, false).recordings, new ServerClock('UTC'));
  return { firstMs, lastMs };
}

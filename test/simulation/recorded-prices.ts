import type { Simulator, SymbolRecording } from '@libs/simulator';
import { Timeframe } from '@libs/terminal-client';
import { SeededRandom } from './seeded-random';

/** `generated`: ticks at any time; `recorded`: a replay of one-minute bars of bid and ask, in which minutes are missing. */
export type Prices = 'generated' | 'recorded';

export type Feed = ConstructorParameters<typeof Simulator>[0]['feed'];

const minuteMs = 60_000;
/** What is recorded before a run starts, and from then on: longer than a run. */
const minutesBefore = 600;
const minutesAfter = 600;

/** A recorded minute is replayed as four quotes. Gaps are left out: a bar closes with the first quote after them. */
export const mostBetweenQuotesMs = 20_000;

interface Habits {
  readonly symbol: string;
  readonly firstBid: number;
  readonly digits: number;
  /** Of a minute, as a share of the price. */
  readonly volatility: number;
}

const recorded: readonly Habits[] = [
  { symbol: 'EURUSD', firstBid: 1.0842, digits: 5, volatility: 0.000_06 },
  { symbol: 'USDJPY', firstBid: 151.37, digits: 3, volatility: 0.000_08 },
];

/**
 * The first instant from a given one on at which a symbol has a price, in UTC milliseconds: with recorded prices, the open of
 * the next minute that has a bar.
 */
export function nextPriceMs(feed: Feed, symbol: string, fromMs: number): number {
  const recording = feed.kind === 'replay' ? feed.recordings?.find((one) => one.symbol === symbol) : undefined;
  if (recording?.kind !== 'bars') return fromMs;
  return recording.bid.times.find((timeMs) => timeMs >= fromMs) ?? fromMs;
}

/** Bars as they are recorded from a broker: some minutes have none, some spans neither, and prices jump after those. */
export function recordedFeed(seed: number, startMs: number): Feed {
  const recordings = recorded.map((habits) => recordingOf(habits, new SeededRandom(`prices ${seed}`), startMs));
  const files = recorded.map(({ symbol }) => ({ symbol, path: `${symbol}.csv` }));
  return { kind: 'replay', files, recordings, startMs, warmupBars: 0 };
}

function recordingOf(
  { symbol, firstBid, digits, volatility }: Habits,
  seeded: SeededRandom,
  startMs: number,
): SymbolRecording {
  const random = seeded.fork(symbol);
  const rounded = (price: number): number => Number(price.toFixed(digits));
  const bars: { readonly timeMs: number; readonly bid: readonly number[]; readonly ask: readonly number[] }[] = [];
  const firstMinute = Math.floor(startMs / minuteMs) - minutesBefore;
  let bid = firstBid;
  for (let minute = firstMinute; minute < firstMinute + minutesBefore + minutesAfter; minute++) {
    if (random.chance(0.01)) {
      minute += random.integer(1, 4);
      bid *= 1 + (random.next() - 0.5) * 20 * volatility;
    }
    const path = [0, 1, 2, 3].map(() => (bid *= 1 + (random.next() - 0.5) * 2 * volatility));
    if (random.chance(0.03)) continue;
    const spread = random.integer(2, 20) * 10 ** -digits;
    const [open = bid, , , close = bid] = path;
    const ohlc = [open, Math.max(...path), Math.min(...path), close].map(rounded);
    bars.push({ timeMs: minute * minuteMs, bid: ohlc, ask: ohlc.map((price) => rounded(price + spread)) });
  }
  const column = (of: (bar: (typeof bars)[number]) => number): Float64Array => Float64Array.from(bars, of);
  const side = (name: 'bid' | 'ask') => ({
    ...{ kind: 'bars' as const, times: column(({ timeMs }) => timeMs) },
    open: column((bar) => bar[name][0] ?? 0),
    high: column((bar) => bar[name][1] ?? 0),
    low: column((bar) => bar[name][2] ?? 0),
    close: column((bar) => bar[name][3] ?? 0),
  });
  return { symbol, kind: 'bars', timeframe: Timeframe.M1, bid: side('bid'), ask: side('ask') };
}

import type { ScriptedQuote, SimulatorOptions } from '../simulator-options';
import type { SymbolSpec } from '../symbols/symbol-spec';
import type { ServerClock } from '../time/server-clock';
import { continuousSchedule, TradingHours } from '../time/trading-hours';
import { GeneratedMarket } from './generated/generated-market';
import type { MarketListing } from './market';
import { FixedSpread } from './replay/fixed-spread';
import { type Replay, readSymbolRecordings, replaysOf } from './replay/replay-files';
import { ReplayTicks } from './replay/replay-quotes';

const DAY_MS = 86_400_000;

/** A feed that is ready to run: what is listed, and from when to when. */
export interface Feed {
  readonly listings: readonly MarketListing[];
  /** UTC milliseconds at which the market stands at the start. */
  readonly startMs: number;
  /** UTC milliseconds of the last price; infinite for a feed that does not end. */
  readonly endMs: number;
}

/**
 * Prepares the feed of the options.
 * @param nowMs where a generated feed starts, in UTC milliseconds
 * @throws RecordingError for files that cannot be replayed
 */
export function openFeed(options: SimulatorOptions, clock: ServerClock, nowMs: number): Feed {
  const hoursOf = (spec: SymbolSpec): TradingHours =>
    new TradingHours(options.hours === 'always' ? continuousSchedule : spec.market.schedule, clock);
  if (options.feed.kind === 'generated') {
    const { seed, assets, historyDays } = options.feed;
    const market = new GeneratedMarket(seed, assets, options.hours === 'market');
    const firstMs = nowMs - historyDays * DAY_MS;
    const listings = options.symbols.map((spec) => {
      const hours = hoursOf(spec);
      return { spec, hours, source: market.source(spec, hours), firstMs };
    });
    return { listings, startMs: nowMs, endMs: Number.POSITIVE_INFINITY };
  }
  if (options.feed.kind === 'scripted') {
    const replays = Object.entries(options.feed.quotes).map(([symbol, quotes]) => scripted(symbol, quotes, nowMs));
    return { listings: listed(options, replays, hoursOf), startMs: nowMs, endMs: Number.POSITIVE_INFINITY };
  }
  const {
    files,
    startMs,
    warmupBars,
    limitFill,
    spreadPoints,
    recordings = readSymbolRecordings(files),
  } = options.feed;
  const replays = replaysOf(recordings, clock, limitFill);
  return {
    listings: listed(options, replays, hoursOf).map((listing) =>
      spreadPoints === undefined
        ? listing
        : { ...listing, source: new FixedSpread(listing.source, spreadPoints, listing.spec.digits) },
    ),
    startMs: startMs ?? Math.max(...replays.map((replay) => warmupEnd(replay, warmupBars))),
    endMs: Math.max(...replays.map(({ lastMs }) => lastMs)),
  };
}

function listed(
  options: SimulatorOptions,
  replays: readonly Replay[],
  hoursOf: (spec: SymbolSpec) => TradingHours,
): MarketListing[] {
  return replays.map(({ symbol, source, firstMs }) => {
    const spec = options.symbols.find(({ name }) => name === symbol);
    if (!spec) throw new Error(`the feed's ${symbol} is not a symbol of this simulator`);
    return { spec, hours: hoursOf(spec), source, firstMs };
  });
}

/** Quotes of a script, as if they had been recorded. */
function scripted(symbol: string, quotes: readonly ScriptedQuote[], startMs: number): Replay {
  const times = Float64Array.from(quotes, ([afterMs]) => startMs + afterMs);
  const bids = Float64Array.from(quotes, ([, bid]) => bid);
  const asks = Float64Array.from(quotes, ([, , ask]) => ask);
  const source = new ReplayTicks({ kind: 'ticks', times, bids, asks });
  return { symbol, source, firstMs: times[0] ?? startMs, lastMs: times.at(-1) ?? startMs, times, timeframe: null };
}

/** The instant at which a number of minutes with prices lie behind, or the last price when there are fewer. */
function warmupEnd({ times, firstMs, lastMs }: Replay, bars: number): number {
  let minutes = 0;
  let minute = -1;
  for (const time of times) {
    const next = Math.floor(time / 60_000);
    if (next === minute) continue;
    if (minutes === bars) return Math.max(time, firstMs);
    minute = next;
    minutes++;
  }
  return lastMs;
}

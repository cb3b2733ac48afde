import { CopyTicks, type TickColumns } from '@libs/terminal-client';
import { blockFlags, QuoteBlock, type QuoteSource } from '../quotes/quote-source';
import type { ServerClock } from '../time/server-clock';

const MINUTE_MS = 60_000;

/** Ticks from `fromMsc` to `toMsc` (server milliseconds), as far as they happened up to an instant (UTC). */
export function ticksInRange(
  source: QuoteSource,
  clock: ServerClock,
  window: { readonly fromMsc: number; readonly toMsc: number },
  flags: number,
  nowMs: number,
): TickColumns {
  const times: number[] = [];
  const bids: number[] = [];
  const asks: number[] = [];
  const changes: number[] = [];
  const block = new QuoteBlock();
  const fromMs = clock.firstUtcMs(window.fromMsc);
  const endMs = clock.firstUtcMs(window.toMsc);
  const toMs = Math.min(nowMs, clock.serverMs(endMs) > window.toMsc ? endMs - 1 : endMs);
  // There are no trades' ticks on symbols whose bars are built from bids.
  const until = flags === CopyTicks.TRADE ? Number.NEGATIVE_INFINITY : Math.floor(toMs / MINUTE_MS);
  let minute = source.nextMinute(Math.floor(fromMs / MINUTE_MS));
  for (; minute !== null && minute <= until; minute = source.nextMinute(minute + 1)) {
    source.read(minute, block);
    for (let at = 0; at < block.count; at++) {
      const time = block.times[at] ?? 0;
      if (time < fromMs || time > toMs) continue;
      times.push(clock.serverMs(time));
      bids.push(block.bids[at] ?? 0);
      asks.push(block.asks[at] ?? 0);
      changes.push(blockFlags(block, at));
    }
  }
  const none = (): Float64Array => new Float64Array(times.length);
  return {
    time: Float64Array.from(times, (msc) => Math.floor(msc / 1_000)),
    bid: Float64Array.from(bids),
    ask: Float64Array.from(asks),
    last: none(),
    volume: none(),
    time_msc: Float64Array.from(times),
    flags: Float64Array.from(changes),
    volume_real: none(),
  };
}

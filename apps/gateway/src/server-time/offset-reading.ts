import type { Tick } from '@libs/terminal-client';

/** An offset from one moved quote. */
export interface OffsetReading {
  readonly offsetSeconds: number;
  readonly symbol: string;
}

/** Half- and quarter-hour servers exist. */
const stepSeconds = 900;
/** A quote that is further than this from a quarter hour is not fresh, or a clock is wrong. */
const toleranceSeconds = 90;
const minOffsetSeconds = -12 * 3_600;
const maxOffsetSeconds = 14 * 3_600;

/** The offset from a tick that just arrived; null if it cannot be trusted. */
export function offsetOf(tick: Pick<Tick, 'time_msc'>, nowMs: number): number | null {
  const deltaSeconds = (tick.time_msc - nowMs) / 1_000;
  // The sum turns -0 from the rounding into 0.
  const rounded = Math.round(deltaSeconds / stepSeconds) * stepSeconds + 0;
  if (Math.abs(deltaSeconds - rounded) > toleranceSeconds) return null;
  return rounded < minOffsetSeconds || rounded > maxOffsetSeconds ? null : rounded;
}

/**
 * Compares quotes between two reads. The first read of a symbol is only a baseline, because a quote that does not move,
 * as on a weekend, proves nothing about the clock.
 */
export class QuoteWatch {
  private readonly seenMsc = new Map<string, number>();

  /** The reading from the freshest quote that moved since the previous read; null if none moved or gives an offset. */
  read(symbols: readonly string[], ticks: readonly (Tick | null)[], nowMs: number): OffsetReading | null {
    let freshest: { symbol: string; tick: Tick } | null = null;
    for (const [index, symbol] of symbols.entries()) {
      const tick = ticks[index];
      if (!tick || tick.time_msc <= 0) continue;
      const before = this.seenMsc.get(symbol);
      this.seenMsc.set(symbol, tick.time_msc);
      if (before === undefined || tick.time_msc <= before) continue;
      if (freshest === null || tick.time_msc > freshest.tick.time_msc) freshest = { symbol, tick };
    }
    if (freshest === null) return null;
    const offsetSeconds = offsetOf(freshest.tick, nowMs);
    return offsetSeconds === null ? null : { offsetSeconds, symbol: freshest.symbol };
  }
}

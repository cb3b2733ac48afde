import type { Position } from '@libs/strategy';

/** A position that was open at the end of a run. A level of 0: there is none. */
export interface OpenPosition extends Pick<Position, 'side' | 'symbol' | 'tag' | 'volume' | 'sl' | 'tp'> {
  readonly position: number;
  /** UTC milliseconds; null if the zone of the broker's clock is not known. */
  readonly openedMs: number | null;
  readonly entryPrice: number;
  /** Floating result at the end, with swap. */
  readonly floating: number;
}

/** The open positions of a report, the oldest first. */
export function openPositions(positions: readonly Position[]): readonly OpenPosition[] {
  return positions.map(({ ticket, side, symbol, tag, volume, avgPrice, sl, tp, unrealized, openedAtMs }) => ({
    position: ticket,
    side,
    symbol,
    tag,
    volume,
    openedMs: openedAtMs,
    entryPrice: avgPrice,
    sl,
    tp,
    floating: unrealized,
  }));
}

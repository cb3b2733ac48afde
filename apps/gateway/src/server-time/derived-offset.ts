import type { OffsetReading } from './offset-reading';

/** The offset in force, with the source and time of the last reading. */
export interface DerivedOffset {
  readonly offsetSeconds: number;
  readonly symbol: string;
  /** UTC milliseconds of the last reading that agreed. */
  readonly derivedAtMs: number;
  /** The trade server that it belongs to; '' if unknown. */
  readonly server: string;
}

interface Pending {
  readonly offsetSeconds: number;
  readonly count: number;
}

/** The offset in force and the one that may replace it; immutable. */
export interface OffsetState {
  readonly current: DerivedOffset | null;
  readonly pending: Pending | null;
}

export type ReadingEffect = 'adopted' | 'agreed' | 'disagreed' | 'switched';

/**
 * Applies a reading. The first value is adopted at once. A different one replaces it only after `confirmations`
 * identical readings in a row: any other value restarts the count, and one that agrees with the value in force clears
 * it.
 */
export function takeReading(
  state: OffsetState,
  reading: OffsetReading & { readonly atMs: number; readonly server: string },
  confirmations: number,
): { readonly state: OffsetState; readonly effect: ReadingEffect } {
  const { offsetSeconds, symbol, atMs, server } = reading;
  const taken: OffsetState = { current: { offsetSeconds, symbol, derivedAtMs: atMs, server }, pending: null };
  if (state.current === null) return { state: taken, effect: 'adopted' };
  if (state.current.offsetSeconds === offsetSeconds) return { state: taken, effect: 'agreed' };
  const count = state.pending?.offsetSeconds === offsetSeconds ? state.pending.count + 1 : 1;
  if (count >= confirmations) return { state: taken, effect: 'switched' };
  return { state: { current: state.current, pending: { offsetSeconds, count } }, effect: 'disagreed' };
}

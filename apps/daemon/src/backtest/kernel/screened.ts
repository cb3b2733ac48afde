import type { Fill } from '@libs/strategy';
import type { DayChange } from '../daily-changes';
import type { Figures } from '../figures';

/** What a run in the kernel came to. Plain data. */
export interface Screened {
  /** First and last instant that was traded, in UTC milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly figures: Figures;
  /** Null where they were not wanted. */
  readonly days: readonly DayChange[] | null;
  /** Every deal; null where it was not wanted. */
  readonly ledger: readonly Fill[] | null;
}

/** A run in the kernel, why the full engine has to run it, or why the strategy refused to be loaded. */
export type Screening =
  { readonly screened: Screened } | { readonly needsEngine: string } | { readonly refused: string };

/** What of a run is wanted beside its figures. */
export interface Wanted {
  readonly days: boolean;
  readonly ledger: boolean;
}

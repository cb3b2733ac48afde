import type { Fill, Side } from '@libs/strategy';

/** One position from its first deal to its last. */
export interface RoundTrip {
  readonly position: number;
  readonly side: Side;
  readonly symbol: string;
  /** The tag of its entry; null without one. */
  readonly tag: string | null;
  /** Lots that came in. */
  readonly volume: number;
  readonly openedMs: number;
  readonly closedMs: number;
  readonly entryPrice: number;
  readonly exitPrice: number;
  readonly exitReason: Fill['reason'];
  /** Net: commission, swap and fee of all its deals are included. Account currency. */
  readonly realized: number;
  /** Part of `realized`: commission and fee, as the broker booked them. Not to be added again. */
  readonly commission: number;
  /** Part of `realized` as well. */
  readonly swap: number;
}

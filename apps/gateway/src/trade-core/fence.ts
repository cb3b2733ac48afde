/** The fence that a trade request names in X-Fence. */
export interface FenceClaim {
  readonly name: string;
  readonly token: number;
}

/** A fence as the journal keeps it, by the name of its strategy. */
export interface StoredFence {
  /** The highest token; sends under a lower one are refused. */
  readonly token: number;
  /** Magic numbers that only requests of this fence may use. */
  readonly magics: readonly number[];
  /** The journal's losses at the time of the raise; null for a token that was not raised in this journal. */
  readonly losses: number | null;
  /** UTC milliseconds; null if it was not raised in this journal. */
  readonly raisedAtMs: number | null;
}

/** How often the journal was lost or restored, and when last, UTC milliseconds. */
export interface Losses {
  readonly count: number;
  readonly lastAtMs: number;
}

/** A request of PUT /fences. */
export interface WantedFence {
  readonly token: number;
  readonly magics: readonly number[];
}

/** The highest token that a client may set. It leaves room below 2^53 for the tokens after a loss. */
export const highestToken = 9_000_000_000_000_000;

/** Limits of the operator on entries as a whole; null: not set. Exits are not subject to them. */
export interface EntryLimits {
  readonly maxOrdersPerMinute: number | null;
  /** Lots, all symbols together. */
  readonly maxOpenVolume: number | null;
  /** Lots, each symbol by itself. */
  readonly maxOpenVolumePerSymbol: number | null;
  /** Account currency. */
  readonly maxDailyLoss: number | null;
}

/** What an order would add. */
export interface ProposedEntry {
  readonly symbol: string;
  /** Lots that it would add to what is open. */
  readonly addedVolume: number;
}

/** What the limits on entries are held against. A figure that was not read is null, and a limit on it refuses. */
export interface Exposure {
  /** Entries sent in the last 60 seconds. */
  readonly ordersLastMinute: number;
  /** Milliseconds until the oldest of them is a minute old; 0 without any. */
  readonly nextOrderInMs: number;
  /** Lots of positions, pending orders, requests in flight and unknown outcomes, by symbol. */
  readonly openVolume: ReadonlyMap<string, number> | null;
  /** Loss of the broker's day so far in the account currency; negative is a profit. */
  readonly dailyLoss: number | null;
}

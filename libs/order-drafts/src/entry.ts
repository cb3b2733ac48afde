/** The operator's entry limits; null: not set. They do not apply to exits. */
export interface EntryLimits {
  readonly maxOrdersPerMinute: number | null;
  /** Lots, all symbols together. */
  readonly maxOpenVolume: number | null;
  /** Lots per symbol. */
  readonly maxOpenVolumePerSymbol: number | null;
  /** Account currency. */
  readonly maxDailyLoss: number | null;
}

/** The entry that an order would be. */
export interface ProposedEntry {
  readonly symbol: string;
  /** Lots that it would add to the open volume. */
  readonly addedVolume: number;
}

/** The figures to compare with the entry limits. An unread figure is null, and its limit denies the entry. */
export interface Exposure {
  /** Entries sent in the last 60 seconds. */
  readonly ordersLastMinute: number;
  /** Milliseconds until the oldest of them is a minute old; 0 without any. */
  readonly nextOrderInMs: number;
  /** Lots of positions, pending orders, requests in flight and unknown outcomes, by symbol. */
  readonly openVolume: ReadonlyMap<string, number> | null;
  /** Loss of the broker's day so far in the account currency; negative is a profit. */
  readonly dailyLoss: number | null;
  /** Decimals of the account currency, for messages. */
  readonly currencyDigits?: number | undefined;
}

/** A date, or an ISO-8601 text, which is UTC when it names no zone. */
export type Instant = Date | string;

export interface ListFilter {
  readonly magic?: number;
  readonly symbol?: string;
  readonly ticket?: number;
}

/** Both ends are inside, and it may be of any length. Without an end everything up to now, without a start the last 31 days. */
export interface HistoryWindow {
  readonly from_date?: Instant;
  readonly to_date?: Instant;
}

/** Size of the pages in which a history is read. */
export interface PageSize {
  /** Rows of one answer, at most; by default as many as the gateway gives. */
  readonly limit?: number;
}

/** A date, or an ISO-8601 text, which is UTC if it has no zone. */
export type Instant = Date | string;

export interface ListFilter {
  readonly magic?: number;
  readonly symbol?: string;
  readonly ticket?: number;
}

/**
 * Both ends are inclusive, and the window may be of any length. Without an end it ends now; without a start it covers
 * the last 31 days.
 */
export interface HistoryWindow {
  readonly from_date?: Instant;
  readonly to_date?: Instant;
}

/** Size of the pages in which a history is read. */
export interface PageSize {
  /** Maximum rows of one answer; by default the gateway's maximum. */
  readonly limit?: number;
}

/** Deals of one position, or of one order. */
export interface DealsOf {
  readonly position?: number;
  readonly order?: number;
}

/** One completed order, or those of one position. */
export interface OrdersOf {
  readonly ticket?: number;
  readonly position?: number;
}

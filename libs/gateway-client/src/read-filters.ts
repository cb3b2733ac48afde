/** A date, or an ISO-8601 text, which is UTC when it names no zone. */
export type Instant = Date | string;

export interface ListFilter {
  readonly magic?: number;
  readonly symbol?: string;
  readonly ticket?: number;
}

/** Both ends are inside. Without an end everything up to now, without a begin as far back as the gateway allows. */
export interface HistoryWindow {
  readonly from_date?: Instant;
  readonly to_date?: Instant;
}

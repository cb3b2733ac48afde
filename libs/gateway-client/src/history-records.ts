import type { TradeEventRecord } from './stream-records';

/** What the deals of one position add up to; money in the deposit currency, volumes in lots. */
export interface PositionSummary {
  /** The position's. */
  readonly ticket: number;
  readonly symbol: string;
  /** 0 buy, 1 sell. */
  readonly type: number;
  readonly magic: number;
  readonly volume_opened: number;
  readonly volume_closed: number;
  readonly closed: boolean;
  /** By volume; null when no deal that opened it is known. */
  readonly price_open: number | null;
  readonly price_close: number | null;
  readonly profit: number;
  readonly commission: number;
  readonly swap: number;
  readonly fee: number;
  readonly time_open: number;
  readonly time_open_msc: number;
  readonly time_open_utc: string | null;
  readonly time_close: number | null;
  readonly time_close_msc: number | null;
  readonly time_close_utc: string | null;
  /** How many deals it has. */
  readonly deals: number;
  /** Of the last deal that closed volume, or of the opening one. */
  readonly comment: string;
}

/** What the terminal's last call left behind; code 1 is success. */
export interface LastError {
  readonly code: number;
  readonly message: string;
}

/** The place in the log at which the gateway came to another account: the lists are to be read anew. */
export interface LogBreakRecord {
  readonly seq: number;
  readonly event: 'resync';
  readonly action: string;
  readonly recorded_at: string;
  readonly login: number;
  readonly server: string;
}

/** A page of the log behind the stream of trades. */
export interface EventsPage {
  /** Oldest first. */
  readonly events: readonly (TradeEventRecord | LogBreakRecord)[];
  readonly first_seq: number;
  readonly last_seq: number;
  /** What to give as `since` for the page that follows. */
  readonly next_since: number;
  /** Events after `since` are no longer kept, or `since` is of another log: the lists are to be read anew. */
  readonly resync: boolean;
}

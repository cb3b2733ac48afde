import type { accountFields, barRowFields, bookFields, RecordOf, tickRowFields } from '@libs/records';
import type { barMembers, dealMembers, historyOrderMembers, orderMembers, positionMembers } from './members';

/**
 * The gateway's records as its clients use them: the terminal's own field names; times without a suffix are the broker
 * server's wall clock as an epoch, those ending in `_utc` are ISO-8601, null while the server's offset is unknown. The
 * words beside the terminal's numbers (`type_str` and the like) are left out: the numbers say the same.
 */

/** The account; money in its own currency. */
export type AccountRecord = Readonly<RecordOf<typeof accountFields>>;

/** A row of the market depth. */
export type BookRecord = Readonly<RecordOf<typeof bookFields>>;

/** A quote. */
export type TickRecord = Readonly<RecordOf<typeof tickRowFields>> & {
  /**
   * Age of the symbol's last quote in seconds, at most, by when the gateway saw it change; null if that is not known. Missing from
   * a history, and from a gateway of an earlier version.
   */
  readonly age_seconds?: number | null;
};

/** A bar. */
export type BarRecord = Readonly<RecordOf<typeof barMembers>>;

/** A bar with all the terminal has of it. */
export type FullBarRecord = Readonly<RecordOf<typeof barRowFields>>;

/** An open position. */
export type PositionRecord = Readonly<RecordOf<typeof positionMembers>>;

/** A pending order. */
export type OrderRecord = Readonly<RecordOf<typeof orderMembers>>;

/** An order of the history, and its times in UTC. */
export type HistoryOrderRecord = Readonly<RecordOf<typeof historyOrderMembers>>;

/** A deal. */
export type DealRecord = Readonly<RecordOf<typeof dealMembers>>;

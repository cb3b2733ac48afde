import type {
  equityPageFields,
  equityReadingFields,
  eventsPageFields,
  lastErrorFields,
  positionSummaryFields,
  RecordOf,
} from '@libs/records';
import type { Instant } from './read-filters';
import type { SignalEventRecord, TradeEventRecord } from './stream-records';

/** What the deals of one position add up to; money in the deposit currency, volumes in lots. */
type SummaryRow = Readonly<RecordOf<typeof positionSummaryFields>>;

export interface PositionSummary extends SummaryRow {
  /** Oldest first; more than one only if a netting account reversed the position. Older gateways do not send them. */
  readonly legs?: readonly SummaryRow[];
}

/** The result of the terminal's last call; code 1 is success. */
export type LastError = Readonly<RecordOf<typeof lastErrorFields>>;

/** The position in the log at which the gateway changed to another account: read the lists again. */
export interface LogBreakRecord {
  readonly seq: number;
  readonly event: 'resync';
  readonly action: string;
  readonly recorded_at: string;
  readonly login: number;
  readonly server: string;
}

type PageRow = Readonly<RecordOf<typeof eventsPageFields>>;

/** A page of the log behind the stream of trades. */
export interface EventsPage extends PageRow {
  /** Oldest first. */
  readonly events: readonly (TradeEventRecord | SignalEventRecord | LogBreakRecord)[];
}

/** Balance and equity of the account at one time, in the deposit currency. */
export type EquityReading = Readonly<RecordOf<typeof equityReadingFields>>;

type EquityPageRow = Readonly<RecordOf<typeof equityPageFields>>;

/** A page of these readings. */
export interface EquityPage extends EquityPageRow {
  /** Oldest first. */
  readonly readings: readonly EquityReading[];
}

/** Which readings of balance and equity. */
export interface EquityQuery {
  /** Only readings after this time. */
  readonly since?: Instant;
  /** Only the first reading of each span of so many minutes. */
  readonly every_minutes?: number;
}

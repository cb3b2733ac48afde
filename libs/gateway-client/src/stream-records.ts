import type { differenceFields, RecordOf, tradeEventFields, tradeEventSubjectFields } from '@libs/records';
import type { DealRecord, HistoryOrderRecord, PositionRecord, TickRecord } from './records';
import type { SignalRecord } from './signal-records';

/** A row as read from the broker, which has no idempotency key. */
type Unkeyed<Row> = Omit<Row, 'client_order_id'>;

type EventRow = Omit<Readonly<RecordOf<typeof tradeEventFields>>, 'event' | 'action'>;
type SubjectRow = Readonly<RecordOf<typeof tradeEventSubjectFields>>;
type DifferenceRow = Readonly<RecordOf<typeof differenceFields>>;

/** One entry of the gateway's event log. */
export interface TradeEventRecord extends EventRow, SubjectRow {
  readonly event: 'position' | 'order' | 'deal';
  readonly action: 'opened' | 'changed' | 'partially_closed' | 'closed' | 'added';
  readonly changed?: readonly string[];
  /** False when something is gone and the history does not account for it. */
  readonly complete?: boolean;
  /** Null for a position that was opened and closed between two snapshots. */
  readonly position?: Unkeyed<PositionRecord> | null;
  readonly order?: Unkeyed<HistoryOrderRecord>;
  readonly deal?: Unkeyed<DealRecord>;
  /** The deals that took volume out of the position. */
  readonly deals?: readonly Unkeyed<DealRecord>[];
}

/** A change of an alert of a source of signals: `action` is its state. */
export interface SignalEventRecord extends EventRow {
  readonly event: 'signal';
  readonly action: string;
  readonly symbol: string;
  /** Of the source; missing if it is not declared any more. */
  readonly magic?: number;
  /** As in the list of signals. */
  readonly signal: SignalRecord;
}

/** A quote as it streams. */
export interface TickEventRecord extends TickRecord {
  /** Grows over all symbols of the gateway. */
  readonly seq: number;
  /**
   * Dense for the symbol within one run of the gateway: a number that is left out is a quote that was not sent. Missing
   * from a gateway that does not count.
   */
  readonly symbol_seq?: number;
  readonly symbol: string;
}

/** What a reader of a stream receives. */
export type StreamMessage<Event> =
  | { readonly kind: 'event'; readonly id: number; readonly event: Event }
  /** Events are lost: read the lists again. The stream continues after `id`. */
  | { readonly kind: 'resync'; readonly id: number | null; readonly reason: string }
  /** The stream is connected, for the first time or again. */
  | { readonly kind: 'connected' }
  /** The connection is lost. The client reconnects and continues after the last event. */
  | { readonly kind: 'disconnected'; readonly reason: string }
  /**
   * The gateway lost its connection to the terminal, or has it again; while it is lost, there are no new quotes. With the reason
   * `synchronizing`, what the terminal shows of the account is not explained: entries are refused.
   */
  | {
      readonly kind: 'terminal';
      readonly connected: boolean;
      /** Such as `server_lost`; null if all is in order, and from a gateway that gives none. */
      readonly reason: string | null;
      readonly message: string | null;
      /** Positions, orders and deals that nothing explains. */
      readonly tickets: readonly number[];
    }
  /** An alert came, or this became of it; of the stream of trades only. */
  | { readonly kind: 'signal'; readonly id: number; readonly event: SignalEventRecord }
  /** The account and the journal of the gateway began or ceased to disagree on something; of the stream of trades only. */
  | { readonly kind: 'difference'; readonly difference: DifferenceNotice };

/** A difference that began or ended. */
export interface DifferenceNotice extends DifferenceRow {
  readonly action: 'began' | 'ended';
  readonly magic: number;
}

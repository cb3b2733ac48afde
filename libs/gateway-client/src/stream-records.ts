import type { DealRecord, HistoryOrderRecord, PositionRecord, TickRecord } from './records';

/** As it was seen at the broker, whoever asked for it. */
type Unkeyed<Row> = Omit<Row, 'client_order_id'>;

/** One entry of the gateway's log of trade events. */
export interface TradeEventRecord {
  /** Dense: the next event has the next number. */
  readonly seq: number;
  readonly event: 'position' | 'order' | 'deal';
  readonly action: 'opened' | 'changed' | 'partially_closed' | 'closed' | 'added';
  /** ISO-8601 UTC: when the gateway saw it. */
  readonly recorded_at: string;
  readonly login: number;
  readonly server: string;
  readonly ticket: number;
  readonly symbol: string;
  readonly magic: number;
  readonly changed?: readonly string[];
  /** False when something is gone and the history does not account for it. */
  readonly complete?: boolean;
  /** Null for a position that came and went between two looks. */
  readonly position?: Unkeyed<PositionRecord> | null;
  readonly order?: Unkeyed<HistoryOrderRecord>;
  readonly deal?: Unkeyed<DealRecord>;
  /** The deals that took volume out of the position. */
  readonly deals?: readonly Unkeyed<DealRecord>[];
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

/** What a stream hands to its reader. */
export type StreamMessage<Event> =
  | { readonly kind: 'event'; readonly id: number; readonly event: Event }
  /** Events are missing that nobody can bring back: read the lists anew. The stream goes on after `id`. */
  | { readonly kind: 'resync'; readonly id: number | null; readonly reason: string }
  /** The stream stands, for the first time or again. */
  | { readonly kind: 'connected' }
  /** The stream broke; it comes back by itself, from where it was. */
  | { readonly kind: 'disconnected'; readonly reason: string }
  /** The gateway lost its terminal, or has it back: while it is lost, quotes stand still. */
  | { readonly kind: 'terminal'; readonly connected: boolean };

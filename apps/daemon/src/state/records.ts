import type { TradeCall } from '@libs/gateway-client';
import type { Side } from '@libs/strategy';

/** What the daemon remembers of a strategy over restarts. Money as decimal text, exact to the last digit. */
export interface StrategyRecord {
  readonly name: string;
  /** Capital that the equities below include; absent in records of before it was kept. */
  readonly capital?: number;
  /** Everything its deals brought and cost so far. */
  readonly realized: string;
  /** What of it came from which gateway; absent in a record of an earlier version that nothing was booked on since. */
  readonly realizedOn?: Readonly<Record<string, string>>;
  /** Deals booked so far. */
  readonly trades: number;
  readonly lastTrade: TradeRecord | null;
  readonly halt: HaltRecord | null;
  /** Market day the daily loss is counted from, and equity at its begin. */
  readonly day: { readonly date: string; readonly equity: string } | null;
  /** Highest equity so far. */
  readonly peakEquity: string | null;
  /**
   * Of a portfolio: the children whose results the equities above include, and how much of them is whose. Absent in a
   * strategy's record, and in a portfolio's of before it was kept.
   */
  readonly shares?: Readonly<Record<string, string>>;
}

/** What is remembered of a strategy that never traded. */
export function blankRecord(name: string): StrategyRecord {
  return {
    ...{ name, realized: '0', realizedOn: {}, trades: 0, lastTrade: null },
    ...{ halt: null, day: null, peakEquity: null },
  };
}

/**
 * A record that tells its result by gateway. One of an earlier version does not: it is clear when there was only one
 * gateway to trade on, or nothing earned, and stays unknown otherwise.
 */
export function withRealizedOn(record: StrategyRecord, brokers: readonly string[]): StrategyRecord {
  if (record.realizedOn !== undefined) return record;
  if (record.trades === 0) return { ...record, realizedOn: {} };
  const [only] = brokers;
  return only !== undefined && brokers.length === 1 ? { ...record, realizedOn: { [only]: record.realized } } : record;
}

export interface HaltRecord {
  /** `daily` ends by itself with the market's day, `persistent` only by hand. */
  readonly kind: 'daily' | 'persistent';
  readonly reason: string;
  readonly atMs: number;
}

export interface TradeRecord {
  readonly timestamp: string | null;
  readonly side: Side;
  readonly symbol: string;
  readonly volume: number;
  readonly price: number;
  readonly realized: number;
}

/** A position, or pending order, that belongs to a strategy: by its ticket, whatever its magic or comment says. */
export interface OwnedTicket {
  readonly strategy: string;
  readonly broker: string;
  readonly ticket: number;
  readonly stream: string;
  readonly symbol: string;
  readonly intentId: string | null;
  /** Deal tickets booked already, so that none is booked twice. */
  readonly deals: readonly number[];
  /** Lots that came in and went out by those deals. */
  readonly volumeIn: string;
  readonly volumeOut: string;
  /** Side of the position by those deals; absent before the first. */
  readonly side?: Side;
  /** Whether an order may still work under the ticket; records of earlier versions do not say. */
  readonly working?: boolean;
  /** When its order lapses, in milliseconds since the epoch; absent when it never does. */
  readonly expiresMs?: number;
  readonly closed: boolean;
}

/** A trade request, written before it is sent. */
export interface IntentRecord {
  readonly key: string;
  readonly strategy: string;
  readonly broker: string;
  readonly intentId: string;
  readonly stream: string | null;
  readonly symbol: string | null;
  /** Ticket it acts on; null for an entry. */
  readonly ticket: number | null;
  readonly call: TradeCall;
  /** True when it opens or enlarges a position. */
  readonly isEntry: boolean;
  readonly createdAtMs: number;
  /** Of a close: deals of its position that were booked by then; absent of anything else, and in earlier records. */
  readonly dealsBefore?: readonly number[];
  /** `open` until its outcome is known for certain. */
  readonly state: 'open' | 'done' | 'rejected' | 'blocked' | 'absent';
  readonly outcome: string | null;
}

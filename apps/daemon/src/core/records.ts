import type { TradeCall } from '@libs/gateway-client';
import type { Side } from '@libs/strategy';
import {
  amounts,
  count,
  decimal,
  each,
  flag,
  jsonText,
  number,
  oneOf,
  orAbsent,
  orNull,
  record,
  text,
  unchecked,
  type Stored,
} from './shape';
import type { StackRecord } from './stack';

export interface TradeRecord {
  readonly timestamp: string | null;
  readonly side: Side;
  readonly symbol: string;
  readonly volume: number;
  readonly price: number;
  readonly realized: number;
}

const haltMembers = {
  /** `daily` ends with the market's day, `persistent` when an operator resumes the strategy. */
  kind: oneOf('daily', 'persistent'),
  reason: text,
  atMs: number,
  /** Whether the positions are to be closed as well; absent: they stay open. */
  flattens: orAbsent(flag),
};
export type HaltRecord = Stored<typeof haltMembers>;

const strategyMembers = {
  name: text,
  /** Capital that the equities below include; absent in records of before it was kept. */
  capital: orAbsent(number),
  /** Realized result of all its deals, costs included. */
  realized: decimal,
  /** The same by gateway; absent in a record of an earlier version without bookings since. */
  realizedOn: orAbsent(amounts),
  /** Deals booked so far. */
  trades: count,
  lastTrade: orNull(unchecked<TradeRecord>()),
  halt: orNull(record(haltMembers)),
  /** Market day the daily loss is counted from, and equity when it began. */
  day: orNull(record({ date: text, equity: decimal })),
  /** Highest equity so far. */
  peakEquity: orNull(decimal),
  /**
   * Of a portfolio: the children whose results the equities above include, with the amount of each. Absent in a
   * strategy's record, and in a portfolio's of before it was kept.
   */
  shares: orAbsent(amounts),
  /** What the deals brought that were booked last: some show their costs later. Absent where costs are never late. */
  lately: orAbsent(each(record({ broker: text, position: count, deal: count, realized: number }))),
  /** Groups of orders of which one has filled, with the ticket of that order: the others are to be cancelled. */
  filledOco: orAbsent(each(record({ group: text, broker: text, ticket: count }))),
};
/** State of a strategy that survives restarts. Money as decimal text, exact to the last digit. */
export type StrategyRecord = Stored<typeof strategyMembers>;
export const strategyShape = record(strategyMembers);

const trailMembers = {
  /** The intent that asked for it. */
  intentId: text,
  /** Side of the position then: a reversal ends the trail. */
  side: oneOf('buy', 'sell'),
  /** Distance of the stop-loss from the best price, in price. */
  distance: number,
  /** Least change of the stop-loss, in price. */
  step: number,
  /** Profit of the position from which on the stop-loss follows, in price; null: at once. */
  activateAt: orNull(number),
};
/** The trailing stop of a position. */
export type TrailRecord = Stored<typeof trailMembers>;

const ticketMembers = {
  strategy: text,
  broker: text,
  ticket: count,
  stream: text,
  symbol: text,
  intentId: orNull(text),
  /** Deal tickets booked already, so that none is booked twice. */
  deals: each(count),
  /** Lots that came in by those deals. */
  volumeIn: decimal,
  /** Lots that went out by those deals. */
  volumeOut: decimal,
  /** Side of the position by those deals; absent before the first. */
  side: orAbsent(oneOf('buy', 'sell')),
  /** Whether an order may still work under the ticket; records of earlier versions do not say. */
  working: orAbsent(flag),
  /** When its order lapses, in milliseconds since the epoch; absent when it never does. */
  expiresMs: orAbsent(number),
  /** The group of its order: the fill of one cancels the others. Absent for an order without a group. */
  oco: orAbsent(text),
  /** What its entry is for, in the words of the strategy; absent without a tag. */
  tag: orAbsent(text),
  /** The stop-loss that the strategy asked for; absent where the strategy's `onLostStop` does not need it. */
  stop: orAbsent(
    record({
      /** Price; 0 for none. */
      sl: number,
      /** Whether the account has shown it. */
      isSeen: flag,
      /** The stop-loss in its place that was acted on already; absent while there was none. */
      handled: orAbsent(number),
    }),
  ),
  /** True from when a close of it was executed until deals of a close are booked; absent at any other time. */
  closeUnread: orAbsent(flag),
  /** Closes of it that failed permanently, until one of the same kind is done; absent without one. */
  failedCloses: orAbsent(
    each(
      record({
        /** Ticket and kind of the request. */
        purpose: text,
        reason: text,
        atMs: number,
      }),
    ),
  ),
  /** Its trailing stop; absent without one. */
  trail: orAbsent(record(trailMembers)),
  closed: flag,
};
/** The stop-loss that a strategy asked for. */
export type StopRecord = NonNullable<Stored<typeof ticketMembers>['stop']>;
/** A position or pending order of a strategy. Its ticket decides, not its magic or comment. */
export type OwnedTicket = Stored<typeof ticketMembers>;
export const ticketShape = record(ticketMembers);

const intentMembers = {
  key: text,
  strategy: text,
  broker: text,
  intentId: text,
  stream: orNull(text),
  symbol: orNull(text),
  /** Ticket it acts on; null for an entry. */
  ticket: orNull(count),
  call: unchecked<TradeCall>(),
  /** The group that its order is to be in; absent for one without a group. */
  oco: orAbsent(text),
  /** The tag of an entry; absent without one. */
  tag: orAbsent(text),
  /** True for a stop-loss that a trailing stop moves; absent for any other request. */
  isTrailing: orAbsent(flag),
  /**
   * True for an exit that a host kept under an earlier lease: another host may have managed its position since, so its
   * outcome is found out, and it is never sent. Absent for any other request.
   */
  isOfEarlierLease: orAbsent(flag),
  /** True when it opens or enlarges a position. */
  isEntry: flag,
  createdAtMs: number,
  /** Id of the gateway's trade journal when it was written; null if unknown, absent in records of version 0.1.0. */
  journalId: orAbsent(orNull(text)),
  /** `open` until its outcome is known for certain. */
  state: oneOf('open', 'done', 'rejected', 'blocked', 'absent'),
  outcome: orNull(text),
};
/** A trade request, written before it is sent. */
export type IntentRecord = Stored<typeof intentMembers>;
export const intentShape = record(intentMembers);

/** What a strategy keeps under `trade.state`. */
export interface StateText {
  /** Version of the declaration that it fits. */
  readonly version: number;
  readonly json: string;
}

const keptMembers = {
  strategy: text,
  /** Version of the state, as the strategy declared it. */
  version: number,
  /** The state itself. */
  json: jsonText,
};
/** The same as stored, with the name of the strategy. */
export type KeptRecord = Stored<typeof keptMembers>;
export const keptShape = record(keptMembers);

/** The changes of one event; they become durable together or not at all. */
export interface Change {
  readonly strategy?: StrategyRecord;
  readonly tickets?: readonly OwnedTicket[];
  readonly intents?: readonly IntentRecord[];
  /** Entries that were not sent because their write failed: one that was stored all the same is recorded as absent. */
  readonly unsent?: readonly IntentRecord[];
  readonly stacks?: readonly StackRecord[];
  readonly kept?: KeptRecord;
}

/** Record of a strategy that never traded. */
export function blankRecord(name: string): StrategyRecord {
  return {
    name,
    realized: '0',
    realizedOn: {},
    trades: 0,
    lastTrade: null,
    halt: null,
    day: null,
    peakEquity: null,
  };
}

/**
 * A record with its result by gateway. A record of an earlier version lacks it: it is certain if there was only one
 * gateway, or no trade, and stays unknown otherwise.
 */
export function withRealizedOn(record: StrategyRecord, brokers: readonly string[]): StrategyRecord {
  if (record.realizedOn !== undefined) return record;
  if (record.trades === 0) return { ...record, realizedOn: {} };
  const [only] = brokers;
  return only !== undefined && brokers.length === 1 ? { ...record, realizedOn: { [only]: record.realized } } : record;
}

import type { DealRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { Change, OwnedTicket, StrategyRecord, TradeRecord } from './records';
import { bookDeals, isOver, tradeRecordOf, exactTotal } from './deal-booking';

/** What one strategy owns and has earned. Plain data. */
export interface Ledger {
  readonly version: 1;
  readonly record: StrategyRecord;
  /** Its open positions and pending orders, by {@link ticketKey}. */
  readonly tickets: ReadonlyMap<string, OwnedTicket>;
}

type LedgerEvent =
  /** Tickets became the strategy's: by the answer to an entry, or by adoption. */
  | { readonly type: 'claimed'; readonly tickets: readonly OwnedTicket[] }
  /** The deals of a position were read. */
  | {
      readonly type: 'deals';
      readonly broker: string;
      readonly ticket: number;
      readonly deals: readonly DealRecord[];
      /** Intents of the deals, by deal, as far as known. */
      readonly intents: ReadonlyMap<number, string | null>;
      /** Whether the last account snapshot has the position. */
      readonly isSeen: boolean;
    }
  | { readonly type: 'capital'; readonly capital: number };

/** The effects of an event. */
export interface Booked {
  readonly ledger: Ledger;
  /** What becomes durable, as a whole or not at all; empty if nothing changed. */
  readonly change: Change;
  /** New fills, in the order of execution. */
  readonly fills: readonly Fill[];
}

/** A strategy's ledger as the state has it. */
export function ledgerOf(record: StrategyRecord, tickets: readonly OwnedTicket[]): Ledger {
  return applied({ version: 1, record, tickets: new Map() }, { tickets });
}

/** The ledger after a change; a closed ticket leaves it. */
export function applied(ledger: Ledger, { strategy, tickets = [] }: Change): Ledger {
  const record = strategy ?? ledger.record;
  if (tickets.length === 0) return { version: 1, record, tickets: ledger.tickets };
  const after = new Map(ledger.tickets);
  for (const owned of tickets) {
    const key = ticketKey(owned.broker, owned.ticket);
    if (owned.closed) after.delete(key);
    else after.set(key, owned);
  }
  return { version: 1, record, tickets: after };
}

/** Books an event. An event that was booked before changes nothing. */
export function book(ledger: Ledger, event: LedgerEvent): Booked {
  switch (event.type) {
    case 'claimed': {
      const tickets = event.tickets.filter(({ broker, ticket }) => ownedOf(ledger, broker, ticket) === null);
      return changed(ledger, tickets.length === 0 ? {} : { tickets });
    }
    case 'deals':
      return dealsBooked(ledger, event);
    case 'capital': {
      const strategy = withCapital(ledger.record, event.capital);
      return changed(ledger, strategy === ledger.record ? {} : { strategy });
    }
  }
}

/** An open ticket of the strategy; null if it is not in the ledger. */
export function ownedOf({ tickets }: Ledger, broker: string, ticket: number): OwnedTicket | null {
  return tickets.get(ticketKey(broker, ticket)) ?? null;
}

/** Realized result of the strategy on a gateway; null if a record of an earlier version lacks it. */
export function realizedOn({ realizedOn: by }: StrategyRecord, broker: string): Decimal | null {
  return by ? new Decimal(by[broker] ?? 0) : null;
}

function dealsBooked(ledger: Ledger, event: Extract<LedgerEvent, { type: 'deals' }>): Booked {
  const { broker, ticket, deals, intents, isSeen } = event;
  const before = ownedOf(ledger, broker, ticket);
  if (before === null) return changed(ledger, {});
  const intentOf = (deal: DealRecord): string | null =>
    intents.get(deal.ticket) ?? ownedOf(ledger, broker, deal.order)?.intentId ?? null;
  const { owned, fills } = bookDeals(before, deals, intentOf);
  // A rollover is two deals: between them nothing is open, and yet the position's row stays.
  const closed = isOver(owned) && !isSeen;
  if (owned === before && !closed) return changed(ledger, {});
  const tickets = [{ ...owned, closed }];
  const change = fills.length === 0 ? { tickets } : { strategy: withFills(ledger.record, broker, fills), tickets };
  return { ledger: applied(ledger, change), change, fills };
}

function withFills(record: StrategyRecord, broker: string, fills: readonly Fill[]): StrategyRecord {
  const results = fills.map(({ realized }) => realized).filter((realized) => realized !== 0);
  const sum = (from: string): string => (results.length === 0 ? from : exactTotal(from, results));
  const { realizedOn: by } = record;
  const realized = sum(record.realized);
  const before = by?.[broker] ?? '0';
  const booked = {
    realized,
    trades: record.trades + fills.length,
    lastTrade: fills.reduce<TradeRecord | null>((last, fill) => later(last, tradeRecordOf(fill)), record.lastTrade),
  };
  // Not spread: V8 makes a new hidden class for each copy of a copy.
  const after: StrategyRecord = Object.assign({}, record, booked);
  return by
    ? Object.assign(after, {
        realizedOn: Object.assign({}, by, { [broker]: before === record.realized ? realized : sum(before) }),
      })
    : after;
}

/** A deal that is shown late does not become the last trade. */
function later(last: TradeRecord | null, trade: TradeRecord): TradeRecord {
  const isEarlier = last?.timestamp != null && trade.timestamp !== null && trade.timestamp < last.timestamp;
  return isEarlier ? last : trade;
}

function changed(ledger: Ledger, change: Change): Booked {
  return { ledger: applied(ledger, change), change, fills: [] };
}

/** The record with a different capital: adding or removing capital must not count as a profit or a drawdown. */
export function withCapital(record: StrategyRecord, capital: number): StrategyRecord {
  if (record.capital === capital) return record;
  const moved = new Decimal(capital).minus(record.capital ?? capital);
  return { ...withEquityMoved(record, moved), capital };
}

/** The record with all its equities shifted by an amount that is neither profit nor loss. */
export function withEquityMoved(record: StrategyRecord, by: Decimal): StrategyRecord {
  const moved = (equity: string): string => by.plus(equity).toString();
  const { day, peakEquity } = record;
  return {
    ...record,
    day: day === null ? null : { ...day, equity: moved(day.equity) },
    peakEquity: peakEquity === null ? null : moved(peakEquity),
  };
}

/** The last key that was made: the same ticket is looked up many times in a row, and each new text has to be hashed. */
const last = { broker: '', ticket: Number.NaN, key: '' };

/** Key of a ticket over all gateways: two brokers may use the same numbers. */
export function ticketKey(broker: string, ticket: number): string {
  if (ticket !== last.ticket || broker !== last.broker) {
    last.key = `${broker}:${ticket}`;
    last.ticket = ticket;
    last.broker = broker;
  }
  return last.key;
}

import type { DealRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { PendingOrder, Position } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import { isWorking, openVolume, isProfitDoubted } from './deal-booking';
import { applied, book, ledgerOf, ownedOf, realizedOn, type Booked, type Ledger, ticketKey } from './ledger';
import { agrees, type AccountRows } from './account-rows';
import type { Unexplained } from '@libs/account-evidence';
import { believedRow, isUnexplained, lackOf } from './position-evidence';
import type { StrategySpec } from './strategy-spec';
import type { Change, OwnedTicket, StrategyRecord } from './records';
import { floatingOf, pendingOrderOf, positionOf } from './book-view';

/** The rows of a ticket in the last account snapshot. */
interface Rows {
  readonly position: PositionRecord | undefined;
  readonly order: OrderRecord | undefined;
  /** The position as it was last shown, while the account lacks it and no deal closed it. */
  readonly last?: PositionRecord;
  /** The last list contradicted the deals that were booked when it was seen. */
  readonly isDoubtful?: true;
  /** Looks in a row at which the profit of the position was not believed: the row has the figures of before. */
  readonly profitDoubts?: number;
}

/** A position whose floating profit is not believed. */
export interface DoubtedProfit {
  readonly shown: PositionRecord;
  readonly believed: PositionRecord;
}

interface Entry extends Rows {
  readonly owned: OwnedTicket;
}

/** What the account snapshots have shown of a strategy's tickets. Plain data. */
export interface BookRows {
  /** The rows of each ticket in the last snapshot. */
  readonly of: readonly ({ readonly key: string } & Partial<Rows>)[];
  /** Tickets that positions have come to have by reversals and rollovers, as far as the deals of that are booked. */
  readonly renamed: readonly (readonly [key: string, ticket: number])[];
  /** Gateways with a snapshot since the process began: before it, the open positions there are unknown. */
  readonly seen: readonly string[];
}

/** Of a start: no snapshot has come. */
export const noRows: BookRows = { of: [], renamed: [], seen: [] };

const withoutRows: Rows = { position: undefined, order: undefined };

/**
 * Positions, orders and results of one strategy. Ownership is by gateway and ticket, results by the broker's deals; the
 * terminal's rows only give the current value of open positions.
 */
export class StrategyBook {
  private readonly rowsOf: Map<string, Rows>;
  private readonly renamed: Map<string, number>;
  private readonly seen: Set<string>;
  private ledger: Ledger;
  /** The tickets of the ledger as a list. */
  private listed: { readonly of: Ledger['tickets'] | null; readonly tickets: readonly OwnedTicket[] } = {
    of: null,
    tickets: [],
  };
  /** The balance as a double, and what it was made of. */
  private summed = { realized: '', capital: Number.NaN, balance: Number.NaN };

  constructor(
    private currentSpec: StrategySpec,
    record: StrategyRecord,
    tickets: readonly OwnedTicket[],
    rows = noRows,
  ) {
    this.rowsOf = new Map(
      rows.of.map(({ key, position, order, last, isDoubtful, profitDoubts }) => [
        key,
        rowsWith(position, order, last, isDoubtful, profitDoubts),
      ]),
    );
    this.renamed = new Map(rows.renamed);
    this.seen = new Set(rows.seen);
    this.ledger = ledgerOf(record, []);
    this.respec(currentSpec);
    this.apply({ tickets });
  }

  get spec(): StrategySpec {
    return this.currentSpec;
  }

  get record(): StrategyRecord {
    return this.ledger.record;
  }

  /** What the account snapshots have shown. */
  get rows(): BookRows {
    const of = [...this.rowsOf].map(([key, rows]) => ({ key, ...rows }));
    return { of, renamed: [...this.renamed], seen: [...this.seen] };
  }

  get openTickets(): readonly OwnedTicket[] {
    const { tickets } = this.ledger;
    if (this.listed.of !== tickets) this.listed = { of: tickets, tickets: [...tickets.values()] };
    return this.listed.tickets;
  }

  get realized(): Decimal {
    return new Decimal(this.record.realized);
  }

  get balance(): Decimal {
    return this.realized.plus(this.spec.capital);
  }

  /** {@link balance} as a double, for code that reads it with every price. */
  get balanceNumber(): number {
    const { realized } = this.record;
    const { capital } = this.spec;
    if (this.summed.realized !== realized || this.summed.capital !== capital) {
      this.summed = { realized, capital, balance: this.balance.toNumber() };
    }
    return this.summed.balance;
  }

  /** Tickets at gateways without a snapshot: their state and value are unknown. */
  get unseen(): readonly OwnedTicket[] {
    return this.openTickets.filter(({ broker }) => !this.seen.has(broker));
  }

  /**
   * Whether {@link unrealized} and {@link equity} cover everything the strategy owns; until then they are incomplete.
   */
  get isEquityKnown(): boolean {
    return this.unseen.length === 0;
  }

  get unrealized(): Decimal {
    return this.positionRows.reduce((sum, row) => sum.plus(floatingOf(row)), new Decimal(0));
  }

  get equity(): Decimal {
    return this.balance.plus(this.unrealized);
  }

  get positionRows(): readonly PositionRecord[] {
    return this.entries.flatMap(({ position }) => position ?? []);
  }

  /** Open positions as last reported by the terminal, oldest first. */
  get held(): readonly { readonly owned: OwnedTicket; readonly position: PositionRecord }[] {
    return this.entries
      .flatMap(({ owned, position }) => (position ? [{ owned, position }] : []))
      .sort((a, b) => a.position.time_msc - b.position.time_msc || a.position.ticket - b.position.ticket);
  }

  /** Positions that the booked deals leave open, and that no account snapshot has shown. */
  get unshown(): readonly OwnedTicket[] {
    return this.entries.flatMap(({ owned, position }) => (!position && openVolume(owned).gt(0) ? [owned] : []));
  }

  /** Orders that were executed or accepted, and that the last account snapshot shows neither as an order nor as a position. */
  get awaited(): readonly OwnedTicket[] {
    return this.entries.flatMap(({ owned, position, order }) =>
      position || order || !this.seen.has(owned.broker) ? [] : [owned],
    );
  }

  get positions(): readonly Position[] {
    return this.held.map(({ owned, position }) => positionOf(owned, position));
  }

  get orders(): readonly PendingOrder[] {
    return this.entries.flatMap(({ owned, order }) => (order ? pendingOrderOf(owned, order) : []));
  }

  /** Lots of a ticket that are open by its booked deals, as exact text; null when it is not open. */
  bookedVolume(broker: string, ticket: number): string | null {
    const owned = this.find(broker, ticket);
    return owned ? openVolume(owned).toString() : null;
  }

  /**
   * Lots of a ticket that are open by its booked deals or by the last account snapshot, whichever is more: either may lag
   * behind. Null when the ticket is not in the books.
   */
  heldVolume(broker: string, ticket: number): Decimal | null {
    const owned = this.find(broker, ticket);
    return owned && Decimal.max(openVolume(owned), this.positionRow(broker, ticket)?.volume ?? 0);
  }

  /** The ticket of a position or an order in the books. */
  find(broker: string, ticket: number): OwnedTicket | null {
    return ownedOf(this.ledger, broker, ticket);
  }

  owns(broker: string, ticket: number): boolean {
    return ownedOf(this.ledger, broker, ticket) !== null;
  }

  /** Tickets with this number on any gateway; a position also by the ticket that a reversal or rollover gave it. */
  named(ticket: number): readonly OwnedTicket[] {
    return this.entries
      .filter(({ owned, position }) => owned.ticket === ticket || position?.ticket === ticket)
      .map(({ owned }) => owned);
  }

  /** The position's row in the last account snapshot; undefined if there is none. */
  positionRow(broker: string, ticket: number): PositionRecord | undefined {
    return this.rowsOf.get(ticketKey(broker, ticket))?.position;
  }

  /** The ticket under which the terminal knows a position or an order: that of its last row, also if the account lacks it now. */
  terminalTicket(broker: string, ticket: number): number {
    const { position, last } = this.rowsOf.get(ticketKey(broker, ticket)) ?? withoutRows;
    return (position ?? last)?.ticket ?? ticket;
  }

  orderRow(broker: string, ticket: number): OrderRecord | undefined {
    return this.rowsOf.get(ticketKey(broker, ticket))?.order;
  }

  /**
   * The change that books further deals of a ticket, and the fills they are; an empty one when there is nothing new.
   */
  booking(
    broker: string,
    ticket: number,
    deals: readonly DealRecord[],
    intentOf: (deal: DealRecord) => string | null,
  ): Pick<Booked, 'change' | 'fills'> {
    const isSeen = this.positionRow(broker, ticket) !== undefined;
    const intents = new Map(deals.map((deal) => [deal.ticket, intentOf(deal)]));
    return book(this.ledger, { type: 'deals', broker, ticket, deals, intents, isSeen });
  }

  /** The change that adds tickets to the strategy's books; those that are in the books already stay unchanged. */
  claiming(tickets: readonly OwnedTicket[]): Change {
    return book(this.ledger, { type: 'claimed', tickets }).change;
  }

  /** Applies a changed configuration; positions, orders and results stay. */
  respec(spec: StrategySpec): void {
    this.currentSpec = spec;
    this.ledger = book(this.ledger, { type: 'capital', capital: spec.capital }).ledger;
  }

  /** Realized result of the strategy on a gateway; null if a record of an earlier version lacks it. */
  realizedOn(broker: string): Decimal | null {
    return realizedOn(this.record, broker);
  }

  /** Remembers the current ticket of a position if one of these booked deals gave it to the position. */
  noteBooked(broker: string, ticket: number, deals: readonly DealRecord[]): void {
    const row = this.positionRow(broker, ticket);
    if (row && deals.some(({ order }) => order === row.ticket)) {
      this.renamed.set(ticketKey(broker, ticket), row.ticket);
    }
  }

  /** Applies a change of this strategy. */
  apply(change: Change): void {
    this.ledger = applied(this.ledger, change);
    for (const { broker, ticket, closed } of change.tickets ?? []) {
      if (!closed) continue;
      this.rowsOf.delete(ticketKey(broker, ticket));
      this.renamed.delete(ticketKey(broker, ticket));
    }
  }

  /**
   * Applies the rows of one gateway's positions and orders.
   * @param moneyDigits decimals of the account's currency; undefined if they are not known
   * @returns profits that are not believed from now on
   */
  see(broker: string, rows: AccountRows, moneyDigits?: number): readonly DoubtedProfit[] {
    const doubted: DoubtedProfit[] = [];
    this.seen.add(broker);
    for (const owned of this.openTickets) {
      const { broker: gateway, ticket } = owned;
      if (gateway !== broker) continue;
      const key = ticketKey(broker, ticket);
      const shown = rows.position(ticket);
      const before = this.rowsOf.get(key);
      const doubts = doubtsOf(before, shown, rows, moneyDigits);
      const position = doubts === undefined ? shown : withFiguresOf(before?.position, shown);
      if (doubts === 1 && shown && before?.position) doubted.push({ shown, believed: before.position });
      // Deals that are booked after a list was seen are no contradiction to it.
      const isDoubtful = isUnexplained(owned, position) ? true : undefined;
      const last = isDoubtful && !position ? (before?.position ?? before?.last) : undefined;
      this.rowsOf.set(key, rowsWith(position, rows.order(ticket), last, isDoubtful, doubts));
    }
    return doubted;
  }

  /** Positions of this gateway whose floating profit is not believed. */
  doubtedProfits(broker: string): readonly number[] {
    return this.openTickets.flatMap((owned) => {
      if (owned.broker !== broker) return [];
      return this.rowsOf.get(ticketKey(broker, owned.ticket))?.profitDoubts === undefined ? [] : [owned.ticket];
    });
  }

  /** Ignores a gateway that is no longer configured: its positions count as nothing from now on. */
  forgo(broker: string): void {
    this.seen.add(broker);
  }

  /** True while an order may work under one of this gateway's tickets: then its pending orders have to be read. */
  hasWorkingOrders(broker: string): boolean {
    return this.openTickets.some((owned) => owned.broker === broker && isWorking(owned));
  }

  /** Tickets whose rows do not agree with their booked deals: something happened that is not booked yet. */
  unsettled(broker: string): readonly OwnedTicket[] {
    return this.openTickets.filter((owned) => {
      if (owned.broker !== broker) return false;
      const key = ticketKey(broker, owned.ticket);
      return !agrees(owned, this.rowsOf.get(key) ?? withoutRows, this.renamed.get(key) ?? owned.ticket);
    });
  }

  /** What the last account snapshot of this gateway lacks of the tickets, although no deal closed it. */
  unexplained(broker: string): readonly Unexplained[] {
    if (!this.seen.has(broker)) return [];
    return this.openTickets.flatMap((owned) => {
      const rows = owned.broker === broker ? this.rowsOf.get(ticketKey(broker, owned.ticket)) : undefined;
      return (rows?.isDoubtful === true ? lackOf(owned, rows.position) : null) ?? [];
    });
  }

  /** The tickets of the ledger with their rows; a position that is gone without a deal has its last one. */
  private get entries(): readonly Entry[] {
    return this.openTickets.map((owned) => {
      const { position, order, last } = this.rowsOf.get(ticketKey(owned.broker, owned.ticket)) ?? withoutRows;
      return { owned, position: believedRow(owned, position, last), order };
    });
  }
}

function rowsWith(
  position: Rows['position'],
  order: Rows['order'],
  last: Rows['last'],
  isDoubtful: Rows['isDoubtful'],
  profitDoubts: Rows['profitDoubts'],
): Rows {
  // The usual form, with the members that each step of a backtest makes.
  if (last === undefined && isDoubtful === undefined && profitDoubts === undefined) return { position, order };
  return {
    position,
    order,
    ...(last ? { last } : {}),
    ...(isDoubtful ? { isDoubtful } : {}),
    ...(profitDoubts === undefined ? {} : { profitDoubts }),
  };
}

/** Looks in a row at which the profit of a row is doubted, with this one; undefined if it is believed. */
function doubtsOf(
  before: Rows | undefined,
  shown: PositionRecord | undefined,
  rows: AccountRows,
  moneyDigits: number | undefined,
): number | undefined {
  const { accountProfit } = rows;
  if (accountProfit === undefined || shown === undefined || before?.position === undefined) return undefined;
  const looks = before.profitDoubts ?? 0;
  const facts = { profits: rows.profits, accountProfit, looks };
  return isProfitDoubted(before.position, shown, facts, moneyDigits) ? looks + 1 : undefined;
}

/** A row with the price and the profit that were believed last. */
function withFiguresOf(
  believed: PositionRecord | undefined,
  shown: PositionRecord | undefined,
): PositionRecord | undefined {
  return believed && shown && { ...shown, price_current: believed.price_current, profit: believed.profit };
}

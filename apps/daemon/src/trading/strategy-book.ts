import type { DealRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { Fill, PendingOrder, Position } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { StrategySpec } from '../daemon-file/daemon-file';
import type { OwnedTicket, StrategyRecord } from '../state/records';
import type { Change } from '../state/state-store';
import type { AccountRows } from './account-rows';
import { floatingOf, pendingOrderOf, positionOf, sideOf } from './book-view';
import { withCapital } from './capital-change';
import { bookDeals, isOver, isWorking, openVolume, tradeRecordOf } from './deal-booking';
import { ticketKey } from './ticket-key';

/** A ticket of the books with what the last look at its account showed of it. */
interface Entry {
  readonly owned: OwnedTicket;
  readonly position: PositionRecord | undefined;
  readonly order: OrderRecord | undefined;
}

/**
 * What one strategy owns and has earned. Ownership goes by gateway and ticket, money by the broker's deals; the
 * terminal's rows only tell what the open positions are worth at the moment.
 */
export class StrategyBook {
  private readonly entries = new Map<string, Entry>();
  /** Tickets that positions have come to have by reversals and rollovers, as far as the deals of that are booked. */
  private readonly renamed = new Map<string, number>();
  /** Gateways whose rows were taken over since the process began: until then nothing tells what is open there. */
  private readonly seen = new Set<string>();

  constructor(
    private currentSpec: StrategySpec,
    private current: StrategyRecord,
    tickets: readonly OwnedTicket[],
  ) {
    this.current = withCapital(current, currentSpec.capital);
    this.apply({ tickets });
  }

  get spec(): StrategySpec {
    return this.currentSpec;
  }

  get record(): StrategyRecord {
    return this.current;
  }

  get openTickets(): readonly OwnedTicket[] {
    return [...this.entries.values()].map(({ owned }) => owned);
  }

  get realized(): Decimal {
    return new Decimal(this.current.realized);
  }

  get balance(): Decimal {
    return this.realized.plus(this.spec.capital);
  }

  /** Tickets at gateways that were not looked at yet: what became of them, and what they are worth, is not known. */
  get unseen(): readonly OwnedTicket[] {
    return this.openTickets.filter(({ broker }) => !this.seen.has(broker));
  }

  /** Whether {@link unrealized} and {@link equity} are those of all it owns; nothing may be concluded from them before. */
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
    return [...this.entries.values()].flatMap(({ position }) => position ?? []);
  }

  /** Open positions as the terminal last showed them, with whose they are; the oldest first. */
  get held(): readonly { readonly owned: OwnedTicket; readonly position: PositionRecord }[] {
    return [...this.entries.values()]
      .flatMap(({ owned, position }) => (position ? [{ owned, position }] : []))
      .sort((a, b) => a.position.time_msc - b.position.time_msc || a.position.ticket - b.position.ticket);
  }

  get positions(): readonly Position[] {
    return this.held.map(({ owned, position }) => positionOf(owned, position));
  }

  get orders(): readonly PendingOrder[] {
    return [...this.entries.values()].flatMap(({ owned, order }) => (order ? pendingOrderOf(owned, order) : []));
  }

  /** Lots of a ticket that are open by its booked deals, as exact text; null when it is not open. */
  bookedVolume(broker: string, ticket: number): string | null {
    const owned = this.find(broker, ticket);
    return owned ? openVolume(owned).toString() : null;
  }

  /** The ticket by which the books know a position or an order. */
  find(broker: string, ticket: number): OwnedTicket | null {
    return this.entries.get(ticketKey(broker, ticket))?.owned ?? null;
  }

  owns(broker: string, ticket: number): boolean {
    return this.entries.has(ticketKey(broker, ticket));
  }

  /** Everything that goes by this number, on whichever gateway; a position also by the ticket it has come to have. */
  named(ticket: number): readonly OwnedTicket[] {
    return [...this.entries.values()]
      .filter(({ owned, position }) => owned.ticket === ticket || position?.ticket === ticket)
      .map(({ owned }) => owned);
  }

  /** The position's row as of the last look; undefined when there was none. */
  positionRow(broker: string, ticket: number): PositionRecord | undefined {
    return this.entries.get(ticketKey(broker, ticket))?.position;
  }

  orderRow(broker: string, ticket: number): OrderRecord | undefined {
    return this.entries.get(ticketKey(broker, ticket))?.order;
  }

  /** The change that books further deals of a ticket, and the fills they are; an empty one when there is nothing new. */
  booking(
    broker: string,
    ticket: number,
    deals: readonly DealRecord[],
    intentOf: (deal: DealRecord) => string | null,
  ): { readonly change: Change; readonly fills: readonly Fill[] } {
    const before = this.find(broker, ticket);
    if (!before) return { change: {}, fills: [] };
    const byOrder = (deal: DealRecord): string | null => this.find(broker, deal.order)?.intentId ?? null;
    const { owned, fills } = bookDeals(before, deals, (deal) => intentOf(deal) ?? byOrder(deal));
    // A rollover is two deals: between them nothing is open, and yet the position's row stays.
    const closed = isOver(owned) && !this.positionRow(broker, ticket);
    const last = fills.at(-1);
    if (!last) return { change: closed ? { tickets: [{ ...owned, closed }] } : {}, fills };
    const realized = fills.reduce((sum, fill) => sum.plus(fill.realized), this.realized);
    const strategy: StrategyRecord = {
      ...this.current,
      realized: realized.toString(),
      ...(this.current.realizedOn ? { realizedOn: this.realizedOnWith(before.broker, fills) } : {}),
      trades: this.current.trades + fills.length,
      lastTrade: tradeRecordOf(last),
    };
    return { change: { strategy, tickets: [{ ...owned, closed }] }, fills };
  }

  /** What it owns and has earned stays, whatever the configuration says now. */
  respec(spec: StrategySpec): void {
    this.currentSpec = spec;
    this.current = withCapital(this.current, spec.capital);
  }

  /** What the strategy has earned on a gateway; null when a record of an earlier version does not tell. */
  realizedOn(broker: string): Decimal | null {
    const { realizedOn } = this.current;
    return realizedOn ? new Decimal(realizedOn[broker] ?? 0) : null;
  }

  private realizedOnWith(broker: string, fills: readonly Fill[]): Readonly<Record<string, string>> {
    const before = this.realizedOn(broker) ?? new Decimal(0);
    const realized = fills.reduce((sum, fill) => sum.plus(fill.realized), before);
    return { ...this.current.realizedOn, [broker]: realized.toString() };
  }

  /** Notes which of these deals, booked by now, gave the position the ticket it has. */
  noteBooked(broker: string, ticket: number, deals: readonly DealRecord[]): void {
    const row = this.positionRow(broker, ticket);
    if (row && deals.some(({ order }) => order === row.ticket)) {
      this.renamed.set(ticketKey(broker, ticket), row.ticket);
    }
  }

  /** Takes over a change of this strategy's. */
  apply({ strategy, tickets }: Change): void {
    if (strategy) this.current = strategy;
    for (const owned of tickets ?? []) {
      const key = ticketKey(owned.broker, owned.ticket);
      if (owned.closed) {
        this.entries.delete(key);
        this.renamed.delete(key);
      } else this.entries.set(key, { position: undefined, order: undefined, ...this.entries.get(key), owned });
    }
  }

  /** Takes over what the terminal says of one gateway's positions and orders. */
  see(broker: string, rows: AccountRows): void {
    this.seen.add(broker);
    for (const [key, { owned }] of this.entries) {
      if (owned.broker !== broker) continue;
      this.entries.set(key, { owned, position: rows.position(owned.ticket), order: rows.order(owned.ticket) });
    }
  }

  /** Goes on without a gateway that is not configured any more: what is there is counted for nothing, and for good. */
  forgo(broker: string): void {
    this.seen.add(broker);
  }

  /** True while an order may work under one of this gateway's tickets: then its pending orders have to be read. */
  hasWorkingOrders(broker: string): boolean {
    return this.openTickets.some((owned) => owned.broker === broker && isWorking(owned));
  }

  /** Tickets whose rows do not agree with their booked deals: something happened that is not booked yet. */
  unsettled(broker: string): readonly OwnedTicket[] {
    return [...this.entries]
      .filter(([key, entry]) => entry.owned.broker === broker && !(isSettled(entry) && this.isNameBooked(key, entry)))
      .map(([, { owned }]) => owned);
  }

  /** A position under another ticket was reversed or rolled over, even if as much is open as before. */
  private isNameBooked(key: string, { owned, position }: Entry): boolean {
    return !position || position.ticket === (this.renamed.get(key) ?? owned.ticket);
  }
}

function isSettled({ owned, position, order }: Entry): boolean {
  const open = openVolume(owned);
  if (isWorking(owned) && !order) return false;
  // What an order brought may have gone out again unseen. (On a netting account it may be in another position, too.)
  if (order && new Decimal(order.volume_initial).minus(order.volume_current).gt(owned.volumeIn)) return false;
  if (!position) return isWorking(owned) && open.isZero();
  return open.eq(position.volume) && (owned.side ?? sideOf(position)) === sideOf(position);
}

import type { DealRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { Fill, PendingOrder, Position } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { StrategySpec } from '../daemon-file/daemon-file';
import type { OwnedTicket, StrategyRecord } from '../state/records';
import type { Change } from '../state/state-store';
import { withCapital } from './capital-change';
import { bookDeals, openVolume, tradeRecordOf } from './deal-booking';

/**
 * What one strategy owns and has earned. Ownership goes by ticket, money by the broker's deals; the terminal's rows only
 * tell what the open positions are worth at the moment.
 */
export class StrategyBook {
  private readonly owned = new Map<number, OwnedTicket>();
  private rows: readonly PositionRecord[] = [];
  private pending: readonly OrderRecord[] = [];

  constructor(
    private currentSpec: StrategySpec,
    private current: StrategyRecord,
    tickets: readonly OwnedTicket[],
  ) {
    this.current = withCapital(current, currentSpec.capital);
    for (const ticket of tickets) this.owned.set(ticket.ticket, ticket);
  }

  get spec(): StrategySpec {
    return this.currentSpec;
  }

  get record(): StrategyRecord {
    return this.current;
  }

  get openTickets(): readonly OwnedTicket[] {
    return [...this.owned.values()];
  }

  get realized(): Decimal {
    return new Decimal(this.current.realized);
  }

  get balance(): Decimal {
    return this.realized.plus(this.spec.capital);
  }

  /** Floating results of the open positions as the terminal last stated them, swap included. */
  get unrealized(): Decimal {
    return this.rows.reduce((sum, { profit, swap }) => sum.plus(profit).plus(swap), new Decimal(0));
  }

  get equity(): Decimal {
    return this.balance.plus(this.unrealized);
  }

  get positionRows(): readonly PositionRecord[] {
    return this.rows;
  }

  get pendingRows(): readonly OrderRecord[] {
    return this.pending;
  }

  get positions(): readonly Position[] {
    return this.rows.map((row) => ({
      ticket: row.ticket,
      stream: this.owned.get(row.ticket)?.stream ?? '',
      symbol: row.symbol,
      side: row.type === 0 ? 'buy' : 'sell',
      volume: row.volume,
      avgPrice: row.price_open,
      sl: row.sl,
      tp: row.tp,
      unrealized: new Decimal(row.profit).plus(row.swap).toNumber(),
      openedAtMs: row.time_utc === null ? row.time_msc : Date.parse(row.time_utc),
    }));
  }

  get orders(): readonly PendingOrder[] {
    return this.pending.map((row) => ({
      ticket: row.ticket,
      stream: this.owned.get(row.ticket)?.stream ?? '',
      symbol: row.symbol,
      side: row.type % 2 === 0 ? 'buy' : 'sell',
      kind: row.type <= 3 ? 'limit' : row.type <= 5 ? 'stop' : 'stop_limit',
      volume: row.volume_current,
      price: row.price_open,
    }));
  }

  /** Lots of a ticket that are open by its booked deals, as exact text; null when it is not open. */
  bookedVolume(ticket: number): string | null {
    const owned = this.owned.get(ticket);
    return owned ? openVolume(owned).toString() : null;
  }

  owns(ticket: number): boolean {
    return this.owned.has(ticket);
  }

  /** The change that books further deals of a ticket, and the fills they are; empty when there is nothing new. */
  booking(
    ticket: number,
    deals: readonly DealRecord[],
    intentOf: (deal: DealRecord) => string | null,
  ): { readonly change: Change; readonly fills: readonly Fill[] } {
    const before = this.owned.get(ticket);
    if (!before) return { change: {}, fills: [] };
    const { owned, fills } = bookDeals(before, deals, intentOf);
    const last = fills.at(-1);
    if (!last) return { change: {}, fills: [] };
    const realized = fills.reduce((sum, fill) => sum.plus(fill.realized), this.realized);
    const strategy: StrategyRecord = {
      ...this.current,
      realized: realized.toString(),
      ...(this.current.realizedOn ? { realizedOn: this.realizedOnWith(before.broker, fills) } : {}),
      trades: this.current.trades + fills.length,
      lastTrade: tradeRecordOf(last),
    };
    return { change: { strategy, tickets: [owned] }, fills };
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

  /** Takes over a change of this strategy's. */
  apply({ strategy, tickets }: Change): void {
    if (strategy) this.current = strategy;
    for (const ticket of tickets ?? []) {
      if (ticket.closed) this.owned.delete(ticket.ticket);
      else this.owned.set(ticket.ticket, ticket);
    }
    this.rows = this.rows.filter(({ ticket }) => this.owned.has(ticket));
    this.pending = this.pending.filter(({ ticket }) => this.owned.has(ticket));
  }

  /** Takes over what the terminal says of one gateway's positions and orders. */
  see(broker: string, positions: readonly PositionRecord[], orders: readonly OrderRecord[]): void {
    const mine = (ticket: number): boolean => this.owned.get(ticket)?.broker === broker;
    const elsewhere = <Row extends { ticket: number }>(rows: readonly Row[]): Row[] =>
      rows.filter(({ ticket }) => this.owned.get(ticket)?.broker !== broker);
    this.rows = [...elsewhere(this.rows), ...positions.filter(({ ticket }) => mine(ticket))];
    this.pending = [...elsewhere(this.pending), ...orders.filter(({ ticket }) => mine(ticket))];
  }

  /** Tickets whose rows do not agree with their booked deals: something happened that is not booked yet. */
  unsettled(broker: string): readonly OwnedTicket[] {
    return this.openTickets.filter((owned) => {
      if (owned.broker !== broker) return false;
      if (this.pending.some(({ ticket }) => ticket === owned.ticket)) return false;
      const row = this.rows.find(({ ticket }) => ticket === owned.ticket);
      return row === undefined || !openVolume(owned).eq(row.volume);
    });
  }
}

import { Decimal } from 'decimal.js';
import { balanceChange, type ExplainedAccount, type ExplainedPosition } from '@libs/account-evidence';
import type { TradeDeal, TradeOrder } from '@libs/terminal-client';
import { DraftMap } from './draft-map';
import { SeenTickets, type SeenBounds } from './seen-tickets';

const closedKept = 500;

/** A position, and the last of the deals that were reported with earlier changes of it. */
export type KnownPosition = ExplainedPosition;

/** What changed since the last commit, as it is stored; null is removed. */
export interface KnownAccountChanges {
  readonly positions: ReadonlyMap<number, KnownPosition | null>;
  readonly orders: ReadonlyMap<number, TradeOrder | null>;
  readonly deals: ReadonlyMap<number, number | null>;
  readonly doneOrders: ReadonlyMap<number, number | null>;
  /** Money of recent deals, in the deposit currency. */
  readonly amounts: ReadonlyMap<number, number | null>;
  readonly summary: KnownAccountSummary;
}

/** The small part of an account, stored as one record. */
export interface KnownAccountSummary {
  readonly deals: SeenBounds;
  readonly doneOrders: SeenBounds;
  readonly closedLately: readonly number[];
  /** Balance after the reported deals, in the deposit currency; absent or null while it is not known. */
  readonly balance?: number | null;
  /** Number of deals of the latest day; absent while none was counted. */
  readonly day?: DealsOfDay;
}

/** The deals of a day of the server, which starts at a multiple of 86,400 s. */
interface DealsOfDay {
  readonly startS: number;
  readonly count: number;
}

const noDay: DealsOfDay = { startS: 0, count: 0 };
const daySeconds = 86_400;

/** Start of the day of a time, in server seconds. */
function dayOf(time: number): number {
  return time - (time % daySeconds);
}

/** All of an account, as it was stored. */
export interface KnownAccountRows {
  readonly positions: readonly KnownPosition[];
  readonly orders: readonly TradeOrder[];
  /** Ticket and server seconds. */
  readonly deals: Iterable<readonly [number, number]>;
  readonly doneOrders: Iterable<readonly [number, number]>;
  /** Ticket of a recent deal, and its money in the deposit currency; none of deals that an earlier version stored. */
  readonly amounts: Iterable<readonly [number, number]>;
  readonly summary: KnownAccountSummary;
}

/**
 * The account as reported by the event log so far, to compare with the terminal's lists. Changes are drafts until they are
 * on disk together with their events.
 */
export class KnownAccount implements ExplainedAccount {
  /** By identifier, which unlike the ticket survives reversals and re-openings. */
  readonly positions: DraftMap<number, KnownPosition>;
  readonly orders: DraftMap<number, TradeOrder>;
  readonly deals: SeenTickets;
  readonly doneOrders: SeenTickets;
  /** Identifiers of positions reported as closed; a lagging list may still show them. */
  readonly closedLately: DraftMap<number, true>;
  /** Money of recent deals as it was last shown, by ticket, in the deposit currency. */
  private readonly amounts: DraftMap<number, number>;
  private balanceNow: number | null;
  private balanceOnDisk: number | null;
  private day: DealsOfDay;
  private dayOnDisk: DealsOfDay;

  constructor(rows?: KnownAccountRows) {
    this.positions = new DraftMap(new Map(rows?.positions.map((known) => [known.record.identifier, known])));
    this.orders = new DraftMap(new Map(rows?.orders.map((order) => [order.ticket, order])));
    this.deals = new SeenTickets(rows?.summary.deals, rows?.deals);
    this.doneOrders = new SeenTickets(rows?.summary.doneOrders, rows?.doneOrders);
    this.closedLately = new DraftMap(new Map(rows?.summary.closedLately.map((identifier) => [identifier, true])));
    this.amounts = new DraftMap(new Map(rows?.amounts));
    this.balanceNow = this.balanceOnDisk = rows?.summary.balance ?? null;
    this.day = this.dayOnDisk = rows?.summary.day ?? noDay;
  }

  get balance(): number | null {
    return this.balanceNow;
  }

  /** Number of deals that a history of this span has at least, in server seconds: those of the latest day, if it has all of it. */
  leastDealsIn(fromS: number, toS: number): number {
    const { startS, count } = this.day;
    return fromS <= startS && toS >= startS + daySeconds ? count : 0;
  }

  /** The balance that an explained look has shown. */
  takeBalance(balance: number): void {
    this.balanceNow = this.balanceOnDisk = balance;
  }

  /** Adds a deal that is reported now. */
  addDeal(deal: TradeDeal): void {
    this.deals.add(deal.ticket, deal.time);
    this.amounts.set(deal.ticket, balanceChange(deal).toNumber());
    for (const [ticket] of this.amounts) {
      // Almost in time order, so the sweep ends at the first deal to keep.
      if (this.deals.isRecent(ticket)) break;
      this.amounts.delete(ticket);
    }
    this.countDay(dayOf(deal.time));
    if (this.balanceNow === null) return;
    this.balanceNow = new Decimal(this.balanceNow).plus(balanceChange(deal)).toNumber();
  }

  /** A deal of a day is reported. The latest day is that of most of the latest deals, because the time of one may be wrong. */
  private countDay(startS: number): void {
    if (startS === this.day.startS) this.day = { startS, count: this.day.count + 1 };
    const latestS = dayOf(this.deals.latest);
    if (latestS > this.day.startS)
      this.day = { startS: latestS, count: this.deals.countIn(latestS, latestS + daySeconds) };
  }

  amountOf(ticket: number): number | null {
    return this.amounts.get(ticket) ?? null;
  }

  /** Takes other money of a seen deal, which the balance has moved by. */
  correctDeal(deal: TradeDeal): void {
    const amount = balanceChange(deal);
    const before = this.amounts.get(deal.ticket) ?? amount;
    this.amounts.set(deal.ticket, amount.toNumber());
    if (this.balanceNow !== null) this.balanceNow = amount.minus(before).plus(this.balanceNow).toNumber();
  }

  /** A person accepts the history as it is: it may lack these rows, and the deals of the latest day are no longer counted. */
  forgoHistory(deals: readonly number[], doneOrders: readonly number[]): void {
    this.deals.forgo(deals);
    this.doneOrders.forgo(doneOrders);
    this.day = noDay;
  }

  get changes(): KnownAccountChanges {
    const [deals, doneOrders] = [this.deals.changes, this.doneOrders.changes];
    const closedLately = [...this.closedLately].map(([identifier]) => identifier).slice(-closedKept);
    return {
      positions: this.positions.changes,
      orders: this.orders.changes,
      deals: deals.recent,
      amounts: this.amounts.changes,
      doneOrders: doneOrders.recent,
      summary: {
        deals: deals.bounds,
        doneOrders: doneOrders.bounds,
        closedLately,
        balance: this.balanceNow,
        day: this.day,
      },
    };
  }

  /** The changes are on disk. */
  commit(): void {
    let extra = this.closedLately.size - closedKept;
    for (const [identifier] of this.closedLately) if (extra-- > 0) this.closedLately.delete(identifier);
    for (const part of this.parts) part.commit();
    this.balanceOnDisk = this.balanceNow;
    this.dayOnDisk = this.day;
  }

  /** The changes could not be written. */
  rollback(): void {
    for (const part of this.parts) part.rollback();
    this.balanceNow = this.balanceOnDisk;
    this.day = this.dayOnDisk;
  }

  private get parts(): readonly { commit(): void; rollback(): void }[] {
    return [this.positions, this.orders, this.deals, this.doneOrders, this.closedLately, this.amounts];
  }
}

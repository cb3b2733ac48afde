import type { DealRecord, HistoryOrderRecord } from '@libs/gateway-client';
import type { Fill, OrderGone } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import { bookDeals, inOrder, isWorking, openVolume } from './deal-booking';
import type { StrategyBook } from './strategy-book';

/** What settling reads of a broker. A read that fails throws, and leaves the books as they were. */
export interface BrokerReads {
  /** @param position its identifier */
  dealsOfPosition(position: number): Promise<readonly DealRecord[]>;
  /** An order, pending or done; null when the broker knows none (yet). */
  orderFromTicket(ticket: number): Promise<Pick<HistoryOrderRecord, OrderFacts> | null>;
}

/** The account whose books are settled. */
export interface SettledBroker {
  readonly name: string;
  readonly reads: BrokerReads;
  /** Whether every order has a position of its own, or there is one a symbol. */
  isHedging(): boolean;
}
type OrderFacts = 'state' | 'position_id' | 'volume_initial' | 'volume_current';

/** Whose books are settled, and who hears of it. */
export interface Settled {
  readonly book: StrategyBook;
  /** The intent that brought a deal about, when it is known. */
  intentOf(broker: string, deal: DealRecord): string | null;
  /** Requests to a gateway whose outcome is not known: what they did may be at the broker already. */
  inFlightOn(broker: string): number;
  /**
   * Takes over a change, at once, and makes it durable, with all that the fills it books bring about. False when it could
   * not be made durable.
   */
  commit(change: Change, fills?: readonly Fill[]): Promise<boolean>;
  onFills(fills: readonly Fill[]): void;
  onOrderGone(gone: OrderGone): void;
  /** An order filled into a position that somebody else opened, as netting accounts do. */
  onForeignPosition(broker: string, position: number): Promise<void>;
}

/** What is remembered of tickets, open or closed, whoever's they are. */
export interface TicketMemory {
  /** The strategy it belongs to, or belonged to; null for a stranger's. */
  ownerOf(broker: string, ticket: number): string | null;
}

const filled = 4;
/** Order states that end an order with something unfilled (docs: ENUM_ORDER_STATE). */
const endings: Readonly<Record<number, OrderGone['kind']>> = { 2: 'cancelled', 5: 'rejected', 6: 'expired' };

/** Books what happened at one broker until books and rows agree: each deal once, each order until it has ended. */
export class Settlement {
  constructor(
    private readonly account: SettledBroker,
    private readonly memory: TicketMemory,
  ) {}

  private get broker(): string {
    return this.account.name;
  }

  private get reads(): BrokerReads {
    return this.account.reads;
  }

  /** @throws what the reads throw */
  async settle(account: Settled): Promise<void> {
    for (const { ticket, symbol } of account.book.unsettled(this.broker)) {
      await this.settleTicket(account, ticket);
      if (!this.account.isHedging() && account.book.orderRow(this.broker, ticket)) {
        await this.settlePositionsOf(account, symbol);
      }
    }
  }

  /**
   * Netting, an order that still works may have filled into the position that is there: as much as a close took out of it
   * leaves the position's volume as it was.
   */
  private async settlePositionsOf(account: Settled, symbol: string): Promise<void> {
    for (const { owned } of account.book.held) {
      if (owned.broker === this.broker && owned.symbol === symbol) await this.settleTicket(account, owned.ticket);
    }
  }

  /** @param follows an order that filled into this position and is not in the books any more */
  private async settleTicket(account: Settled, ticket: number, follows?: OwnedTicket): Promise<void> {
    const { book } = account;
    const { broker } = this;
    if (!book.owns(broker, ticket)) return;
    const deals = await this.reads.dealsOfPosition(ticket);
    const { change, fills } = book.booking(broker, ticket, deals, (deal) => {
      return account.intentOf(broker, deal) ?? (deal.order === follows?.ticket ? follows.intentId : null);
    });
    if (change.tickets) await account.commit(change, fills);
    book.noteBooked(broker, ticket, deals);
    if (fills.length > 0) account.onFills(fills);
    const owned = book.find(broker, ticket);
    const isOpenEnded = owned !== null && (isWorking(owned) || owned.volumeIn === '0');
    if (isOpenEnded && !book.orderRow(broker, ticket)) await this.followOrder(account, ticket);
  }

  /** An order that no longer waits has ended: filled, in part, or not at all, into a position of its own or another. */
  private async followOrder(account: Settled, ticket: number): Promise<void> {
    const { book } = account;
    const order = await this.reads.orderFromTicket(ticket);
    const owned = book.find(this.broker, ticket);
    if (!owned || !order) return;
    const kind = endings[order.state];
    if (kind === undefined && order.state !== filled) return;
    const came = new Decimal(order.volume_initial).minus(order.volume_current);
    if (order.position_id !== 0 && order.position_id !== ticket) {
      if (!(await this.followInto(account, owned, order.position_id))) return;
    } else {
      // Deals may be shown later than the order's end. Netting, part of what came may be in another position.
      const isBooked = this.account.isHedging() ? came.lte(owned.volumeIn) : came.isZero() || owned.volumeIn !== '0';
      if (!isBooked) return;
      const closed = openVolume(owned).lte(0) && !book.positionRow(this.broker, ticket);
      if (closed || isWorking(owned)) await account.commit({ tickets: [{ ...owned, working: false, closed }] });
    }
    // Told once, however long its deals take to show.
    if (kind === undefined || !isWorking(owned)) return;
    account.onOrderGone({
      ...{ intentId: owned.intentId, order: ticket, stream: owned.stream, symbol: owned.symbol, kind },
      ...{ volume: order.volume_initial, filled: came.toNumber() },
    });
  }

  /** Netting: the order filled into the position that was there. False while the broker does not show its deal yet. */
  private async followInto(account: Settled, owned: OwnedTicket, position: number): Promise<boolean> {
    const { broker } = this;
    const done = { ...owned, working: false, closed: true };
    const owner = this.memory.ownerOf(broker, position);
    if (owner !== null || account.book.owns(broker, position)) {
      await account.commit({ tickets: [done] });
      if (owner !== null && owner !== owned.strategy) await account.onForeignPosition(broker, position);
    } else {
      // A request on its way may have opened it; its answer will tell.
      if (account.inFlightOn(broker) > 0) return false;
      const deals = inOrder(await this.reads.dealsOfPosition(position));
      const isOurs = (deal: DealRecord): boolean => deal.order === owned.ticket;
      if (!deals.some(isOurs)) return false;
      const blank = { ...owned, ticket: position, deals: [], volumeIn: '0', volumeOut: '0', working: false };
      // What others did before counts for what is open, and not for what the strategy earned.
      const before = bookDeals(blank, deals.slice(0, deals.findIndex(isOurs)), () => null).owned;
      await account.commit({ tickets: [done, before] });
      await account.onForeignPosition(broker, position);
    }
    await this.settleTicket(account, position, owned);
    return true;
  }
}

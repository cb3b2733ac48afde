import { GatewayReadError, type DealRecord, type OrderRecord, type PositionRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { AccountMismatchError, type GatewaySession } from '../gateways/gateway-session';
import type { Change } from '../state/state-store';
import type { StrategyBook } from './strategy-book';

/** A strategy as the synchronisation sees it. */
export interface Account {
  readonly book: StrategyBook;
  /** The intent that brought a deal about, when it is known. */
  intentOf(deal: DealRecord): string | null;
  /** Takes over a change and makes it durable. False when it could not be made durable. */
  commit(change: Change): Promise<boolean>;
  onFills(fills: readonly Fill[]): void;
  /** A pending order was cancelled, rejected or has expired. */
  onOrderGone(ticket: number): void;
  /** Positions under the strategy's magic that it does not own. */
  onStrangers(broker: string, tickets: readonly { ticket: number; symbol: string }[]): Promise<void>;
  onSeen(): void;
}

/** Order states (docs: ENUM_ORDER_STATE): cancelled, rejected, expired. */
const endedUnfilled: readonly number[] = [2, 5, 6];
const filled = 4;

/**
 * Keeps the books of all strategies of one gateway in step with its account. A read that fails changes nothing: the
 * books keep what was known, and {@link current} tells that it may have aged.
 */
export class AccountSync {
  /** True while the last look at the account succeeded. */
  current = false;
  /** What the last look read; orders only while any was waited for. */
  seen: { readonly positions: readonly PositionRecord[]; readonly orders: readonly OrderRecord[] } = {
    positions: [],
    orders: [],
  };
  private readonly accounts = new Set<Account>();
  private running: Promise<void> | null = null;
  private queued: Promise<void> | null = null;

  constructor(
    private readonly session: GatewaySession,
    /** Whether a ticket is or was anybody's: rows may lag behind deals, and an owner may not be deployed any more. */
    private readonly wasOwned: (broker: string, ticket: number) => boolean,
  ) {}

  add(account: Account): void {
    this.accounts.add(account);
  }

  remove(account: Account): void {
    this.accounts.delete(account);
  }

  /** Resolves after a look at the account that began after this call; callers share looks. */
  now(): Promise<void> {
    if (this.queued) return this.queued;
    if (!this.running) return (this.running = this.look().finally(() => (this.running = null)));
    const after = this.running.then(() => {
      this.queued = null;
      return (this.running = this.look().finally(() => (this.running = null)));
    });
    return (this.queued = after);
  }

  private async look(): Promise<void> {
    try {
      const waiting = [...this.accounts].some(({ book }) => book.openTickets.some((owned) => owned.volumeIn === '0'));
      // The rows of another account would read as everything closed: look whose they are, too.
      const [{ positions, orders }] = await Promise.all([this.rows(waiting), this.session.look()]);
      this.session.succeeded();
      const broker = this.session.name;
      this.seen = { positions, orders };
      for (const account of this.accounts) account.book.see(broker, positions, orders);
      for (const account of this.accounts) await this.settle(account);
      for (const account of this.accounts) {
        const { magic } = account.book.spec;
        const strangers = positions.filter(
          (row) => row.magic === magic && !this.owned(row.ticket) && !this.wasOwned(broker, row.ticket),
        );
        if (strangers.length > 0) await account.onStrangers(broker, strangers);
        account.onSeen();
      }
      this.current = true;
    } catch (error) {
      this.current = false;
      this.session.failed(error);
      if (!(error instanceof GatewayReadError || error instanceof AccountMismatchError)) throw error;
    }
  }

  private async rows(withOrders: boolean): Promise<{ positions: PositionRecord[]; orders: OrderRecord[] }> {
    const { reads } = this.session.client;
    // Orders first: a pending order that fills in between is then seen twice, and never as gone.
    const orders = withOrders ? await reads.orders() : [];
    return { positions: await reads.positions(), orders };
  }

  private owned(ticket: number): boolean {
    return [...this.accounts].some(({ book }) => book.owns(ticket));
  }

  private async settle(account: Account): Promise<void> {
    const { book } = account;
    for (const { ticket } of book.unsettled(this.session.name)) {
      const deals = await this.session.client.reads.dealsOfPosition(ticket);
      const { change, fills } = book.booking(ticket, deals, (deal) => account.intentOf(deal));
      if (fills.length > 0) {
        await account.commit(change);
        account.onFills(fills);
      } else if (deals.length === 0) {
        await this.followOrder(account, ticket);
      }
    }
  }

  /** A ticket without deals is an order: one that is gone is let go, one that filled into a position is followed there. */
  private async followOrder(account: Account, ticket: number): Promise<void> {
    const owned = account.book.openTickets.find((known) => known.ticket === ticket);
    const order = await this.session.client.reads.orderFromTicket(ticket);
    if (!owned || !order) return;
    const gone = { ...owned, closed: true };
    if (endedUnfilled.includes(order.state)) {
      await account.commit({ tickets: [gone] });
      account.onOrderGone(ticket);
    } else if (order.state === filled && order.position_id !== 0 && order.position_id !== ticket) {
      await account.commit({ tickets: [gone, { ...owned, ticket: order.position_id }] });
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { ExplainedAccount } from '@libs/account-evidence';
import { ApiError } from '@libs/envelope';
import { DealEntry, latestDateS, type LastError, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { notSynchronized } from '../account-evidence/not-synchronized.error';
import { ServerTime } from '../server-time/server-time';
import { BrokerClock } from '../terminal/broker-clock';
import { accountNotSynchronized, TerminalAccess } from '../terminal/terminal-access';
import { longestBehindMs } from '../trade-core/late-sends';
import { isAfter, pageOf, type HistoryPage } from './history-page';
import { readBySlices } from './history-slices';
import { isInside, terminalWindow, type HistoryWindow, type TerminalWindow } from './history-window';
import type { PageRequest } from './history.request';
import { summarizeLegs, type PositionSummary } from './position-summary';

/** Entries of deals that open something, the rest of a reversal included. */
const opens: ReadonlySet<number> = new Set([DealEntry.IN, DealEntry.INOUT]);

/** A page without an end. */
const wholePage: PageRequest = { limit: Infinity, after: null };

/** Historical orders and deals. A failed read is an error, never an empty list. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly evidence: AccountEvidence,
    private readonly serverTime: ServerTime,
    private readonly clock: BrokerClock,
  ) {}

  /** A page of the deals of a window, of one magic or all. */
  async deals(window: HistoryWindow, page: PageRequest, magic?: number): Promise<HistoryPage<TradeDeal>> {
    const asked = terminalWindow(window, this.serverTime, this.clock.nowMs());
    // The terminal selects deals by their sort time, so deals long before the cursor need not be read again.
    const from = Math.max(asked.from, page.after === null ? 0 : Math.floor((page.after.msc - longestBehindMs) / 1_000));
    const found: TradeDeal[] = [];
    const read = (slice: TerminalWindow) => this.terminal.historyDeals(slice);
    for await (const deals of readBySlices({ from, to: Math.max(from, asked.to) }, read)) {
      found.push(...deals.filter((deal) => this.isWanted(deal, window, magic)));
      const ahead = found.filter((deal) => page.after === null || isAfter(placeOfDeal(deal), page.after));
      // Adjacent slices both contain the second that they share.
      if (new Set(ahead.map(({ ticket }) => ticket)).size > page.limit) break;
    }
    return pageOf(found, placeOfDeal, page, window.fromMs);
  }

  /** How many deals a window has. */
  async dealsTotal(window: HistoryWindow): Promise<number> {
    return (await this.deals(window, wholePage)).rows.length;
  }

  /** How many orders were placed or completed in a window. */
  async ordersTotal(window: HistoryWindow): Promise<number> {
    return (await this.orders(window, wholePage)).rows.length;
  }

  /**
   * By the identifier alone, as the terminal does: a client that asks under each number of a reversed position would get its deals
   * twice.
   * @param window null for the whole life of the position or order
   */
  async dealsOf(of: { position: number } | { order: number }, window: HistoryWindow | null, page: PageRequest) {
    const deals = await this.keyedDeals('order' in of ? { ticket: of.order } : of);
    const inside = window ? deals.filter(({ time_msc }) => isInside(window, this.serverTime, time_msc)) : deals;
    return pageOf(inside, placeOfDeal, page, window?.fromMs ?? 0);
  }

  /** A page of the orders that were placed or completed in the window. */
  async orders(window: HistoryWindow, page: PageRequest): Promise<HistoryPage<TradeOrder>> {
    const asked = terminalWindow(window, this.serverTime, this.clock.nowMs());
    const found: TradeOrder[] = [];
    // Reads the whole window for each page, because terminals differ in the time by which they select an order.
    const read = (slice: TerminalWindow) => this.terminal.historyOrders(slice);
    for await (const orders of readBySlices(asked, read)) {
      found.push(
        ...orders.filter(
          (order) =>
            isInside(window, this.serverTime, order.time_setup_msc) ||
            isInside(window, this.serverTime, order.time_done_msc),
        ),
      );
    }
    return pageOf(found, placeOfOrder, page, window.fromMs);
  }

  /** The order of a ticket from the history; none if it is unknown or still pending. */
  async ordersOfTicket(ticket: number): Promise<TradeOrder[]> {
    return this.ordersOf({ ticket });
  }

  /** The completed orders of a ticket, or those of a position; none if there are none. */
  async ordersOf(of: { ticket: number } | { position: number }): Promise<TradeOrder[]> {
    const read = () => this.terminal.historyOrders(of);
    return this.whole('orders', read, async ({ doneOrders: { lookBackTo: from } }) => {
      const rows = await this.terminal.historyOrders({ from, to: latestDateS });
      return rows.filter((row) => ('ticket' in of ? row.ticket === of.ticket : row.position_id === of.position));
    });
  }

  /** The legs of a position, oldest first: one, unless a netting account reversed it. @throws ApiError not_found for a position that never had a deal */
  async positionLegs(position: number): Promise<PositionSummary[]> {
    const deals = await this.allDealsOfPosition(position);
    if (deals.length === 0) throw new ApiError('not_found', `no deals of position ${position}`);
    return summarizeLegs(deals);
  }

  /** A pending or completed order. @throws ApiError not_found */
  async order(ticket: number): Promise<TradeOrder> {
    // In this order, because an order moves from the pending list to the history and never back.
    const [pending] = await this.terminal.orders({ ticket });
    const order = pending ?? (await this.ordersOfTicket(ticket))[0];
    if (!order) throw new ApiError('not_found', `no order ${ticket}`);
    return order;
  }

  async lastError(): Promise<LastError> {
    return this.terminal.read((terminal) => terminal.lastError());
  }

  /** By the identifier of a position, or by a ticket that it has or had: that of an order that opened or reversed it. */
  private async allDealsOfPosition(position: number): Promise<TradeDeal[]> {
    const own = await this.dealsOfIdentifier(position);
    if (own.length > 0) return own;
    const [order] = await this.ordersOfTicket(position);
    if (!order?.position_id || order.position_id === position) return [];
    const deals = await this.dealsOfIdentifier(order.position_id);
    return deals.some(({ order: of, entry }) => of === position && opens.has(entry)) ? deals : [];
  }

  private dealsOfIdentifier(position: number): Promise<TradeDeal[]> {
    return this.keyedDeals({ position });
  }

  private keyedDeals(of: { ticket: number } | { position: number }): Promise<TradeDeal[]> {
    const read = () => this.terminal.historyDeals(of);
    return this.whole('deals', read, async ({ deals: { lookBackTo: from } }) => {
      const rows = await this.terminal.historyDeals({ from, to: latestDateS });
      return rows.filter((row) => ('ticket' in of ? row.order === of.ticket : row.position_id === of.position));
    });
  }

  /**
   * The rows of one ticket or position do not show what they lack. If there are none, or the account is not explained, they are
   * believed only from a history that has all that was seen, and if they have its rows.
   * @param wanted the rows in the whole history; fails if that lacks something
   */
  private async whole<Row extends { readonly ticket: number }>(
    what: 'deals' | 'orders',
    read: () => Promise<Row[]>,
    wanted: (known: ExplainedAccount) => Promise<Row[]>,
  ): Promise<Row[]> {
    const rows = await read();
    const { account, isExplained } = this.evidence;
    if (account === null || (rows.length > 0 && isExplained)) return rows;
    const inHistory = await wanted(account);
    // It may have been loaded meanwhile.
    const again = await read();
    const tickets = new Set(again.map(({ ticket }) => ticket));
    const message = `the ${what} of one ticket or position lack what the whole history has`;
    const lacking = inHistory.filter(({ ticket }) => !tickets.has(ticket));
    if (lacking.length === 0) return again;
    throw accountNotSynchronized(
      notSynchronized(
        lacking.map(({ ticket }) => ({ kind: 'history_incomplete', spoils: 'entries', ticket, symbol: null, message })),
      ),
    );
  }

  private isWanted(deal: TradeDeal, window: HistoryWindow, magic: number | undefined): boolean {
    if (magic !== undefined && deal.magic !== magic) return false;
    return isInside(window, this.serverTime, deal.time_msc);
  }
}

function placeOfDeal({ time_msc, ticket }: TradeDeal) {
  return { msc: time_msc, ticket };
}

/** By completion time, because an order enters the history then, regardless of when it was placed. */
function placeOfOrder({ time_done_msc, ticket }: TradeOrder) {
  return { msc: time_done_msc, ticket };
}

import type { DealRecord, OrderAnswer, OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { Fill, OrderGone } from '@libs/strategy';
import { claimOf } from '../core/claim';
import type { IntentRecord, OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import { AccountRows } from '../core/account-rows';
import { OrderIntents } from '../core/order-intents';
import { Settlement, type BrokerReads, type Settled } from '../trading/settlement';
import type { StrategyBook } from '../core/strategy-book';
import type { BacktestMarket } from './backtest-market';

/** The one gateway of a backtest. */
export const broker = 'backtest';

/** What the broker did. */
export interface BrokerNews {
  readonly fills: readonly Fill[];
  /** Orders that ended. */
  readonly gone: readonly OrderGone[];
}

/** Sums of money are exact to this part of a unit, up to {@link mostEquity}. */
const equityScale = 1e6;
const mostEquity = 1e9;

/** Keeps a strategy's books from the simulated broker's. Nothing is stored. */
export class BacktestBooks implements Settled {
  private readonly intents = new OrderIntents();
  private readonly settlement: Settlement;
  /** Everything the strategy ever owned. */
  private readonly tickets = new Map<number, OwnedTicket>();
  private fills: Fill[] = [];
  private gone: OrderGone[] = [];
  /** The broker's books at the last look. */
  private seenRevision = -1;
  /** Market time of the prices in the book's rows, in UTC milliseconds. */
  private pricedMs = -1;
  /** Whether the last look left nothing to book. */
  private isSettled = false;
  /** Tickets of the open positions at the last look. */
  private held: readonly number[] = [];

  constructor(
    private readonly market: BacktestMarket,
    readonly book: StrategyBook,
  ) {
    this.settlement = new Settlement(
      { name: broker, reads: brokerReads(market), isHedging: () => true },
      { ownerOf: (_, ticket) => this.tickets.get(ticket)?.strategy ?? null },
    );
  }

  /** Whether the broker did something since the last look. */
  get isBehind(): boolean {
    return this.market.revision !== this.seenRevision;
  }

  /** Whether a position was open at the last look. */
  get holdsPosition(): boolean {
    return this.held.length > 0;
  }

  /** Capital, results and what is open at present prices, in the account's currency. */
  get equity(): number {
    const { terminal } = this.market;
    const balance = this.book.balanceNumber;
    if (this.book.openTickets.length === 0) return balance;
    let sum = balance;
    for (const ticket of this.held) sum += terminal.floatingResult(ticket);
    const rounded = Math.round(sum * equityScale) / equityScale;
    // A sum of amounts of a few digits: as near as doubles are, it is the number that decimals give.
    if (!this.isBehind && Math.abs(sum) < mostEquity && isOnScale(balance)) return rounded;
    return this.priced.equity.toNumber();
  }

  /** The book with its open positions at present prices. */
  get priced(): StrategyBook {
    const { nowMs } = this.market;
    if (nowMs !== this.pricedMs && !this.isBehind && this.book.openTickets.length > 0) this.readRows();
    return this.book;
  }

  /** Makes the order of an executed request known, and the ticket of an entry the strategy's own. @returns the order */
  note(record: IntentRecord, { result, state }: OrderAnswer): number {
    const order = result?.order ?? 0;
    this.intents.add(broker, order, record.intentId);
    if (record.isEntry) this.commit({ tickets: [claimOf(record, order, state)] });
    return order;
  }

  /** Books what the broker did since the last look. Prices alone change nothing that is booked. */
  look(): void {
    if (this.book.openTickets.length === 0 || (!this.isBehind && this.isSettled)) return;
    this.readRows();
    this.seenRevision = this.market.revision;
    this.settlement.settleNow(this);
    this.isSettled = this.book.unsettled(broker).length === 0;
    this.held = this.book.positionRows.map(({ ticket }) => ticket);
  }

  private readRows(): void {
    const { market } = this;
    const { terminal } = market;
    const positions = terminal.positionsGet().map((row): PositionRecord => {
      return { ...row, time_utc: utc(row.time_msc, market), client_order_id: null };
    });
    const orders = terminal.ordersGet().map((row): OrderRecord => ({ ...row, client_order_id: null }));
    this.book.see(broker, new AccountRows(positions, orders));
    this.pricedMs = market.nowMs;
  }

  /** What the looks have shown since the last call. */
  takeNews(): BrokerNews {
    const { fills, gone } = this;
    [this.fills, this.gone] = [[], []];
    return { fills, gone };
  }

  intentOf(_broker: string, deal: DealRecord): string | null {
    return this.intents.of(broker, deal, []);
  }

  inFlightOn(): number {
    return 0;
  }

  commit(change: Change): boolean {
    this.book.apply(change);
    for (const owned of change.tickets ?? []) this.tickets.set(owned.ticket, owned);
    return true;
  }

  onFills(fills: readonly Fill[]): void {
    this.fills.push(...fills);
  }

  onOrderGone(gone: OrderGone): void {
    this.gone.push(gone);
  }

  onForeignPosition(): void {
    // There are no other traders on the account.
  }
}

/** The simulated broker as settling reads it. */
function brokerReads(market: BacktestMarket): BrokerReads {
  return {
    dealsOfPosition: (position) => {
      const deals = market.terminal.historyDealsGet({ position });
      return deals.map((row) => ({ ...row, time_utc: utc(row.time_msc, market), client_order_id: null }));
    },
    orderFromTicket: (ticket) => market.terminal.historyOrdersGet({ ticket })[0] ?? null,
  };
}

function utc(serverMs: number, market: BacktestMarket): string {
  return new Date(market.utcMs(serverMs)).toISOString();
}

function isOnScale(amount: number): boolean {
  return Math.round(amount * equityScale) / equityScale === amount;
}

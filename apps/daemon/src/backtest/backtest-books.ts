import type { DealRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { Fill, OrderGone } from '@libs/strategy';
import type { TradeDeal, TradePosition } from '@libs/terminal-client';
import { AccountRows } from '../core/account-rows';
import type { CoreEffect } from '../core/core-effect';
import type { SettlementEvent } from '../core/core-event';
import type { Sweep } from '../core/pending-sweep';
import type { StrategyBook } from '../core/strategy-book';
import { Settlement, type BrokerReads, type Settled } from '../live/settlement';
import { broker, type BacktestCore } from './backtest-core';
import type { BacktestMarket } from './backtest-market';

/** Changes at the broker since the last look. */
export interface BrokerNews {
  readonly fills: readonly Fill[];
  /** Orders that ended. */
  readonly gone: readonly OrderGone[];
  /** Orders to be cancelled for it. */
  readonly sweeps: readonly Sweep[];
}

/** Sums of money are exact to this part of a unit, up to {@link mostEquity}. */
const equityScale = 1e6;
const mostEquity = 1e9;

/** Keeps a strategy's books from the simulated broker's. Nothing is stored. */
export class BacktestBooks implements Settled {
  private readonly settlement: Settlement;
  /** The strategy, by each ticket that it ever owned. */
  private readonly owners = new Map<number, string>();
  private fills: Fill[] = [];
  private gone: OrderGone[] = [];
  private sweeps: Sweep[] = [];
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
    private readonly core: BacktestCore,
  ) {
    this.settlement = new Settlement(
      { name: broker, reads: brokerReads(market), isHedging: () => true },
      { ownerOf: (_, ticket) => this.owners.get(ticket) ?? null },
    );
  }

  get book(): StrategyBook {
    return this.core.book;
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
    const positions = terminal.positionsGet().map((position) => positionRecord(position, market));
    // The rows are copies: nothing is added to the broker's own.
    const orders = terminal.ordersGet().map((row): OrderRecord => Object.assign(row, { client_order_id: null }));
    this.core.handle({ type: 'rows', broker, rows: new AccountRows(positions, orders) });
    this.pricedMs = market.nowMs;
  }

  /** Fills and ended orders since the last call; null if there are none. */
  takeNews(): BrokerNews | null {
    const { fills, gone, sweeps } = this;
    if (fills.length === 0 && gone.length === 0 && sweeps.length === 0) return null;
    [this.fills, this.gone, this.sweeps] = [[], [], []];
    return { fills, gone, sweeps };
  }

  handle(event: SettlementEvent): readonly CoreEffect[] {
    return this.core.handle(event);
  }

  /** Each once: two groups may have filled at one price, and nothing is carried out before the whole look is booked. */
  private noteSweep(sweep: Sweep): void {
    if (!this.sweeps.some(({ intent }) => intent.id === sweep.intent.id)) this.sweeps.push(sweep);
  }

  /** Notes the effects of a booking. Nothing is stored, because a backtest does not restart. */
  perform(effect: CoreEffect): void {
    if (effect.type === 'filled') this.fills.push(...effect.fills);
    else if (effect.type === 'gone') this.gone.push(effect.gone);
    else if (effect.type === 'cancel') this.noteSweep(effect.sweep);
    else if (effect.type === 'persist') {
      for (const { ticket, strategy } of effect.change.tickets ?? []) this.owners.set(ticket, strategy);
    }
  }
}

/** The simulated broker as settling reads it. */
function brokerReads(market: BacktestMarket): BrokerReads {
  return {
    dealsOfPosition: (position) => {
      return market.terminal.historyDealsGet({ position }).map((deal) => dealRecord(deal, market));
    },
    orderFromTicket: (ticket) => market.terminal.historyOrdersGet({ ticket })[0] ?? null,
  };
}

/** Member by member: V8 adds members to a spread many times slower. */
function dealRecord(deal: TradeDeal, market: BacktestMarket): DealRecord {
  return {
    ticket: deal.ticket,
    order: deal.order,
    time: deal.time,
    time_msc: deal.time_msc,
    type: deal.type,
    entry: deal.entry,
    magic: deal.magic,
    position_id: deal.position_id,
    reason: deal.reason,
    volume: deal.volume,
    price: deal.price,
    commission: deal.commission,
    swap: deal.swap,
    profit: deal.profit,
    fee: deal.fee,
    symbol: deal.symbol,
    comment: deal.comment,
    external_id: deal.external_id,
    time_utc: utc(deal.time_msc, market),
    client_order_id: null,
  };
}

function positionRecord(position: TradePosition, market: BacktestMarket): PositionRecord {
  return {
    ticket: position.ticket,
    time: position.time,
    time_msc: position.time_msc,
    time_update: position.time_update,
    time_update_msc: position.time_update_msc,
    type: position.type,
    magic: position.magic,
    identifier: position.identifier,
    reason: position.reason,
    volume: position.volume,
    price_open: position.price_open,
    sl: position.sl,
    tp: position.tp,
    price_current: position.price_current,
    swap: position.swap,
    profit: position.profit,
    symbol: position.symbol,
    comment: position.comment,
    external_id: position.external_id,
    time_utc: utc(position.time_msc, market),
    client_order_id: null,
  };
}

/** The last instant as a text: the rows of a position and of its deals are read often, and have the same time. */
const shown = { utcMs: Number.NaN, text: '' };

function utc(serverMs: number, market: BacktestMarket): string {
  const utcMs = market.utcMs(serverMs);
  if (utcMs !== shown.utcMs) [shown.utcMs, shown.text] = [utcMs, new Date(utcMs).toISOString()];
  return shown.text;
}

function isOnScale(amount: number): boolean {
  return Math.round(amount * equityScale) / equityScale === amount;
}

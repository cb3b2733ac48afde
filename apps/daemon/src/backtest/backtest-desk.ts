import type { OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { EntryOptions, Fill, Reject, Side } from '@libs/strategy';
import {
  FillingFlag,
  OrderFilling,
  OrderTime,
  OrderType,
  TradeAction,
  retcodeClass,
  retcodeName,
  tradeRequest,
  type SymbolInfo,
  type TradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { Decimal } from 'decimal.js';
import type { Intent } from '../strategies/worker/messages';
import type { Change } from '../state/state-store';
import type { StrategyBook } from '../trading/strategy-book';
import { ticketOf } from '../trading/intent-call';
import type { BacktestMarket } from './backtest-market';

const orderTypes = {
  market: { buy: OrderType.BUY, sell: OrderType.SELL },
  limit: { buy: OrderType.BUY_LIMIT, sell: OrderType.SELL_LIMIT },
  stop: { buy: OrderType.BUY_STOP, sell: OrderType.SELL_STOP },
  stop_limit: { buy: OrderType.BUY_STOP_LIMIT, sell: OrderType.SELL_STOP_LIMIT },
} as const satisfies Record<NonNullable<EntryOptions['kind']>, Record<Side, OrderType>>;
const usualDeviation = 20;

type Order = Exclude<Intent, { action: 'stack' }>;

/** A strategy's orders, straight to the simulated broker; the requests are those the gateway would make of them. */
export class BacktestDesk {
  private readonly intentOfOrder = new Map<number, string>();

  constructor(
    private readonly market: BacktestMarket,
    private readonly book: StrategyBook,
    /** Why an entry may not be; null when it may. */
    private readonly denied: (volume: number) => string | null,
  ) {}

  /** Carries an order out; what it filled is in the books afterwards. Null, or why it came to nothing. */
  async carryOut(intent: Order, along: Change = {}): Promise<Reject | null> {
    const reject = (kind: Reject['kind'], reason: string, retcode: number | null = null): Reject => {
      return { intentId: intent.id, kind, reason, retcode };
    };
    const denial = intent.action === 'enter' ? this.denied(intent.options.volume) : this.unowned(ticketOf(intent));
    if (denial !== null) return reject('denied', denial);
    const request = await this.requestOf(intent);
    if (typeof request === 'string') return reject('rejected', request);
    this.book.apply(along);
    const outcome = await this.market.terminal.orderSend(sealRequest(intent.id, request));
    if (outcome.kind !== 'answered') return reject('rejected', outcome.lastError.message);
    const { retcode, order } = outcome.result;
    if (retcodeClass(retcode) !== 'done') return reject('rejected', retcodeName(retcode), retcode);
    this.intentOfOrder.set(order, intent.id);
    if (intent.action === 'enter') this.claim(order, intent.stream, request.symbol, intent.id);
    return null;
  }

  /** Brings the books up to date with the broker; returns what was filled since. */
  async look(): Promise<readonly Fill[]> {
    const { terminal, offsetMs } = this.market;
    const utc = (msc: number): string => new Date(msc - offsetMs).toISOString();
    const positions = (await terminal.positionsGet()).map((row): PositionRecord => {
      return { ...row, time_utc: utc(row.time_msc), client_order_id: null };
    });
    const orders = (await terminal.ordersGet()).map((row): OrderRecord => ({ ...row, client_order_id: null }));
    this.book.see('backtest', positions, orders);
    const fills: Fill[] = [];
    for (const { ticket } of this.book.unsettled('backtest')) {
      const rows = await terminal.historyDealsGet({ position: ticket });
      const deals = rows.map((row) => ({ ...row, time_utc: utc(row.time_msc) }));
      const booked = this.book.booking(ticket, deals, ({ order }) => this.intentOfOrder.get(order) ?? null);
      this.book.apply(booked.change);
      fills.push(...booked.fills);
      if (deals.length === 0) this.letGo(ticket);
    }
    return fills;
  }

  private unowned(ticket: number): string | null {
    return this.book.owns(ticket) ? null : `ticket ${ticket} is not open, or not this strategy's`;
  }

  private claim(ticket: number, stream: string, symbol: string, intentId: string): void {
    const owner = { strategy: this.book.spec.name, broker: 'backtest', ticket, stream, symbol, intentId };
    this.book.apply({ tickets: [{ ...owner, deals: [], volumeIn: '0', volumeOut: '0', closed: false }] });
  }

  /** A pending order that neither waits nor filled was cancelled or has expired. */
  private letGo(ticket: number): void {
    const owned = this.book.openTickets.find((known) => known.ticket === ticket);
    if (owned) this.book.apply({ tickets: [{ ...owned, closed: true }] });
  }

  private async requestOf(intent: Order): Promise<TradeRequest | string> {
    const { magic } = this.book.spec;
    if (intent.action === 'cancel') return tradeRequest({ action: TradeAction.REMOVE, order: intent.order });
    if (intent.action === 'enter') {
      const stream = this.book.spec.streams.find(({ alias }) => alias === intent.stream);
      const info = stream ? await this.market.terminal.symbolInfo(stream.symbol) : null;
      return info ? this.entry(intent, info, magic) : `no stream ${intent.stream}`;
    }
    const row = this.book.positionRows.find(({ ticket }) => ticket === intent.position);
    const info = row ? await this.market.terminal.symbolInfo(row.symbol) : null;
    if (!row || !info) return 'POSITION_CLOSED';
    const position = { position: row.ticket, symbol: row.symbol, magic };
    if (intent.action === 'protect') {
      const level = (wanted: number | null | undefined, held: number): number =>
        wanted === undefined ? held : snapped(wanted ?? 0, info);
      const levels = { sl: level(intent.sl, row.sl), tp: level(intent.tp, row.tp) };
      return tradeRequest({ action: TradeAction.SLTP, ...position, ...levels });
    }
    const isBuy = row.type === 0;
    return tradeRequest({
      ...{ action: TradeAction.DEAL, ...position, ...commonOf(info), volume: intent.volume ?? row.volume },
      ...{ type: isBuy ? OrderType.SELL : OrderType.BUY, price: isBuy ? info.bid : info.ask },
    });
  }

  private entry(
    { side, options }: Extract<Intent, { action: 'enter' }>,
    info: SymbolInfo,
    magic: number,
  ): TradeRequest {
    const { kind = 'market', volume, price = 0, stoplimit = 0, sl = 0, tp = 0, deviation, expirationMs } = options;
    const levels = { sl: snapped(sl, info), tp: snapped(tp, info), stoplimit: snapped(stoplimit, info) };
    const market = side === 'buy' ? info.ask : info.bid;
    return tradeRequest({
      ...{ symbol: info.name, magic, volume, type: orderTypes[kind][side], ...levels, ...commonOf(info) },
      action: kind === 'market' ? TradeAction.DEAL : TradeAction.PENDING,
      price: kind === 'market' ? market : snapped(price, info),
      deviation: deviation ?? usualDeviation,
      ...(expirationMs === undefined
        ? {}
        : { type_time: OrderTime.SPECIFIED, expiration: Math.floor((expirationMs + this.market.offsetMs) / 1_000) }),
    });
  }
}

function commonOf({ filling_mode }: SymbolInfo): Pick<TradeRequest, 'type_filling' | 'deviation'> {
  const ioc = filling_mode & FillingFlag.IOC ? OrderFilling.IOC : OrderFilling.RETURN;
  return { type_filling: filling_mode & FillingFlag.FOK ? OrderFilling.FOK : ioc, deviation: usualDeviation };
}

/** A price on the symbol's grid, halves up, as the gateway snaps it. */
function snapped(price: number, { digits }: SymbolInfo): number {
  return new Decimal(price).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).toNumber();
}

import type { DealRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import type { EntryOptions, Fill, OrderGone, Reject, Side } from '@libs/strategy';
import {
  FillingFlag,
  OrderFilling,
  OrderTime,
  OrderType,
  snapPrice,
  TradeAction,
  retcodeClass,
  retcodeName,
  tradeRequest,
  type SymbolInfo,
  type TradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import type { Intent } from '../strategies/worker/messages';
import type { OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import type { StrategyBook } from '../trading/strategy-book';
import { AccountRows } from '../trading/account-rows';
import { OrderIntents } from '../trading/order-intents';
import { planOf, type OrderIntent, type Planned } from '../trading/plan';
import { Settlement, type BrokerReads, type Settled } from '../trading/settlement';
import type { BacktestMarket } from './backtest-market';

const orderTypes = {
  market: { buy: OrderType.BUY, sell: OrderType.SELL },
  limit: { buy: OrderType.BUY_LIMIT, sell: OrderType.SELL_LIMIT },
  stop: { buy: OrderType.BUY_STOP, sell: OrderType.SELL_STOP },
  stop_limit: { buy: OrderType.BUY_STOP_LIMIT, sell: OrderType.SELL_STOP_LIMIT },
} as const satisfies Record<NonNullable<EntryOptions['kind']>, Record<Side, OrderType>>;
const usualDeviation = 20;

/** The one gateway of a backtest. */
const broker = 'backtest';

/** A strategy's orders, straight to the simulated broker; the requests are those the gateway would make of them. */
export class BacktestDesk implements Settled {
  private readonly intents = new OrderIntents();
  private readonly settlement: Settlement;
  /** Everything the strategy ever owned: a netting position may be asked for after it is closed. */
  private readonly tickets = new Map<number, OwnedTicket>();
  private fills: Fill[] = [];
  private gone: OrderGone[] = [];

  constructor(
    private readonly market: BacktestMarket,
    readonly book: StrategyBook,
    /** Why an entry may not be; null when it may. */
    private readonly denied: (volume: number) => string | null,
  ) {
    this.settlement = new Settlement(
      { name: broker, reads: brokerReads(market), isHedging: () => true },
      {
        ownerOf: (_, ticket) => this.tickets.get(ticket)?.strategy ?? null,
      },
    );
  }

  /** Carries an order out; what it filled is in the books after the next look. Null, or why it came to nothing. */
  async carryOut(intent: OrderIntent): Promise<Reject | null> {
    const reject = (kind: Reject['kind'], reason: string, retcode: number | null = null): Reject => {
      return { intentId: intent.id, kind, reason, retcode };
    };
    const plan = planOf(intent, this.book, [], (_stream, volume) => this.denied(volume));
    if (typeof plan === 'string') return reject('denied', plan);
    const request = await this.requestOf(intent, plan);
    if (typeof request === 'string') return reject('rejected', request);
    const outcome = await this.market.terminal.orderSend(sealRequest(intent.id, request));
    if (outcome.kind !== 'answered') return reject('rejected', outcome.lastError.message);
    const { retcode, order } = outcome.result;
    if (retcodeClass(retcode) !== 'done') return reject('rejected', retcodeName(retcode), retcode);
    this.intents.add(broker, order, intent.id);
    if (plan.isEntry) await this.claim(plan, order, intent);
    return null;
  }

  /** Brings the books up to date with the broker; returns what was filled since, and which orders have gone. */
  async look(): Promise<{ readonly fills: readonly Fill[]; readonly gone: readonly OrderGone[] }> {
    const { terminal } = this.market;
    const positions = (await terminal.positionsGet()).map((row): PositionRecord => {
      return { ...row, time_utc: utc(row.time_msc, this.market), client_order_id: null };
    });
    const orders = (await terminal.ordersGet()).map((row): OrderRecord => ({ ...row, client_order_id: null }));
    this.book.see(broker, new AccountRows(positions, orders));
    await this.settlement.settle(this);
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

  async commit(change: Change): Promise<boolean> {
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

  async onForeignPosition(): Promise<void> {
    // Nobody else trades in a backtest.
  }

  private async claim({ stream, symbol }: Planned, ticket: number, { id }: OrderIntent): Promise<void> {
    const owner = { strategy: this.book.spec.name, broker, ticket, intentId: id };
    const blank = { deals: [], volumeIn: '0', volumeOut: '0', working: true, closed: false };
    await this.commit({ tickets: [{ ...owner, stream: stream ?? '', symbol: symbol ?? '', ...blank }] });
  }

  private async requestOf(intent: OrderIntent, { ticket }: Planned): Promise<TradeRequest | string> {
    const { magic } = this.book.spec;
    if (intent.action === 'cancel') return tradeRequest({ action: TradeAction.REMOVE, order: intent.order });
    if (intent.action === 'enter') {
      const stream = this.book.spec.streams.find(({ alias }) => alias === intent.stream);
      const info = stream ? await this.market.terminal.symbolInfo(stream.symbol) : null;
      return info ? this.entry(intent, info, magic) : `no stream ${intent.stream}`;
    }
    const row = ticket === null ? undefined : this.book.positionRow(broker, ticket);
    const info = row ? await this.market.terminal.symbolInfo(row.symbol) : null;
    if (!row || !info) return 'POSITION_CLOSED';
    const position = { position: row.ticket, symbol: row.symbol, magic };
    if (intent.action === 'protect') {
      const level = (wanted: number | null | undefined, held: number): number =>
        wanted === undefined ? held : snapPrice(wanted ?? 0, info);
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
    const levels = { sl: snapPrice(sl, info), tp: snapPrice(tp, info), stoplimit: snapPrice(stoplimit, info) };
    const market = side === 'buy' ? info.ask : info.bid;
    return tradeRequest({
      ...{ symbol: info.name, magic, volume, type: orderTypes[kind][side], ...levels, ...commonOf(info) },
      action: kind === 'market' ? TradeAction.DEAL : TradeAction.PENDING,
      price: kind === 'market' ? market : snapPrice(price, info),
      deviation: deviation ?? usualDeviation,
      ...(expirationMs === undefined
        ? {}
        : { type_time: OrderTime.SPECIFIED, expiration: Math.floor(this.market.serverMs(expirationMs) / 1_000) }),
    });
  }
}

/** The simulated broker as settling reads it. */
function brokerReads(market: BacktestMarket): BrokerReads {
  return {
    dealsOfPosition: async (position) => {
      const deals = await market.terminal.historyDealsGet({ position });
      return deals.map((row) => ({ ...row, time_utc: utc(row.time_msc, market), client_order_id: null }));
    },
    orderFromTicket: async (ticket) => (await market.terminal.historyOrdersGet({ ticket }))[0] ?? null,
  };
}

function utc(serverMs: number, market: BacktestMarket): string {
  return new Date(market.utcMs(serverMs)).toISOString();
}

function commonOf({ filling_mode }: SymbolInfo): Pick<TradeRequest, 'type_filling' | 'deviation'> {
  const ioc = filling_mode & FillingFlag.IOC ? OrderFilling.IOC : OrderFilling.RETURN;
  return { type_filling: filling_mode & FillingFlag.FOK ? OrderFilling.FOK : ioc, deviation: usualDeviation };
}

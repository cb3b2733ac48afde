import type { AccountInfo, SymbolInfo, Tick, TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import { tickOf } from '../quotes/live-quote';
import type { Broker } from './broker';
import type { LaggingList } from './fault';
import { listOrders, listPositions, type Shows } from './history-lists';

/** What a session showed at one instant. */
export interface StandingView {
  /** Present instant of the market then, in UTC milliseconds. */
  readonly marketMs: number;
  readonly account: AccountInfo;
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
  /** Whether a row of the history was in it then. */
  readonly hadOrder: (order: TradeOrder) => boolean;
  readonly hadDeal: (deal: TradeDeal) => boolean;
  readonly symbols: ReadonlyMap<string, SymbolInfo>;
  readonly ticks: ReadonlyMap<string, Tick>;
}

/** What a session shows now. @param shows what each list shows of the books */
export function standingView(broker: Broker, account: AccountInfo, shows: (list: LaggingList) => Shows): StandingView {
  const { book, market, server } = broker;
  // An order that is still active has a ticket of before, and joins the history after.
  const active = new Set(book.orders.keys());
  const lastOrder = book.orderTickets.last;
  const lastDeal = book.dealTickets.last;
  const [showsOrder, showsDeal] = [shows('history_orders'), shows('deals')];
  return {
    marketMs: market.nowMs,
    account,
    positions: listPositions(book, server.valuation, {}, shows('positions')),
    orders: listOrders(book, (order) => broker.orderPrice(order), {}, shows('orders')),
    hadOrder: ({ ticket, time_done_msc }) => ticket <= lastOrder && !active.has(ticket) && showsOrder(time_done_msc),
    hadDeal: ({ ticket, time_msc }) => ticket <= lastDeal && showsDeal(time_msc),
    symbols: new Map(broker.symbols().map((symbol) => [symbol.name, symbol])),
    ticks: ticksOf(broker),
  };
}

/** A symbol as it was then; whether it is in Market Watch is the terminal's own matter. */
export function standingSymbol({ symbols }: StandingView, now: SymbolInfo): SymbolInfo {
  const then = symbols.get(now.name);
  return then ? { ...then, select: now.select, visible: now.visible } : now;
}

function ticksOf(broker: Broker): Map<string, Tick> {
  const { market } = broker;
  const ticks = new Map<string, Tick>();
  for (const [name, symbol] of market.symbols) {
    const quote = broker.isSelected(name) ? market.quote(symbol) : null;
    if (quote) ticks.set(name, tickOf(quote, market.clock.offsetMs(quote.timeMs)));
  }
  return ticks;
}

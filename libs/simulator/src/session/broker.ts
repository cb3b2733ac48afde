import {
  isBuyOrder,
  OrderType,
  type OrderCheckResult,
  Retcode,
  type SymbolInfo,
  TradeAction,
  type TradeOrder,
  type TradeRequest,
} from '@libs/terminal-client';
import type { Market, MarketSymbol } from '../market/market';
import { rounded, zero } from '../money/decimals';
import { roundedProfit } from '../money/floating-profit';
import { orderMargin } from '../money/margin';
import { profitFormula } from '../symbols/profit-formula';
import type { AccountOptions } from '../simulator-options';
import { groupMask } from '../symbols/group-mask';
import { symbolRecord } from './symbol-record';
import type { Book } from '../trading/book';
import { type Refusal, refusal } from '../trading/refusal';
import { TradeServer } from '../trading/trade-server';
import { accountSums } from '../trading/valuation';

/** The broker and the terminal's own data, at the market's present instant; sessions are let in by their client. */
export class Broker {
  readonly server: TradeServer;
  private readonly selected: Set<string>;

  constructor(
    readonly market: Market,
    readonly book: Book,
    readonly account: AccountOptions,
  ) {
    this.server = new TradeServer(market, book, account);
    this.selected = new Set(
      [...market.symbols.values()].filter(({ spec }) => spec.market.visible).map(({ spec }) => spec.name),
    );
  }

  symbols(group?: string): SymbolInfo[] {
    const matches = group === undefined ? () => true : groupMask(group);
    return [...this.market.symbols.values()]
      .filter(({ spec }) => matches(spec.name))
      .map((symbol) => this.record(symbol));
  }

  symbol(name: string): SymbolInfo | null {
    const symbol = this.market.symbols.get(name);
    return symbol ? this.record(symbol) : null;
  }

  isSelected(name: string): boolean {
    return this.selected.has(name) || this.isInUse(name);
  }

  /** Puts a symbol into Market Watch or takes it off; false when it is unknown or in use. */
  select(name: string, enable: boolean): boolean {
    if (!this.market.symbols.has(name)) return false;
    if (enable) {
      this.selected.add(name);
      return true;
    }
    if (this.isInUse(name)) return false;
    this.selected.delete(name);
    return true;
  }

  /**
   * Refuses to open or close at the market, or to place an order, on a symbol outside Market Watch: the terminal has no
   * quote of it. What a real server does is not confirmed.
   */
  unquoted({ action, symbol }: TradeRequest): Refusal | null {
    const needsQuote = action === TradeAction.DEAL || action === TradeAction.PENDING;
    const isOutside = this.market.symbols.has(symbol) && !this.isSelected(symbol);
    return needsQuote && isOutside ? refusal(Retcode.PRICE_OFF) : null;
  }

  /** Why a request would be refused at this instant; null when it would pass. */
  refuses(request: TradeRequest): Refusal | null {
    return this.unquoted(request) ?? this.server.refuses(request);
  }

  /** What the terminal says of a request without sending it: the sums as they would be after it. */
  check(request: TradeRequest): OrderCheckResult {
    const refused = this.refuses(request);
    const { balance, profit, margin } = this.server.valuation.sums();
    const after = accountSums(balance, profit, this.marginAfter(request) ?? margin, this.account.currencyDigits);
    return {
      retcode: refused?.retcode ?? 0,
      balance: after.balance,
      equity: after.equity,
      profit: after.profit,
      margin: after.margin,
      margin_free: after.marginFree,
      margin_level: after.marginLevel,
      comment: refused?.comment ?? 'Done',
    };
  }

  /** Margin of one order on its own, in the deposit currency. */
  calcMargin(type: number, name: string, volume: number, price: number): number | null {
    const symbol = this.market.symbols.get(name);
    const isOrder = Number.isInteger(type) && type >= OrderType.BUY && type <= OrderType.SELL_STOP_LIMIT;
    if (!symbol || !isOrder || !(volume > 0) || !(price > 0)) return null;
    if (profitFormula(symbol.spec.trade_calc_mode) === null) return null;
    return orderMargin(symbol.spec, { type, volume, price }, this.account, this.server.conversion);
  }

  /** Profit of a trade in the deposit currency. */
  calcProfit(type: number, name: string, volume: number, open: number, close: number): number | null {
    const symbol = this.market.symbols.get(name);
    const isTrade = type === OrderType.BUY || type === OrderType.SELL;
    if (!symbol || !isTrade || !(volume > 0) || !(open > 0) || !(close > 0)) return null;
    if (profitFormula(symbol.spec.trade_calc_mode) === null) return null;
    const trade = { spec: symbol.spec, type, volume, open, close };
    return roundedProfit(trade, this.server.conversion, this.account.currencyDigits);
  }

  /** Price of the side an order waits for, or its own price without a quote. */
  orderPrice(order: TradeOrder): number {
    const symbol = this.market.symbols.get(order.symbol);
    const quote = symbol && this.market.quote(symbol);
    if (!quote) return order.price_open;
    return isBuyOrder(order.type) ? quote.ask : quote.bid;
  }

  private marginAfter(request: TradeRequest): number | null {
    const symbol = this.market.symbols.get(request.symbol);
    const quote = symbol && this.market.quote(symbol);
    if (request.position !== 0 || request.order !== 0) return this.marginWithout(request);
    if (!symbol || !quote || !(request.volume > 0)) return null;
    const { type, volume } = request;
    if (request.action === TradeAction.PENDING) {
      const reserved = this.server.rules.reserved({ symbol, type, volume, price: request.price }) ?? zero;
      return rounded(this.server.valuation.margin().add(reserved), this.account.currencyDigits).toNumber();
    }
    if (request.action !== TradeAction.DEAL || type > OrderType.SELL) return null;
    const price = type === OrderType.BUY ? quote.ask : quote.bid;
    return this.server.rules.after({ symbol, type, volume, price })?.margin.toNumber() ?? null;
  }

  /** Margin after a close or a cancellation; null for what leaves it as it is. */
  private marginWithout({ action, position: ticket, position_by, order, volume }: TradeRequest): number | null {
    const { valuation } = this.server;
    if (action === TradeAction.REMOVE) {
      const active = this.book.orders.get(order);
      const left = active && valuation.margin().sub(valuation.reservedBy(active));
      return left ? rounded(left, this.account.currencyDigits).toNumber() : null;
    }
    const position = this.book.positions.get(ticket);
    if (!position) return null;
    if (action === TradeAction.DEAL) {
      return valuation.marginWithout(position.symbol, new Map([[ticket, volume]])).toNumber();
    }
    const opposite = this.book.positions.get(position_by);
    if (action !== TradeAction.CLOSE_BY || !opposite) return null;
    const lots = Math.min(position.volume, opposite.volume);
    const closed = new Map([ticket, position_by].map((one) => [one, lots]));
    return valuation.marginWithout(position.symbol, closed).toNumber();
  }

  private record(symbol: MarketSymbol): SymbolInfo {
    return symbolRecord(symbol, this.market, this.server.conversion, this.isSelected(symbol.spec.name));
  }

  private isInUse(name: string): boolean {
    const { positionsOn, orders } = this.book;
    return (positionsOn.get(name)?.size ?? 0) > 0 || [...orders.values()].some(({ symbol }) => symbol === name);
  }
}

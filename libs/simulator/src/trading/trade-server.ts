import { OrderState, Retcode, TradeAction, type TradeRequest } from '@libs/terminal-client';
import type { Market, MarketListener, MarketSymbol } from '../market/market';
import { Conversion } from '../money/conversion';
import type { AccountOptions } from '../simulator-options';
import { AccountRules } from './account-rules';
import type { Book } from './book';
import { CloseBy } from './close-by';
import type { Desk } from './desk';
import { Fills } from './fills';
import { type FillTerms, MarketOrders } from './market-orders';
import { finish } from './orders';
import { PendingOrders } from './pending-orders';
import { Protection } from './protection';
import { type Refusal, refusal } from './refusal';
import { answer, type ServerAnswer } from './server-answer';
import { DayEnd } from './day-end';
import { Rollover } from './rollover';
import { StopOut } from './stop-out';
import { Triggered } from './triggered';
import { Valuation } from './valuation';
import { Watcher } from './watcher';

/** The broker's side: takes requests at the market's present instant, and acts on its own as the market moves. */
export class TradeServer implements MarketListener {
  readonly valuation: Valuation;
  readonly rules: AccountRules;
  readonly marketOrders: MarketOrders;
  private readonly desk: Desk;
  private readonly pendingOrders: PendingOrders;
  private readonly protection: Protection;
  private readonly closeBy: CloseBy;
  private readonly watcher: Watcher;
  private readonly stopOut: StopOut;
  private readonly dayEnd: DayEnd;
  private watchedVersion = -1;
  private expiryVersion = -1;
  private nextExpiryMs = Number.POSITIVE_INFINITY;

  constructor(market: Market, book: Book, account: AccountOptions) {
    const desk: Desk = { market, book, account, conversion: new Conversion(market, account.currency) };
    this.desk = desk;
    this.valuation = new Valuation(desk);
    this.rules = new AccountRules(desk, this.valuation);
    const fills = new Fills(desk);
    this.marketOrders = new MarketOrders(desk, this.rules, fills);
    this.pendingOrders = new PendingOrders(desk, this.rules);
    this.protection = new Protection(desk, this.marketOrders);
    this.closeBy = new CloseBy(desk, fills);
    this.watcher = new Watcher(desk, new Triggered(desk, this.rules, fills, this.marketOrders));
    this.stopOut = new StopOut(desk, this.valuation, this.marketOrders);
    this.dayEnd = new DayEnd(desk, new Rollover(desk, fills));
  }

  /** The account is at or below its margin-call level. */
  get marginCalled(): boolean {
    return this.stopOut.marginCalled;
  }

  /** Converts currencies at current prices. */
  get conversion(): Conversion {
    return this.desk.conversion;
  }

  /** Why a request would be refused at this instant; null when it would pass. */
  refuses(request: TradeRequest): Refusal | null {
    switch (request.action) {
      case TradeAction.DEAL:
        return this.forSymbol(request, (symbol) => this.marketOrders.refuses(request, symbol));
      case TradeAction.PENDING:
        return this.forSymbol(request, (symbol) => this.pendingOrders.refuses(request, symbol));
      case TradeAction.SLTP:
        return this.protection.refuses(request);
      case TradeAction.CLOSE_BY:
        return this.closeBy.refuses(request);
      case TradeAction.MODIFY:
        return this.pendingOrders.refusesModify(request);
      case TradeAction.REMOVE:
        return this.pendingOrders.refusesRemove(request);
      default:
        return refusal(Retcode.INVALID);
    }
  }

  /** Carries a request out, or refuses it. The terms are those of a fault. */
  send(request: TradeRequest, terms: FillTerms = {}): ServerAnswer {
    const symbol = this.desk.market.symbols.get(request.symbol);
    const done = this.carryOut(request, symbol ?? null, terms);
    this.afterTrades();
    return done;
  }

  nextEventMs(): number {
    return Math.min(this.nextExpiry(), this.dayEnd.nextMs);
  }

  onEvent(): void {
    const { nowMs } = this.desk.market;
    for (const order of [...this.desk.book.orders.values()]) {
      if (order.expires_ms !== 0 && order.expires_ms <= nowMs) finish(this.desk, order, OrderState.EXPIRED);
    }
    if (this.dayEnd.nextMs <= nowMs) this.dayEnd.run();
    this.afterTrades();
  }

  onQuote(symbol: MarketSymbol): void {
    this.watcher.onQuote(symbol);
    if (this.desk.book.positions.size > 0) this.stopOut.check();
    this.afterTrades();
  }

  /** Watches what has to be watched after the books changed. */
  afterTrades(): void {
    const { book, market } = this.desk;
    if (book.version === this.watchedVersion) return;
    this.watchedVersion = book.version;
    market.watch(this.watcher.watchedSymbols());
  }

  private carryOut(request: TradeRequest, symbol: MarketSymbol | null, terms: FillTerms): ServerAnswer {
    switch (request.action) {
      case TradeAction.DEAL:
        return symbol ? this.marketOrders.send(request, symbol, terms) : unknownSymbol();
      case TradeAction.PENDING:
        return symbol ? this.placed(request, symbol) : unknownSymbol();
      case TradeAction.SLTP:
        return this.protection.send(request);
      case TradeAction.MODIFY:
        return this.pendingOrders.modify(request, terms.replacesOrders);
      case TradeAction.REMOVE:
        return this.pendingOrders.remove(request);
      case TradeAction.CLOSE_BY:
        return this.closeBy.send(request);
      default:
        return answer(refusal(Retcode.INVALID), null);
    }
  }

  /** A limit through an exchange's market meets it at once. */
  private placed(request: TradeRequest, symbol: MarketSymbol): ServerAnswer {
    const placed = this.pendingOrders.place(request, symbol);
    if (placed.retcode === Retcode.DONE) this.watcher.atPresentQuote(symbol);
    return placed;
  }

  private forSymbol(request: TradeRequest, check: (symbol: MarketSymbol) => Refusal | null): Refusal | null {
    const symbol = this.desk.market.symbols.get(request.symbol);
    return symbol ? check(symbol) : refusal(Retcode.INVALID);
  }

  private nextExpiry(): number {
    const { book } = this.desk;
    if (this.expiryVersion !== book.version) {
      this.nextExpiryMs = Number.POSITIVE_INFINITY;
      for (const { expires_ms: at } of book.orders.values()) {
        if (at !== 0) this.nextExpiryMs = Math.min(this.nextExpiryMs, at);
      }
      this.expiryVersion = book.version;
    }
    return this.nextExpiryMs;
  }
}

function unknownSymbol(): ServerAnswer {
  return answer(refusal(Retcode.INVALID), null);
}

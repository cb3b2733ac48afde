import type { Fill, Quote, Reject } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import { afterEquity } from '../core/halt-rules';
import { sweepsOf } from '../core/pending-sweep';
import { planOf, type OrderIntent } from '../core/plan';
import { denial } from '../core/rejection';
import { undisturbed, type Holdings } from '../core/risk';
import { isWaiting, next, stacksOf, type Moment, type StackEvent } from '../core/stacks';
import type { StrategySpec } from '../daemon-file/daemon-file';
import type { StrategyRecord } from '../state/records';
import type { Intent, StrategyEvent, View } from '../strategies/worker/messages';
import { StrategyBook } from '../core/strategy-book';
import { BacktestBooks } from './backtest-books';
import type { BacktestGateway } from './backtest-gateway';
import type { BacktestMarket } from './backtest-market';
import { BacktestRequests } from './backtest-requests';

const dayMs = 86_400_000;

/** A strategy's trading in a backtest: performs what the core decides, in the simulated broker and in memory. */
export class BacktestTrading {
  readonly book: StrategyBook;
  readonly fills: Fill[] = [];
  /** What half of the spread was worth at each fill, by deal. */
  readonly spreads = new Map<number, number>();
  readonly rejects: Reject[] = [];
  /** The latest quote of each stream, by alias. */
  readonly quotes: Record<string, Quote> = {};
  /** Fills, rejections and ended orders that the strategy has not received yet. */
  readonly events: StrategyEvent[] = [];
  private readonly books: BacktestBooks;
  private readonly requests: BacktestRequests;
  private readonly shown: View;
  private stacks = stacksOf([]);
  private readonly hasLimits: boolean;
  /** What the limits were last checked for. */
  private checked: { readonly equity: number; readonly day: number; readonly record: StrategyRecord | null } = {
    equity: Number.NaN,
    day: Number.NaN,
    record: null,
  };

  constructor(
    private readonly spec: StrategySpec,
    private readonly market: BacktestMarket,
    gateway: BacktestGateway,
  ) {
    const blank = { realized: '0', trades: 0, lastTrade: null, halt: null, day: null, peakEquity: null };
    this.book = new StrategyBook(spec, { name: spec.name, ...blank }, []);
    this.books = new BacktestBooks(market, this.book);
    this.requests = new BacktestRequests(market, gateway, this.books);
    this.shown = presentView(this.books, this.requests, this.quotes, () => market.symbolSpecs(spec.streams));
    const { maxDailyLoss, maxDrawdownPct } = spec.risk;
    this.hasLimits = maxDailyLoss !== null || maxDrawdownPct !== null;
  }

  /** Whether a price may fill, close or enter something. */
  get heedsPrices(): boolean {
    return isWaiting(this.stacks) || this.book.openTickets.length > 0;
  }

  /**
   * Whether a price that brings no bar changes more than what open positions are worth. It does when the broker filled, closed or
   * cancelled something at it, when a layer may enter, and when a limit may be reached.
   */
  get isTouched(): boolean {
    return this.hasLimits || isWaiting(this.stacks) || this.books.isBehind;
  }

  /** Market time at which a refused exit is sent again, in UTC milliseconds; null while none waits for that. */
  get nextRetryMs(): number | null {
    return this.requests.nextRetryMs;
  }

  /** Capital, results and what is open, in the account's currency. */
  get equity(): number {
    return this.books.equity;
  }

  /** The book with its open positions at present prices. */
  get pricedBook(): StrategyBook {
    return this.books.priced;
  }

  /** Whether a position is open, so that prices change the equity. */
  get holdsPosition(): boolean {
    return this.books.holdsPosition;
  }

  /** The strategy's view, to be read before the next event: nothing is computed that is not read. */
  view(): View {
    return this.shown;
  }

  carryOut(intent: Intent): void {
    if (intent.action !== 'stack') return this.order(intent);
    // Every account here is a hedging account.
    this.handleStacks({ type: 'wanted', intent, unfit: null, moment: this.momentOf(intent.stream) });
  }

  onQuote(stream: string, quote: Quote): void {
    this.quotes[stream] = quote;
    this.handleStacks({ type: 'quote', stream, quote });
  }

  /** Ends the stacks that are over. @param marketMs market time, in milliseconds since the epoch */
  sweepStacks(marketMs: number): void {
    this.handleStacks({ type: 'account seen', marketMs });
  }

  /** Halts the strategy when a limit is reached. While it is halted, its layers and pending orders are cancelled. */
  heedLimits(): void {
    if (!this.hasLimits) return;
    const { book, books, market, spec } = this;
    const { equity } = books;
    const day = Math.floor(market.nowMs / dayMs);
    const { checked } = this;
    // Checked with every price: mostly neither the equity nor the day has changed.
    if (equity !== checked.equity || day !== checked.day || book.record !== checked.record) {
      const date = new Date(market.nowMs).toISOString().slice(0, 10);
      const after = afterEquity(book.record, spec.risk, new Decimal(equity), date, market.nowMs);
      if (after !== book.record) book.apply({ strategy: after });
      this.checked = { equity, day, record: book.record };
    }
    if (book.record.halt !== null) this.withdraw();
  }

  /** Repeats the rejected exits that are due, and queues the events that follow for the strategy. */
  retry(): void {
    const { nextRetryMs } = this;
    if (nextRetryMs === null || nextRetryMs > this.market.nowMs) return;
    this.requests.retryDue();
    this.settle();
  }

  /** Books what the broker did since the last look, and adds the events of it. */
  look(): void {
    this.books.look();
    const { fills, gone } = this.books.takeNews();
    // Two tickets may have filled at one quote: in the order in which the broker did it.
    for (const fill of [...fills].sort((a, b) => a.deal - b.deal)) {
      this.fills.push(fill);
      this.spreads.set(fill.deal, this.market.halfSpread(fill));
      this.handleStacks({ type: 'filled', fills: [fill] });
      this.events.push({ type: 'fill', fill });
    }
    for (const order of gone) this.events.push({ type: 'gone', gone: order });
  }

  /** Cancels the layers and pending orders of a halted strategy. */
  private withdraw(): void {
    this.handleStacks({ type: 'halted', reason: '' });
    const sweeps = sweepsOf(this.holdings, this.market.nowMs, this.quotes);
    if (sweeps.length === 0) return;
    for (const { intent } of sweeps) this.submit(intent);
    this.settle();
  }

  /** Performs what an event requires of the stacks. Nothing is stored, because a backtest does not restart. */
  private handleStacks(event: StackEvent): void {
    // Most prices find no stack.
    if (this.stacks.open.length === 0 && event.type !== 'wanted') return;
    const { stacks, effects } = next(this.stacks, event, this.holdings);
    this.stacks = stacks;
    for (const effect of effects) {
      if (effect.type === 'enter') this.order(effect.intent);
      else if (effect.type === 'deny') this.reject(denial(effect.intentId, effect.reason));
      else if (effect.type === 'queue') {
        const { layer } = effect;
        this.handleStacks({ type: 'turn', layer, moment: this.momentOf(layer.stream) });
        this.handleStacks({ type: 'entered', layer });
      }
    }
  }

  private momentOf(alias: string): Moment {
    return { quote: this.quotes[alias] ?? null, marketMs: this.market.nowMs, circumstances: undisturbed };
  }

  /** What the strategy owns and has requested. */
  private get holdings(): Holdings {
    return { book: this.book, inFlight: this.requests.records };
  }

  private order(intent: OrderIntent): void {
    this.submit(intent);
    this.settle();
  }

  private submit(intent: OrderIntent): void {
    const plan = planOf(intent, this.holdings, undisturbed);
    if (typeof plan === 'string') this.reject(denial(intent.id, plan));
    else this.requests.send(plan, intent.id);
  }

  /** Adds the events of requests that have ended. */
  private settle(): void {
    this.look();
    for (const reject of this.requests.takeRejects()) this.reject(reject);
  }

  private reject(reject: Reject): void {
    this.rejects.push(reject);
    this.handleStacks({ type: 'rejected', reject });
    this.events.push({ type: 'reject', reject });
  }
}

/**
 * What a strategy sees at the moment at which it reads it. Books and requests are out of its reach: through them it would
 * reach the prices that are still to come.
 */
function presentView(
  books: BacktestBooks,
  requests: BacktestRequests,
  quotes: View['quotes'],
  symbols: () => View['symbols'],
): View {
  return {
    get positions() {
      return books.priced.positions;
    },
    get orders() {
      return books.book.orders;
    },
    get equity() {
      return books.equity;
    },
    get inFlight() {
      return requests.records.length;
    },
    quotes,
    get symbols() {
      return symbols();
    },
  };
}

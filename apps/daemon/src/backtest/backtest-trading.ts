import type { Fill, Quote, Reject } from '@libs/strategy';
import type { CoreEffect, RequestedEffect } from '../core/core-effect';
import type { CoreEventBody, StackChange } from '../core/core-event';
import { EventQueue } from '../core/event-queue';
import type { Sweep } from '../core/pending-sweep';
import { rejection } from '../core/exit-retry';
import { type Circumstances, undisturbed } from '../core/risk';
import { intentOf, isWaiting, type Layer, type Moment } from '../core/stacks';
import { isTrailed } from '../core/trails';
import type { StrategyBook } from '../core/strategy-book';
import type { StrategySpec } from '../core/strategy-spec';
import type { HaltRecord, StateText, StrategyRecord } from '../core/records';
import type { Intent, StrategyEvent } from '../core/strategy-event';
import type { View } from '../live/view';
import { BacktestBooks } from './backtest-books';
import { BacktestCore } from './backtest-core';
import type { BacktestGateway } from './backtest-gateway';
import type { BacktestMarket } from './backtest-market';
import { BacktestRequests } from './backtest-requests';
import { presentView } from './backtest-view';
import { timedReject, type TimedReject } from './backtest-result';

const dayMs = 86_400_000;
/** The handler left a `trade.state` that cannot be kept. */
const withoutState: Circumstances = { ...undisturbed, isStateKept: false };

/** A strategy's trading in a backtest: performs what the core decides, in the simulated broker and in memory. */
export class BacktestTrading {
  readonly fills: Fill[] = [];
  /** Value of half the spread at each fill, by deal. */
  readonly spreads = new Map<number, number>();
  readonly rejects: TimedReject[] = [];
  /** Each halt, in the order of time; its time is the market's. */
  readonly halts: HaltRecord[] = [];
  /** The latest quote of each stream, by alias. */
  readonly quotes: Record<string, Quote> = {};
  /** What the strategy has not received yet. */
  readonly queue = new EventQueue();
  private readonly core: BacktestCore;
  private readonly books: BacktestBooks;
  private readonly requests: BacktestRequests;
  private readonly shown: View;
  /** The intent that is carried out; null between intents. */
  private current: Intent | null = null;
  /** Whether a price may halt the strategy, or end its halt. */
  private hasLimits: boolean;
  /** What the limits were last checked for. */
  private checked: { readonly equity: number; readonly day: number; readonly record: StrategyRecord | null } = {
    equity: Number.NaN,
    day: Number.NaN,
    record: null,
  };

  constructor(
    spec: StrategySpec,
    private readonly market: BacktestMarket,
    gateway: BacktestGateway,
  ) {
    this.core = new BacktestCore(spec, market);
    this.books = new BacktestBooks(market, this.core);
    this.requests = new BacktestRequests(market, gateway, this.books);
    this.shown = presentView(this.books, this.core, this.quotes, {
      symbols: () => market.symbolSpecs(spec.streams),
      grids: market.grids(spec.streams),
      account: () => market.account,
    });
    const { maxDailyLoss, maxDrawdownPct } = spec.risk;
    this.hasLimits = maxDailyLoss !== null || maxDrawdownPct !== null;
  }

  get book(): StrategyBook {
    return this.core.book;
  }

  /** Whether a price may fill, close or enter something. */
  get heedsPrices(): boolean {
    return isWaiting(this.core.state.stacks) || this.book.openTickets.length > 0;
  }

  /**
   * Whether a price that brings no bar changes more than what open positions are worth. It does when the broker filled, closed or
   * cancelled something at it, when a layer may enter, a trailing stop may move, and when a limit may be reached.
   */
  get isTouched(): boolean {
    return (
      this.hasLimits ||
      isWaiting(this.core.state.stacks) ||
      this.books.isBehind ||
      this.book.openTickets.some(isTrailed)
    );
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

  /** What the strategy keeps; null if it has not changed that. */
  get kept(): StateText | null {
    return this.core.state.kept;
  }

  /** Takes what the strategy keeps from now on. */
  keep(state: StateText): void {
    this.deliver({ type: 'state', state });
  }

  /** @param isStateKept whether `trade.state` could be kept as the handler left it */
  carryOut(intent: Intent, isStateKept: boolean): void {
    if (intent.action === 'trail') return this.deliver({ type: 'trail', intent });
    const key = intent.id;
    const circumstances = isStateKept ? undisturbed : withoutState;
    this.current = intent;
    if (intent.action !== 'stack') this.deliver({ type: 'intent', intent, circumstances, key });
    else {
      const moment = { ...this.momentOf(intent.stream), circumstances };
      // Every account here is a hedging account.
      this.deliver({ type: 'layer', event: { type: 'wanted', intent, unfit: null, moment }, key });
    }
    this.settle();
    this.current = null;
  }

  /** Enters a layer of a stack in its turn. */
  enterLayer(layer: Layer): void {
    const moment = this.momentOf(layer.stream);
    this.deliver({ type: 'layer', event: { type: 'turn', layer, moment }, key: intentOf(layer) });
    this.settle();
    this.deliver({ type: 'stack', event: { type: 'entered', layer } });
  }

  onQuote(stream: string, quote: Quote): void {
    this.quotes[stream] = quote;
    this.changeStacks({ type: 'quote', stream, quote });
    this.moveStops(stream, quote);
  }

  /** Moves the trailing stops of a symbol. */
  private moveStops(alias: string, quote: Quote): void {
    const stream = this.book.spec.streams.find((one) => one.alias === alias);
    if (!stream || !this.book.openTickets.some(isTrailed)) return;
    const terms = this.market.fixedTerms(stream.symbol);
    if (terms === null) return;
    const { tickSize, digits, stopsDistance, freezeDistance } = terms;
    this.deliver({
      type: 'price',
      stream: alias,
      quote,
      terms: { tickSize, digits, stopsDistance, freezeDistance },
    });
    this.settle();
  }

  /** Ends the stacks that are over. @param marketMs market time, in milliseconds since the epoch */
  sweepStacks(marketMs: number): void {
    this.changeStacks({ type: 'account seen', marketMs });
  }

  /** Halts the strategy when a limit is reached. While it is halted, its layers and pending orders are cancelled. */
  heedLimits(): void {
    if (!this.hasLimits) return;
    const { book, books, market } = this;
    const { equity } = books;
    const day = Math.floor(market.nowMs / dayMs);
    const { checked } = this;
    // Checked with every price: mostly neither the equity nor the day has changed.
    if (equity !== checked.equity || day !== checked.day || book.record !== checked.record) {
      this.deliver({ type: 'equity', equity, marketMs: market.nowMs, moneyDigits: market.moneyDigits });
      this.checked = { equity, day, record: book.record };
    }
    if (book.record.halt !== null) this.withdraw();
  }

  /** Halts the strategy, as the daemon does for its portfolio or for its errors. A halt that it has stays. */
  halt({ kind, reason }: Pick<HaltRecord, 'kind' | 'reason'>): void {
    this.hasLimits = true;
    // The day is noted first: a daily halt ends with it.
    this.heedLimits();
    if (this.book.record.halt !== null) return;
    this.deliver({ type: 'halt', kind, reason });
    this.withdraw();
  }

  /** Repeats the rejected exits that are due, and queues the events that follow for the strategy. */
  retry(): void {
    const { nextRetryMs } = this;
    if (nextRetryMs === null || nextRetryMs > this.market.nowMs) return;
    for (let key = this.requests.takeDue(); key !== null; key = this.requests.takeDue()) {
      this.deliver({ type: 'request', key, event: { type: 'timer' } });
    }
    this.settle();
  }

  /** Books what the broker did since the last look, and adds the events of it. */
  look(): void {
    this.books.look();
    const news = this.books.takeNews();
    if (news === null) return;
    // Two tickets may have filled at one quote: in the order in which the broker did it.
    for (const fill of [...news.fills].sort((a, b) => a.deal - b.deal)) {
      this.fills.push(fill);
      this.spreads.set(fill.deal, this.market.halfSpread(fill));
      this.add({ type: 'fill', fill });
    }
    for (const order of news.gone) this.add({ type: 'gone', gone: order });
    if (news.sweeps.length === 0) return;
    for (const sweep of news.sweeps) this.cancel(sweep);
    this.settle();
  }

  private cancel({ intent }: Sweep): void {
    this.deliver({ type: 'intent', intent, circumstances: undisturbed, key: intent.id });
  }

  /** Cancels the pending orders of a halted strategy. */
  private withdraw(): void {
    if (this.book.openTickets.length === 0) return;
    this.deliver({ type: 'sweep', marketMs: this.market.nowMs, quotes: this.quotes });
    this.settle();
  }

  private changeStacks(event: StackChange): void {
    // Most prices find no stack.
    if (this.core.state.stacks.open.length > 0) this.deliver({ type: 'stack', event });
  }

  /** Delivers an event and performs its effects, each with everything that follows from it. */
  private deliver(event: CoreEventBody): void {
    for (const effect of this.core.handle(event)) this.perform(effect);
  }

  private perform(effect: CoreEffect): void {
    switch (effect.type) {
      case 'persist':
        if (effect.key === null) return this.books.perform(effect);
        return this.answer({ ...effect, key: effect.key });
      case 'submit':
      case 'ask':
      case 'find order':
        return this.answer(effect);
      case 'denied':
        return this.reject(effect.reject);
      case 'notice': {
        const { notice, record } = effect;
        if (notice.type === 'rejected') this.requests.note(rejection(record.intentId, notice.refusal));
        return;
      }
      case 'halted':
        this.halts.push(effect.halt);
        return;
      case 'queue':
        return this.queue.add({ type: 'layer', layer: effect.layer });
      case 'cancel':
        return this.cancel(effect.sweep);
      case 'trail': {
        const { broker, ticket } = effect;
        return this.deliver({ type: 'trail turn', broker, ticket, key: `trail-${ticket}`, isCurrent: true });
      }
      default:
        return;
    }
  }

  private answer(effect: RequestedEffect): void {
    const event = this.requests.perform(effect);
    if (event !== null) this.deliver(event);
  }

  private momentOf(alias: string): Moment {
    return { quote: this.quotes[alias] ?? null, marketMs: this.market.nowMs, circumstances: undisturbed };
  }

  /** Adds the events of requests that have ended. */
  private settle(): void {
    this.look();
    for (const reject of this.requests.takeRejects()) this.reject(reject);
  }

  /** Queues an event for the strategy. */
  add(event: StrategyEvent): void {
    this.queue.add({ type: 'event', event, receivedNanos: null });
  }

  private reject(reject: Reject): void {
    this.rejects.push(timedReject(reject, this.market.nowMs, this.current));
    this.add({ type: 'reject', reject });
  }
}

import type { OperatorLimits, OrderRefusal } from '@libs/order-drafts';
import type { ModifyOrderRequest } from '@libs/gateway-client';
import type { Reject, Stream } from '@libs/strategy';
import { denial, rejection } from '../../core/exit-retry';
import { ticketCall } from '../../core/intent-call';
import { groupFilled, notOwned } from '../../core/plan';
import { sizeDenied } from '../../core/risk';
import type { StrategySpec } from '../../core/strategy-spec';
import type { StrategyEvent, Intent } from '../../core/strategy-event';
import type { BarNumbers } from '../../strategies/worker/bar-numbers';
import { tooFewBars } from '../../market-data/closed-bar';
import type { Reaction } from '../../strategies/worker/messages';
import type { View } from '../../live/view';
import type { LoadedStrategy } from '../backtest';
import { refused } from '../backtest-gateway';
import type { CurveColumns } from '../curve';
import { endEquityOf, type Tally } from '../figures';
import { KernelAccount, type KernelLedger } from './kernel-account';
import { KernelEquity } from './kernel-equity';
import type { KernelMarket } from './kernel-market';
import { NeedsEngineError } from './needs-engine-error';

/** What a run in the kernel gives. */
export interface KernelResult {
  /** What its figures are made of, beside the curve. */
  readonly tally: Tally;
  /** As `curveOf`; valid until the next run over the market. */
  readonly curve: CurveColumns;
  /** The points between start and end, as rows of time and equity. */
  readonly equity: Float64Array;
  /** Null where neither the caller nor the strategy wants to know. */
  readonly ledger: KernelLedger | null;
}

/** A strategy that answers at once, and takes bars as numbers. */
export interface KernelStrategy extends Pick<LoadedStrategy, 'loaded' | 'handle'> {
  /**
   * Sets the bars that {@link bars} passes, and the view that each of them comes with.
   * @param passed receives the index of each bar before it is passed
   */
  showBars(stream: Stream, numbers: BarNumbers, view: View, passed: Int32Array<ArrayBuffer>): void;
  /** Passes bars one after the other, up to the first one after which the strategy wants something. @returns null if none is */
  bars(from: number, until: number, isPast: boolean): Reaction | null;
}

/**
 * One run of one strategy over a market: the events, the calls and the figures of {@link Backtest}, without the layers between the
 * strategy and the broker's rules.
 */
export class KernelRun {
  private readonly account: KernelAccount;
  private readonly equity: KernelEquity;
  private readonly view: View;
  /** What the strategy has not received yet. */
  private readonly queue: StrategyEvent[] = [];
  private rejects = 0;
  private readonly alias: string;
  private isLive = false;
  /** The bar that the strategy receives next, and the one that it has received last. */
  private bar = 0;
  private readonly passed = new Int32Array(1);
  /** The account has not moved to the quote of that bar yet; it does when the strategy looks at it. */
  private isBehind = false;
  /** Why the full engine is needed; noted because a strategy may catch what a read throws. */
  private needs: NeedsEngineError | null = null;

  private readonly ledger: KernelLedger | null;

  /**
   * @param startMs and @param endMs the span of {@link KernelMarket.spanOf}
   * @param wanted whether every deal is a part of the result, and every minute of its equity: else those that figures are made of
   */
  constructor(
    private readonly spec: StrategySpec,
    private readonly strategy: KernelStrategy,
    private readonly market: KernelMarket,
    limits: OperatorLimits,
    private readonly startMs: number,
    private readonly endMs: number,
    wanted: { readonly ledger: boolean; readonly curve: boolean },
  ) {
    this.ledger = wanted.ledger || strategy.loaded.wantsFills ? { fills: [], costs: new Map() } : null;
    this.account = new KernelAccount(market, spec.capital, limits.orders, market.quotesUntil(startMs), this.ledger);
    this.alias = market.stream.alias;
    this.equity = new KernelEquity(market, this.account, [startMs, spec.capital], wanted.curve);
    this.view = this.presentView();
  }

  /** @throws NeedsEngineError */
  run(): KernelResult {
    const { market, account, startMs, endMs } = this;
    const { starts } = market.minutes;
    const [from, until] = [market.quotesUntil(startMs), market.quotesUntil(endMs)];
    if (from >= until) throw new NeedsEngineError('there are no prices to trade at');
    this.strategy.showBars(market.stream, market.bars.rows, this.view, this.passed);
    this.warmUp(market.barsClosedBy(from));
    this.isLive = true;
    // The first minute may begin in its middle, and the last one end there.
    let minute = market.minuteOf(from);
    const last = market.minuteOf(until - 1);
    this.playMinute(minute, from, Math.min(starts[minute + 1] ?? until, until));
    minute++;
    while (minute <= last) {
      const quietUntil = Math.min(account.quietUntil(minute), last);
      if (quietUntil > minute) {
        minute = this.playQuietMinutes(minute, quietUntil);
      } else {
        this.playMinute(minute, starts[minute] ?? until, Math.min(starts[minute + 1] ?? until, until));
        minute++;
      }
    }
    account.passTime(endMs);
    return this.result();
  }

  private playMinute(minute: number, from: number, end: number): void {
    this.arriveAt(from);
    this.playBarsAndRest(minute, from, end);
  }

  /** Passes the bars that closed with the first quote of a minute, and plays its other quotes. */
  private playBarsAndRest(minute: number, from: number, end: number): void {
    const { account } = this;
    const { closedAt } = this.market.bars;
    while ((closedAt[this.bar] ?? Infinity) <= from) this.passBars(this.bar + 1, false);
    if (account.isWaiting && !account.isQuietMinute(minute, end - 1)) this.passQuotes(from + 1, end);
    this.endMinute(end - 1);
  }

  /**
   * Plays minutes in which nothing happens but what the strategy does: it receives their bars at once, up to the first one after
   * which it wants something.
   * @returns the minute that is to be played next
   */
  private playQuietMinutes(from: number, until: number): number {
    const { market, account } = this;
    const { starts } = market.minutes;
    this.isBehind = true;
    const reaction = this.nextReaction(market.barsClosedBy((starts[until - 1] ?? 0) + 1), false);
    this.isBehind = false;
    const minute = reaction === null ? until : market.minuteAfter(market.bars.closedAt[this.bar - 1] ?? 0);
    this.equity.endMinutes(from, minute);
    if (reaction === null) return minute;
    const at = starts[minute] ?? 0;
    account.advance(at);
    this.follow(reaction);
    this.hear();
    this.playBarsAndRest(minute, at, starts[minute + 1] ?? 0);
    return minute + 1;
  }

  /** The quotes of a minute after its first. */
  private passQuotes(from: number, end: number): void {
    const { account } = this;
    for (let at = from; at < end; at++) {
      if (account.isWaiting && (account.isTrailed || !account.isQuiet(at))) this.arriveAt(at);
    }
  }

  /** Moves to a quote. The strategy hears of its fills after the trailing stops have moved. */
  private arriveAt(at: number): void {
    const { account } = this;
    if (account.advance(at)) this.look();
    account.moveStops();
    this.hear();
  }

  private result(): KernelResult {
    const { account, startMs, endMs, equity, spec, ledger } = this;
    const end = endEquityOf(account, spec.capital);
    return {
      tally: account.total(startMs, endMs, this.rejects),
      curve: equity.columns([endMs, end]),
      get equity() {
        return equity.packed();
      },
      ledger,
    };
  }

  /** Plays the past in. */
  private warmUp(closed: number): void {
    const { stream } = this.market;
    const count = this.strategy.loaded.pastBars[stream.alias] ?? 0;
    if (closed < count) throw new NeedsEngineError(tooFewBars(stream, count, closed));
    this.bar = closed - count;
    while (this.bar < closed) this.passBars(closed, true);
  }

  private endMinute(at: number): void {
    const { account, equity } = this;
    account.take(at);
    equity.endMinute(at);
  }

  /** Passes bars, up to the first one after which the strategy wants something, and does that. */
  private passBars(until: number, isPast: boolean): void {
    const reaction = this.nextReaction(until, isPast);
    if (reaction === null) return;
    this.follow(reaction);
    this.hear();
  }

  /** @returns null where the strategy has received all bars, and wants nothing */
  private nextReaction(until: number, isPast: boolean): Reaction | null {
    const reaction = this.strategy.bars(this.bar, until, isPast);
    if (this.needs !== null) throw this.needs;
    this.bar = reaction === null ? until : (this.passed[0] ?? 0) + 1;
    return reaction;
  }

  /** Passes what waits to the strategy, and what follows from what it does. */
  private hear(): void {
    const { queue } = this;
    if (queue.length === 0) return;
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) this.handle(event);
  }

  /** Queues what the broker did since the last look. */
  private look(): void {
    const { account, queue, strategy } = this;
    const fills = account.look();
    if (strategy.loaded.wantsFills) for (const fill of fills) queue.push({ type: 'fill', fill });
    for (const gone of account.lookAtOrders()) queue.push({ type: 'gone', gone });
  }

  private handle(event: StrategyEvent): void {
    const reaction = this.strategy.handle(event, this.view);
    if (this.needs !== null) throw this.needs;
    this.follow(reaction);
  }

  private follow({ error, stateProblem, intents }: Reaction): void {
    // The engine says what it threw, and at which line.
    if (error !== null || stateProblem !== null) throw new NeedsEngineError('a handler threw an error');
    for (const intent of intents) this.carryOut(intent);
  }

  private carryOut(intent: Intent): void {
    const reject = this.attempt(intent);
    if (reject !== null) {
      this.rejects++;
      this.queue.push({ type: 'reject', reject });
    }
    this.look();
  }

  /** @returns what the strategy receives where nothing is done; null where something is */
  private attempt(intent: Intent): Reject | null {
    const { account, spec } = this;
    switch (intent.action) {
      case 'enter': {
        const { options, side, id, oco } = intent;
        const openPositions = account.positions.length + account.pending.waiting.length;
        const denied = sizeDenied({ volume: options.volume, openPositions, risk: spec.risk });
        if (denied !== null) return denial(id, denied);
        const first = account.pending.firstOf(oco);
        if (first !== undefined) return denial(id, groupFilled(first));
        return rejectOf(id, account.enter(side, options, id, oco));
      }
      case 'close':
        return this.attemptOn(intent, () => account.close(intent.position, intent.volume, intent.id));
      case 'protect': {
        const { position, sl, tp } = intent;
        const change = { sl: sl ?? null, tp: tp ?? null, clear_sl: sl === null, clear_tp: tp === null };
        return this.attemptOn(intent, () => account.protect(position, change));
      }
      case 'trail':
        return this.attemptOn(intent, () => {
          account.trail(intent.position, intent.trail, intent.id);
          return null;
        });
      case 'stack':
        throw new NeedsEngineError('it stacks positions');
      case 'modify':
      case 'cancel':
        return this.attemptOnOrder(intent);
    }
  }

  /** Changes or cancels an order, which has to wait. */
  private attemptOnOrder(intent: Extract<Intent, { action: 'modify' | 'cancel' }>): Reject | null {
    const { account } = this;
    const { id, order: ticket } = intent;
    this.mustBeHere(intent);
    const order = account.pending.find(ticket);
    if (order === undefined) {
      if (account.isOpen(ticket)) throw new NeedsEngineError('it changes an order that has filled');
      return denial(id, notOwned(ticket));
    }
    if (intent.action === 'modify')
      return rejectOf(id, account.change(order, ticketCall(intent, ticket).body as ModifyOrderRequest));
    account.cancel(order);
    return null;
  }

  /** Attempts something on a position, which has to be open. */
  private attemptOn(
    intent: Extract<Intent, { action: 'close' | 'protect' | 'trail' }>,
    attempt: () => OrderRefusal | null,
  ): Reject | null {
    const { account } = this;
    const { id, position } = intent;
    this.mustBeHere(intent);
    if (account.pending.find(position)) throw new NeedsEngineError('it treats an order that waits as a position');
    return account.isOpen(position) ? rejectOf(id, attempt()) : denial(id, notOwned(position));
  }

  private mustBeHere({ broker }: { readonly broker: string | null }): void {
    if (broker === null || broker === this.market.stream.broker) return;
    throw new NeedsEngineError('it names a position of another broker');
  }

  private presentView(): View {
    const { alias, account } = this;
    const { closedAt } = this.market.bars;
    const isLive = (): boolean => this.isLive;
    /** The account at the quote of the event. */
    const present = (): KernelAccount => {
      if (this.isBehind) this.account.take(closedAt[this.passed[0] ?? 0] ?? 0);
      return this.account;
    };
    const refuse = (reason: string): never => {
      this.needs ??= new NeedsEngineError(reason);
      throw this.needs;
    };
    return {
      get positions() {
        return present().shown();
      },
      get orders() {
        return account.pending.shown();
      },
      get equity() {
        return present().equity;
      },
      inFlight: 0,
      get quotes() {
        // As in the engine, which takes the first one after the past.
        return isLive() ? { [alias]: { ...present().quote } } : {};
      },
      get symbols() {
        return { [alias]: present().symbol() };
      },
      grids: { [alias]: this.account.terms },
      maxVolume: this.spec.risk.maxVolume,
      get accounts() {
        return refuse('it reads the account');
      },
    };
  }
}

function rejectOf(intentId: string, refusal: OrderRefusal | null): Reject | null {
  return refusal && rejection(intentId, refused(refusal));
}

import type { Stream } from '@libs/strategy';
import type { StrategySpec } from '../core/strategy-spec';
import { BarSequence, finestOf, finestStreams } from '../core/bar-sequence';
import { HandlerErrors } from '../core/halt-rules';
import { barEvent, tooFewBars } from '../market-data/closed-bar';
import type { BarEvent, StrategyEvent } from '../core/strategy-event';
import { eventServerMs, eventTimeMs } from '../core/event-time';
import type { LogEntry, Loaded, Reaction } from '../strategies/worker/messages';
import type { View } from '../live/view';
import { barWidth } from './bar-rows';
import type { BacktestGateway } from './backtest-gateway';
import type { BacktestMarket } from './backtest-market';
import { BacktestTrading } from './backtest-trading';
import { EquityCurve } from './equity-curve';
import { playMarket, type MarketTrader } from './market-loop';
import { NumberRows } from './number-rows';
import type { BarOpens, ThrownError, TimedLog } from './backtest-result';
import type { PackedResult } from './packed-result';
import { BacktestRefusedError } from './period';
import { StrategyThrewError } from './strategy-threw-error';

/** A bar in the sequence. */
interface SequencedEvent {
  readonly event: BarEvent;
}

/** The bars of a symbol so far. `bars`: null for the one whose bars the report shows. */
interface OpenRows extends Omit<BarOpens, 'timesMs' | 'bars'> {
  readonly timesMs: NumberRows;
  readonly bars: NumberRows | null;
}

/** A loaded strategy that answers at once. */
export interface LoadedStrategy {
  readonly loaded: Loaded;
  handle(event: StrategyEvent, view: View): Reaction;
  /** Runs the promises that the strategy did not await. @returns the error that one of them threw; null if none did */
  rest(): Promise<string | null>;
}

/**
 * What follows from an error of a handler: it ends the run, or it counts as in the daemon, which halts the strategy after
 * several in a row.
 */
export type ErrorRule = 'end' | 'halt';

/** One run of one strategy over a market, with its events in the order of the daemon. */
export class Backtest implements MarketTrader {
  readonly trading: BacktestTrading;
  private readonly sequence: BarSequence<SequencedEvent>;
  private readonly logs: TimedLog[] = [];
  private readonly equity = new EquityCurve();
  /** Alias of the stream whose bars the report shows. */
  private readonly charted: string | undefined;
  private readonly prices = new NumberRows(barWidth);
  /** Opens of bars by the alias of the finest stream of each symbol. */
  private readonly opens: ReadonlyMap<string, OpenRows>;
  private bars = 0;
  private readonly thrown = new HandlerErrors();
  /** The first error of a handler; null without one. */
  firstError: ThrownError | null = null;

  constructor(
    private readonly spec: StrategySpec,
    private readonly strategy: LoadedStrategy,
    private readonly market: BacktestMarket,
    private readonly gateway: BacktestGateway,
    barWaitMs: number,
    private readonly errorRule: ErrorRule = 'end',
  ) {
    this.charted = finestOf(spec.streams)?.alias;
    this.opens = new Map(
      finestStreams(spec.streams).map(({ alias, symbol, timeframe }) => [
        alias,
        {
          symbol,
          timeframe,
          timesMs: new NumberRows(1),
          bars: alias === this.charted ? null : new NumberRows(barWidth),
        },
      ]),
    );
    this.sequence = new BarSequence(spec.streams, barWaitMs);
    this.trading = new BacktestTrading(spec, market, gateway);
  }

  get name(): string {
    return this.spec.name;
  }

  /** How often a handler threw. */
  get errors(): number {
    return this.thrown.count;
  }

  private get loaded(): Loaded {
    return this.strategy.loaded;
  }

  /** @throws StrategyThrewError */
  async run(onProgress: (share: number) => void): Promise<PackedResult> {
    const { market } = this;
    await this.warmUp();
    const startMs = market.nowMs;
    await playMarket(market, this, onProgress);
    return this.result(startMs);
  }

  endMinute(timeMs: number): void {
    this.trading.look();
    this.equity.note(timeMs, this.trading.equity, this.trading.holdsPosition);
  }

  look(): void {
    this.trading.look();
  }

  /** Runs promises of the strategy. @throws StrategyThrewError for the error that one of them threw, where errors end a run */
  async rest(): Promise<void> {
    const error = await this.strategy.rest();
    if (error !== null) this.judge('bar', error);
  }

  result(startMs: number): PackedResult {
    const { logs, prices, bars, market } = this;
    const { fills, spreads, rejects, book } = this.trading;
    const account = market.terminal.accountInfo();
    const { version, params, pastBars, warmupBars } = this.loaded;
    const { limitFill } = market;
    const { positions, orders } = this.trading.view();
    return {
      version,
      params,
      pastBars,
      warmupBars,
      limitFill,
      startMs,
      endMs: market.nowMs,
      fills,
      spreads,
      rejects,
      logs,
      bars,
      positions: [...positions],
      orders: [...orders],
      prices: prices.packed(),
      equity: this.equity.packed(),
      opens: [...this.opens.values()].map(({ symbol, timeframe, timesMs, bars: rows }) => ({
        symbol,
        timeframe,
        timesMs: timesMs.packed(),
        ...(rows === null ? {} : { bars: rows.packed() }),
      })),
      assumptions: { ...market.assumptions, latencyMs: this.gateway.latencyMs },
      faults: market.faults,
      costs: market.costs(),
      realized: book.realized.toNumber(),
      unrealized: this.trading.pricedBook.unrealized.toNumber(),
      balance: account.balance,
      currency: account.currency,
      leverage: account.leverage,
      haltReason: book.record.halt?.reason ?? null,
      state: this.trading.kept ?? this.loaded.state,
    };
  }

  get heedsPrices(): boolean {
    return this.loaded.wantsTicks || this.trading.heedsPrices;
  }

  get wantsStep(): boolean {
    return this.loaded.wantsTicks || this.trading.isTouched;
  }

  /** Plays the past of every stream in, merged by time. @throws BacktestRefusedError, StrategyThrewError */
  async warmUp(): Promise<void> {
    const wanted = this.loaded.pastBars;
    const past: BarEvent[] = [];
    for (const stream of this.spec.streams) {
      const count = wanted[stream.alias] ?? 0;
      const known = (await this.market.history(stream, count + 1)).map((bar) => barEvent(stream, bar, true));
      for (const event of known.slice(-1)) this.sequence.note(event);
      const bars = count === 0 ? [] : known.slice(-count);
      if (bars.length < count) throw new BacktestRefusedError(tooFewBars(stream, count, bars.length));
      past.push(...bars);
    }
    for (const { event } of this.sequence.inOrder(past.map((bar) => ({ event: bar })))) this.handle(event);
    for (const { alias, symbol } of this.spec.streams) {
      const quote = this.market.quote(symbol);
      if (quote) this.trading.quotes[alias] = quote;
    }
  }

  /** When bars have waited long enough for those of other streams, or a refused exit is sent again; infinite if never. */
  get dueMs(): number {
    return Math.min(this.sequence.deadlineMs ?? Infinity, this.trading.nextRetryMs ?? Infinity);
  }

  /** Handles the market up to this time: fills first, then quotes, then closed bars, in the order of the daemon. */
  step(timeMs: number, closesBars: boolean): void {
    this.bookDeals();
    this.hear(timeMs, closesBars);
    for (const event of this.dueBars(timeMs)) this.handleBar(event);
    this.endStep();
  }

  /** First part of a step: books what the broker did. The strategy receives the events of it with the next quotes. */
  bookDeals(): void {
    this.trading.look();
    this.trading.retry();
    // The limits are checked before the strategy's next event, as the daemon does with each read of the account, and after it.
    this.trading.heedLimits();
  }

  /** Second part: fills and quotes. Bars that have closed join the sequence. */
  hear(timeMs: number, closesBars: boolean): void {
    for (const stream of this.spec.streams) this.hearQuote(stream);
    this.trading.sweepStacks(timeMs);
    if (closesBars) for (const stream of this.spec.streams) this.hearBars(stream);
  }

  /** Third part: the bars that are due, in their order. Each is to be handled. */
  dueBars(timeMs: number): readonly BarEvent[] {
    return this.sequence.due(timeMs).map(({ event }) => event);
  }

  /** The instant at which a bar closes, on the clock that orders the bars; in milliseconds. */
  closeMs(event: BarEvent): number {
    return this.sequence.closeMs(event);
  }

  /** Last part: what follows from the handling of the bars. */
  endStep(): void {
    this.trading.heedLimits();
    this.settle(null);
  }

  private hearBars(stream: Stream): void {
    for (let bar = this.market.fresh(stream); bar; bar = this.market.fresh(stream)) {
      this.sequence.add({ event: barEvent(stream, bar, false) }, this.market.nowMs);
    }
  }

  handleBar(event: BarEvent): void {
    this.settle(event);
    this.bars++;
    const { bar } = event;
    const opens = this.opens.get(bar.stream);
    if (opens === undefined) return;
    opens.timesMs.push(bar.timeMs);
    (opens.bars ?? this.prices).push(bar.timeMs, bar.open, bar.high, bar.low, bar.close);
  }

  private hearQuote(stream: Stream): void {
    const quoteMs = this.market.quoteMs(stream.symbol);
    if (quoteMs === null || quoteMs === this.trading.quotes[stream.alias]?.timeMs) return;
    const quote = this.market.quote(stream.symbol);
    if (!quote) return;
    this.trading.onQuote(stream.alias, quote);
    if (this.loaded.wantsTicks) {
      const tick = { stream: stream.alias, symbol: stream.symbol, ...quote };
      this.settle({ type: 'tick', tick, serverMs: this.market.serverMs(quote.timeMs) });
    } else this.settle(null);
  }

  /** Handles an event after those that wait, and everything that follows from it. */
  private settle(event: StrategyEvent | null): void {
    const { trading } = this;
    if (event) trading.add(event);
    for (let item = trading.queue.take(); item; item = trading.queue.take()) {
      if (item.type === 'event') this.handle(item.event);
      else if (item.type === 'layer') trading.enterLayer(item.layer);
    }
  }

  private handle(event: StrategyEvent): void {
    const { logs, error, intents, state, stateProblem } = this.strategy.handle(event, this.trading.view());
    // Mostly there is nothing, and it is slow to iterate arrays of another context.
    if (logs.length > 0) this.say(logs, event);
    if (state !== null) this.trading.keep(state);
    const problem = error ?? stateProblem;
    if (problem !== null && event.type === 'bar' && event.warmingUp) throw new StrategyThrewError(problem);
    if (problem !== null || this.errorRule === 'halt') this.judge(event.type, problem);
    if (intents.length > 0) for (const intent of intents) this.trading.carryOut(intent, stateProblem === null);
  }

  /** Notes the lines of a handler, with the time of its event. */
  private say(lines: readonly LogEntry[], event: StrategyEvent): void {
    const timeMs = eventTimeMs(event) ?? this.market.nowMs;
    const serverMs = eventServerMs(event) ?? this.market.serverMs(timeMs);
    for (const entry of lines) this.logs.push({ timeMs, serverMs, ...entry });
  }

  /** Notes how a handler ended. @param error null if it ended well */
  private judge(type: StrategyEvent['type'], error: string | null): void {
    if (error !== null && this.errorRule === 'end') throw new StrategyThrewError(error);
    if (error !== null) this.firstError ??= { timeMs: this.market.nowMs, error };
    const reason = this.thrown.note(type, error !== null, this.trading.book.record.halt !== null);
    if (reason !== null) this.trading.halt({ kind: 'persistent', reason });
  }
}

import type { RecordedMinute } from '@libs/simulator';
import type { Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { BarSequence } from '../core/bar-sequence';
import { barEvent, tooFewBars } from '../strategies/bar-event';
import type { BarEvent, Loaded, Reaction, StrategyEvent, View } from '../strategies/worker/messages';
import type { WarmupByStream } from '../strategies/worker/warmup';
import { finestOf, finestStreams } from '../core/stream-order';
import type { BacktestGateway } from './backtest-gateway';
import type { BacktestMarket } from './backtest-market';
import { BacktestTrading } from './backtest-trading';
import { EquityCurve } from './equity-curve';
import { NumberRows } from './number-rows';
import type { BarOpens, TimedLog } from './backtest-result';
import type { PackedResult } from './packed-result';
import { BacktestRefusedError } from './period';
import { StrategyThrewError } from './strategy-threw-error';

/** Market minutes after which errors in promises of the strategy are noticed, and the progress is shown. */
const turnMinutes = 240;

/** Least share of the market between two reports of the progress. */
const leastProgress = 0.005;

/** A bar in the sequence. */
interface SequencedEvent {
  readonly event: BarEvent;
}

/** A loaded strategy that answers at once. */
export interface LoadedStrategy {
  readonly loaded: Loaded;
  handle(event: StrategyEvent, view: View): Reaction;
  /** Runs the promises that the strategy did not await. @returns the error that one of them threw; null if none did */
  rest(): Promise<string | null>;
}

/** One run of one strategy over a market, with its events in the order of the daemon. */
export class Backtest {
  private readonly trading: BacktestTrading;
  private readonly sequence: BarSequence<SequencedEvent>;
  private readonly logs: TimedLog[] = [];
  private readonly equity = new EquityCurve();
  /** Alias of the stream whose bars the report shows. */
  private readonly charted: string | undefined;
  private readonly prices = new NumberRows(5);
  /** Opens of bars by the alias of the finest stream of each symbol. */
  private readonly opens: ReadonlyMap<string, Omit<BarOpens, 'timesMs'> & { readonly timesMs: NumberRows }>;
  private bars = 0;

  constructor(
    private readonly spec: StrategySpec,
    private readonly strategy: LoadedStrategy,
    private readonly market: BacktestMarket,
    private readonly gateway: BacktestGateway,
    barWaitMs: number,
  ) {
    this.charted = finestOf(spec.streams)?.alias;
    this.opens = new Map(
      finestStreams(spec.streams).map(({ alias, symbol, timeframe }) => [
        alias,
        { symbol, timeframe, timesMs: new NumberRows(1) },
      ]),
    );
    this.sequence = new BarSequence(spec.streams, barWaitMs);
    this.trading = new BacktestTrading(spec, market, gateway);
  }

  private get loaded(): Loaded {
    return this.strategy.loaded;
  }

  /** @throws StrategyThrewError */
  async run(onProgress: (share: number) => void): Promise<PackedResult> {
    const { market, loaded } = this;
    await this.warmUp(loaded.warmupBars);
    const startMs = market.nowMs;
    let [minutes, shown] = [0, 0];
    for (const minute of market.minutes()) {
      this.playMinute(minute);
      // Promises of the strategy run here.
      await Promise.resolve();
      if (++minutes % turnMinutes !== 0) continue;
      const share = (market.nowMs - startMs) / Math.max(1, market.endMs - startMs);
      if (share >= shown + leastProgress) onProgress((shown = share));
      await this.rest();
    }
    this.stepUntil(market.endMs);
    market.advanceTo(market.endMs);
    this.trading.look();
    await this.rest();
    onProgress(1);
    return this.result(startMs);
  }

  private playMinute({ times, firsts, count }: RecordedMinute): void {
    const { market, trading } = this;
    for (let at = 0; at < count; at++) {
      const timeMs = times[at] ?? 0;
      this.stepUntil(timeMs - 1);
      // A symbol's bars close with its first price of a minute. Other prices matter only while something waits for them.
      const isFirst = firsts[at] === 1;
      if (!isFirst && !this.heedsPrices) continue;
      market.advanceTo(timeMs);
      if (isFirst || this.loaded.wantsTicks || trading.isTouched) this.step(timeMs, isFirst);
    }
    trading.look();
    this.equity.note(times[count - 1] ?? 0, trading.equity, trading.holdsPosition);
  }

  /** Runs promises of the strategy. @throws StrategyThrewError for the error that one of them threw */
  private async rest(): Promise<void> {
    const error = await this.strategy.rest();
    if (error !== null) throw new StrategyThrewError(error);
  }

  private result(startMs: number): PackedResult {
    const { logs, prices, bars, market } = this;
    const { fills, spreads, rejects, book } = this.trading;
    const account = market.terminal.accountInfo();
    const { version, params, warmupBars } = this.loaded;
    const { limitFill } = market;
    const { positions, orders } = this.trading.view();
    return {
      ...{ version, params, warmupBars, limitFill, startMs, endMs: market.nowMs },
      ...{ fills, spreads, rejects, logs, bars },
      ...{ positions: [...positions], orders: [...orders] },
      prices: prices.packed(),
      equity: this.equity.packed(),
      opens: [...this.opens.values()].map((of) => ({ ...of, timesMs: of.timesMs.packed() })),
      assumptions: { ...market.assumptions, latencyMs: this.gateway.latencyMs },
      faults: market.faults,
      costs: market.costs(),
      realized: book.realized.toNumber(),
      unrealized: this.trading.pricedBook.unrealized.toNumber(),
      balance: account.balance,
      currency: account.currency,
      leverage: account.leverage,
      haltReason: book.record.halt?.reason ?? null,
    };
  }

  private get heedsPrices(): boolean {
    return this.loaded.wantsTicks || this.trading.heedsPrices;
  }

  /** Plays the past of every stream in, merged by time. */
  private async warmUp(wanted: WarmupByStream): Promise<void> {
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

  /** Steps at the instants up to this one at which something is due that has no price of its own. */
  private stepUntil(timeMs: number): void {
    for (let { dueMs } = this; dueMs <= timeMs; { dueMs } = this) {
      this.market.advanceTo(dueMs);
      this.step(dueMs, false);
    }
  }

  /** When bars have waited long enough for those of other streams, or a refused exit is sent again; infinite if never. */
  private get dueMs(): number {
    return Math.min(this.sequence.deadlineMs ?? Infinity, this.trading.nextRetryMs ?? Infinity);
  }

  /**
   * Handles the market up to this time: fills first, then quotes, then closed bars, in the order of the daemon.
   * @param closesBars whether a bar may have closed since the last step
   */
  private step(timeMs: number, closesBars: boolean): void {
    this.trading.look();
    this.trading.retry();
    // The limits are checked before the strategy's next event, as the daemon does with each read of the account, and after it.
    this.trading.heedLimits();
    for (const stream of this.spec.streams) this.hearQuote(stream);
    this.trading.sweepStacks(timeMs);
    if (closesBars) for (const stream of this.spec.streams) this.hearBars(stream);
    for (const { event } of this.sequence.due(timeMs)) this.handleBar(event);
    this.trading.heedLimits();
    this.settle(null);
  }

  private hearBars(stream: Stream): void {
    for (let bar = this.market.fresh(stream); bar; bar = this.market.fresh(stream)) {
      this.sequence.add({ event: barEvent(stream, bar, false) }, this.market.nowMs);
    }
  }

  private handleBar(event: BarEvent): void {
    this.settle(event);
    this.bars++;
    const { bar } = event;
    this.opens.get(bar.stream)?.timesMs.push(bar.timeMs);
    if (bar.stream === this.charted) this.prices.push(bar.timeMs, bar.open, bar.high, bar.low, bar.close);
  }

  private hearQuote(stream: Stream): void {
    const quoteMs = this.market.quoteMs(stream.symbol);
    if (quoteMs === null || quoteMs === this.trading.quotes[stream.alias]?.timeMs) return;
    const quote = this.market.quote(stream.symbol);
    if (!quote) return;
    this.trading.onQuote(stream.alias, quote);
    if (this.loaded.wantsTicks) {
      this.settle({ type: 'tick', tick: { stream: stream.alias, symbol: stream.symbol, ...quote } });
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
    const { logs, error, intents } = this.strategy.handle(event, this.trading.view());
    // Mostly there is nothing, and it is slow to iterate arrays of another context.
    if (logs.length > 0) {
      const timeMs = this.market.nowMs;
      for (const entry of logs) this.logs.push({ timeMs, ...entry });
    }
    if (error !== null) throw new StrategyThrewError(error);
    if (intents.length > 0) for (const intent of intents) this.trading.carryOut(intent);
  }
}

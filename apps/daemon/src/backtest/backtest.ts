import type { Fill, Quote, Reject, Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { barEvent, tooFewBars } from '../strategies/strategy-market';
import type { StrategyThread } from '../strategies/strategy-thread';
import type { Loaded, LogEntry, StrategyEvent, View } from '../strategies/worker/messages';
import { afterEquity } from '../trading/halt-rules';
import { sweepable } from '../trading/pending-sweep';
import type { OrderIntent } from '../trading/plan';
import { entryDenied } from '../trading/risk';
import { StrategyBook } from '../trading/strategy-book';
import { BacktestDesk } from './backtest-desk';
import type { BacktestMarket, PositionCosts } from './backtest-market';
import { BacktestRefusedError } from './period';
import { StackBench } from './stack-bench';

/** Equity at the close of a bar. */
export type EquityPoint = readonly [timeMs: number, equity: number];
/** A bar of the first stream. */
export type BarPoint = readonly [timeMs: number, open: number, high: number, low: number, close: number];

/** What a strategy wrote to its log, and when on the market's clock. */
export interface TimedLog extends LogEntry {
  readonly timeMs: number;
}

export interface BacktestResult {
  /** The version its file states, and its parameters with the defaults. */
  readonly version: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly warmupBars: number;
  /** First and last instant of the market that was traded, in UTC milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly fills: readonly Fill[];
  /** What half of the spread was worth at each fill, by deal. */
  readonly spreads: ReadonlyMap<number, number>;
  readonly costs: ReadonlyMap<number, PositionCosts>;
  readonly rejects: readonly Reject[];
  readonly logs: readonly TimedLog[];
  readonly equity: readonly EquityPoint[];
  readonly prices: readonly BarPoint[];
  readonly bars: number;
  readonly realized: number;
  /** Floating result of what is open at the end. */
  readonly unrealized: number;
  /** The account's balance at the end: capital and everything realized. */
  readonly balance: number;
  readonly currency: string;
  readonly leverage: number;
  /** Why it was halted at the end; null when it was not. */
  readonly haltReason: string | null;
}

/** A handler of the strategy threw; its message is the stack in the strategy's own lines. */
export class StrategyThrewError extends Error {}

/** One run of one strategy over a market: events in the order in which the daemon has them. */
export class Backtest {
  private readonly book: StrategyBook;
  private readonly desk: BacktestDesk;
  private readonly stacks: StackBench;
  private readonly own: StrategyEvent[] = [];
  private readonly quotes: Record<string, Quote> = {};
  private readonly fills: Fill[] = [];
  private readonly spreads = new Map<number, number>();
  private readonly rejects: Reject[] = [];
  private readonly logs: TimedLog[] = [];
  private readonly equity: EquityPoint[] = [];
  private readonly prices: BarPoint[] = [];
  private bars = 0;

  constructor(
    private readonly spec: StrategySpec,
    private readonly thread: StrategyThread,
    private readonly market: BacktestMarket,
    private readonly loaded: Loaded,
  ) {
    const blank = { realized: '0', trades: 0, lastTrade: null, halt: null, day: null, peakEquity: null };
    this.book = new StrategyBook(spec, { name: spec.name, ...blank }, []);
    this.desk = new BacktestDesk(market, this.book, (volume) => this.denied(volume));
    this.stacks = new StackBench(spec, this.book, {
      enter: (intent) => this.carryOut(intent),
      denied: (volume) => this.denied(volume),
    });
  }

  /** @throws StrategyThrewError, ThreadLostError */
  async run(onProgress: (share: number) => void): Promise<BacktestResult> {
    const { market, loaded } = this;
    for (const stream of this.spec.streams) await this.warmUp(stream, loaded.warmupBars);
    const startMs = market.nowMs;
    let minutes = 0;
    for (const { instants, firsts } of market.minutes()) {
      for (const timeMs of instants) {
        // A symbol's bars close with its first price of a minute; else something happens only to who waits for prices.
        if (!firsts.has(timeMs) && !this.heedsPrices) continue;
        market.advanceTo(timeMs);
        await this.step(timeMs);
      }
      const [nowMs = startMs] = instants;
      if (++minutes % 240 === 0) onProgress((nowMs - startMs) / Math.max(1, market.endMs - startMs));
    }
    market.advanceTo(market.endMs);
    await this.look();
    onProgress(1);
    return this.result(startMs);
  }

  private async result(startMs: number): Promise<BacktestResult> {
    const { fills, spreads, rejects, logs, equity, prices, bars, book, market } = this;
    const account = await market.terminal.accountInfo();
    const { version, params, warmupBars } = this.loaded;
    return {
      ...{ version, params, warmupBars, startMs, endMs: market.nowMs },
      ...{ fills, spreads, rejects, logs, equity, prices, bars },
      costs: await market.costs(),
      realized: book.realized.toNumber(),
      unrealized: book.unrealized.toNumber(),
      balance: account?.balance ?? Number.NaN,
      currency: account?.currency ?? '',
      leverage: account?.leverage ?? 0,
      haltReason: book.record.halt?.reason ?? null,
    };
  }

  private get heedsPrices(): boolean {
    return this.loaded.wantsTicks || this.stacks.isWaiting || this.book.openTickets.length > 0;
  }

  private async warmUp(stream: Stream, count: number): Promise<void> {
    const past = await this.market.history(stream, count);
    if (past.length < count) throw new BacktestRefusedError(tooFewBars(stream, count, past.length));
    for (const bar of past) await this.handle(barEvent(stream, bar, true));
    const quote = await this.market.quote(stream.symbol);
    if (quote) this.quotes[stream.alias] = quote;
  }

  /** What the market did up to here: fills first, then quotes, then closed bars, as the daemon orders them. */
  private async step(timeMs: number): Promise<void> {
    await this.look();
    // Before the strategy hears of it, as the daemon looks at the account before it hands a bar on; and after it acted.
    await this.heedLimits();
    for (const stream of this.spec.streams) await this.hearQuote(stream);
    await this.stacks.sweep(timeMs);
    for (const stream of this.spec.streams) await this.hearBars(stream);
    await this.heedLimits();
    await this.settle(null);
  }

  /** Halts the strategy when a limit is reached, and lets go of what waits while it is halted. */
  private async heedLimits(): Promise<void> {
    const { book, market, spec } = this;
    const date = new Date(market.nowMs).toISOString().slice(0, 10);
    const after = afterEquity(book.record, spec.risk, book.equity, date, market.nowMs);
    if (after !== book.record) book.apply({ strategy: after });
    if (after.halt !== null) await this.withdraw();
  }

  private async hearBars(stream: Stream): Promise<void> {
    for (const bar of await this.market.fresh(stream)) {
      await this.settle(barEvent(stream, bar, false));
      this.bars++;
      if (stream !== this.spec.streams[0]) continue;
      this.equity.push([this.market.nowMs, this.book.equity.toNumber()]);
      this.prices.push([bar.timeMs, bar.open, bar.high, bar.low, bar.close]);
    }
  }

  /** A halted strategy's layers and pending orders go. */
  private async withdraw(): Promise<void> {
    this.stacks.endAll();
    const waiting = sweepable(this.book, () => this.market.nowMs);
    if (waiting.length === 0) return;
    for (const { owned } of waiting) {
      await this.desk.carryOut({ id: `sweep-${owned.ticket}`, action: 'cancel', order: owned.ticket, broker: null });
    }
    await this.look();
  }

  private async hearQuote(stream: Stream): Promise<void> {
    const quote = await this.market.quote(stream.symbol);
    const before = this.quotes[stream.alias];
    if (!quote || quote.timeMs === before?.timeMs) return;
    this.quotes[stream.alias] = quote;
    await this.stacks.onQuote(stream.alias, quote, this.market.nowMs);
    if (this.loaded.wantsTicks) {
      await this.settle({ type: 'tick', tick: { stream: stream.alias, symbol: stream.symbol, ...quote } });
    } else await this.settle(null);
  }

  /** Handles an event and everything that follows from it. */
  private async settle(event: StrategyEvent | null): Promise<void> {
    for (let next = this.own.shift(); next; next = this.own.shift()) await this.handle(next);
    if (event) await this.handle(event);
    for (let next = this.own.shift(); next; next = this.own.shift()) await this.handle(next);
  }

  private async handle(event: StrategyEvent): Promise<void> {
    const { reaction } = await this.thread.handle(this.spec.name, event, this.view());
    const timeMs = this.market.nowMs;
    this.logs.push(...reaction.logs.map((entry) => ({ timeMs, ...entry })));
    if (reaction.error !== null) throw new StrategyThrewError(reaction.error);
    for (const intent of reaction.intents) {
      if (intent.action === 'stack') await this.stacks.open(intent, this.quotes[intent.stream], this.market.nowMs);
      else await this.carryOut(intent);
    }
  }

  private async carryOut(intent: OrderIntent): Promise<void> {
    const reject = await this.desk.carryOut(intent);
    if (reject) {
      this.rejects.push(reject);
      this.stacks.onReject(reject);
      this.own.push({ type: 'reject', reject });
    }
    await this.look();
  }

  private async look(): Promise<void> {
    if (this.book.openTickets.length === 0) return;
    const { fills, gone } = await this.desk.look();
    // Two tickets may have filled at one quote: in the order in which the broker did it.
    for (const fill of [...fills].sort((a, b) => a.deal - b.deal)) {
      this.fills.push(fill);
      this.spreads.set(fill.deal, await this.market.halfSpread(fill));
      this.stacks.onFill(fill);
      this.own.push({ type: 'fill', fill });
    }
    for (const order of gone) this.own.push({ type: 'gone', gone: order });
  }

  private denied(volume: number): string | null {
    return entryDenied({
      volume,
      openPositions: this.book.openTickets.length,
      risk: this.spec.risk,
      haltReason: this.book.record.halt?.reason ?? null,
      ...{ unresolved: 0, stopping: false, accountProblem: null, stateWritable: true },
      ...{ accountMismatch: null, staleSymbol: false, clockSkewMs: null },
    });
  }

  private view(): View {
    const { book, quotes } = this;
    return { positions: book.positions, orders: book.orders, equity: book.equity.toNumber(), inFlight: 0, quotes };
  }
}

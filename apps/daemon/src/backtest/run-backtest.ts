import { SystemClock } from '@libs/clock';
import type { Fill, Quote, Reject, Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { bundleStrategy, bundleWorker } from '../strategies/strategy-bundler';
import { StrategyThread } from '../strategies/strategy-thread';
import type { LogEntry, StrategyEvent, View } from '../strategies/worker/messages';
import type { OrderIntent } from '../trading/plan';
import { sweepable } from '../trading/pending-sweep';
import { entryDenied } from '../trading/risk';
import { StrategyBook } from '../trading/strategy-book';
import { afterEquity } from '../trading/halt-rules';
import { timeframeMs } from '../market-data/closed-bar';
import { barEvent, tooFewBars } from '../strategies/strategy-market';
import { StackBench } from './stack-bench';
import { BacktestDesk } from './backtest-desk';
import { BacktestMarket } from './backtest-market';

export interface BacktestOptions {
  /** The strategy as the configuration would have it; its streams' broker is `backtest`. */
  readonly spec: StrategySpec;
  readonly files: readonly string[];
  /** UTC milliseconds; null is the first or the last price. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Told now and then how far it is, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** Equity at the close of a bar. */
export type EquityPoint = readonly [timeMs: number, equity: number];
export type PricePoint = readonly [timeMs: number, close: number];

export interface BacktestResult {
  readonly fills: readonly Fill[];
  readonly rejects: readonly Reject[];
  readonly logs: readonly LogEntry[];
  readonly equity: readonly EquityPoint[];
  /** Closes of the first stream. */
  readonly prices: readonly PricePoint[];
  readonly bars: number;
  readonly realized: number;
  /** The account's balance at the end: capital and everything realized. */
  readonly balance: number;
}

const minuteMs = 60_000;
const monthMs = 31 * 24 * 60 * minuteMs;
/** Recorded minutes replay as four quotes. */
const quoteStepMs = 15_000;
const watchdogMs = 30_000;
const maxHeapMb = 256;
const warmupMinutesAtLeast = 500;

/**
 * Runs a strategy over recorded prices: the same file, thread, books and rules as live, the simulated broker in this
 * process, and market time as the only time.
 * @throws StrategyRefusedError, ThreadLostError, or Error naming what cannot be used
 */
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult> {
  const { spec } = options;
  const thread = new StrategyThread(await bundleWorker(), { watchdogMs, maxHeapMb }, new SystemClock());
  try {
    const bundle = await bundleStrategy(spec.module);
    const { name, params, streams } = spec;
    const loaded = await thread.load({ name, ...bundle, params, streams, idPrefix: '' });
    const market = await BacktestMarket.open({
      files: options.files,
      fromMs: options.fromMs,
      warmupMinutes: Math.max(warmupMinutesAtLeast, (loaded.warmupBars + 2) * longestBarMinutes(streams)),
      balance: spec.capital,
    });
    try {
      return await new Backtest(options, thread, market, loaded.wantsTicks).run(loaded.warmupBars);
    } finally {
      await market.close();
    }
  } finally {
    await thread.end();
  }
}

class Backtest {
  private readonly book: StrategyBook;
  private readonly desk: BacktestDesk;
  private readonly stacks: StackBench;
  private readonly own: StrategyEvent[] = [];
  private readonly quotes: Record<string, Quote> = {};
  private readonly fills: Fill[] = [];
  private readonly rejects: Reject[] = [];
  private readonly logs: LogEntry[] = [];
  private readonly equity: EquityPoint[] = [];
  private readonly prices: PricePoint[] = [];
  private bars = 0;

  constructor(
    private readonly options: BacktestOptions,
    private readonly thread: StrategyThread,
    private readonly market: BacktestMarket,
    private readonly wantsTicks: boolean,
  ) {
    const { spec } = options;
    const blank = { realized: '0', trades: 0, lastTrade: null, halt: null, day: null, peakEquity: null };
    this.book = new StrategyBook(spec, { name: spec.name, ...blank }, []);
    this.desk = new BacktestDesk(market, this.book, (volume) => this.denied(volume));
    this.stacks = new StackBench(spec, this.book, {
      enter: (intent) => this.carryOut(intent),
      denied: (volume) => this.denied(volume),
    });
  }

  async run(warmupBars: number): Promise<BacktestResult> {
    const { market, options } = this;
    for (const stream of options.spec.streams) await this.warmUp(stream, warmupBars);
    const startMs = market.nowMs;
    const endMs = Math.min(options.toMs ?? Number.MAX_SAFE_INTEGER, market.endMs);
    for (let timeMs = nextStep(startMs, this.stepMs); timeMs <= endMs; timeMs = nextStep(timeMs, this.stepMs)) {
      market.advanceTo(timeMs);
      await this.step(timeMs);
      if (timeMs % 3_600_000 === 0) options.onProgress?.((timeMs - startMs) / Math.max(1, endMs - startMs));
    }
    options.onProgress?.(1);
    const { fills, rejects, logs, equity, prices, bars, book } = this;
    const results = { realized: book.realized.toNumber(), balance: await this.balance() };
    return { fills, rejects, logs, equity, prices, bars, ...results };
  }

  private get stepMs(): number {
    return this.wantsTicks || this.stacks.isWaiting ? quoteStepMs : minuteMs;
  }

  private async warmUp(stream: Stream, count: number): Promise<void> {
    const past = await this.market.history(stream, count);
    if (past.length < count) throw new Error(tooFewBars(stream, count, past.length));
    for (const bar of past) await this.handle(barEvent(stream, bar, true));
    const quote = await this.market.quote(stream.symbol);
    if (quote) this.quotes[stream.alias] = quote;
  }

  /** What the market did up to here: fills first, then quotes, then closed bars, as the daemon orders them. */
  private async step(timeMs: number): Promise<void> {
    await this.look();
    for (const stream of this.options.spec.streams) await this.hearQuote(stream);
    await this.stacks.sweep(timeMs);
    for (const stream of this.options.spec.streams) {
      for (const bar of await this.market.fresh(stream)) {
        await this.settle(barEvent(stream, bar, false));
        this.bars++;
        const equity = this.book.equity;
        this.equity.push([bar.timeMs, equity.toNumber()]);
        if (stream === this.options.spec.streams[0]) this.prices.push([bar.timeMs, bar.close]);
        const date = new Date(bar.timeMs).toISOString().slice(0, 10);
        const record = afterEquity(this.book.record, this.options.spec.risk, equity, date, bar.timeMs);
        if (record !== this.book.record) this.book.apply({ strategy: record });
        if (record.halt !== null) await this.withdraw(timeMs);
      }
    }
  }

  /** A halted strategy's layers and pending orders go. */
  private async withdraw(timeMs: number): Promise<void> {
    this.stacks.endAll();
    for (const { owned } of sweepable(this.book, () => timeMs)) {
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
    if (this.wantsTicks) {
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
    const { reaction } = await this.thread.handle(this.options.spec.name, event, this.view());
    this.logs.push(...reaction.logs);
    if (reaction.error !== null) throw new Error(reaction.error);
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
    const { fills, gone } = await this.desk.look();
    for (const fill of fills) {
      this.fills.push(fill);
      this.stacks.onFill(fill);
      this.own.push({ type: 'fill', fill });
    }
    for (const order of gone) this.own.push({ type: 'gone', gone: order });
  }

  private denied(volume: number): string | null {
    return entryDenied({
      volume,
      openPositions: this.book.openTickets.length,
      risk: this.options.spec.risk,
      haltReason: this.book.record.halt?.reason ?? null,
      ...{ unresolved: 0, stopping: false, accountProblem: null, stateWritable: true },
      ...{ accountMismatch: null, staleSymbol: false, clockSkewMs: null },
    });
  }

  private view(): View {
    const { book, quotes } = this;
    return { positions: book.positions, orders: book.orders, equity: book.equity.toNumber(), inFlight: 0, quotes };
  }

  private async balance(): Promise<number> {
    return (await this.market.terminal.accountInfo())?.balance ?? Number.NaN;
  }
}

/** A bar has at most as many minutes as it is long; two more bars are the forming one and the one cut by the start. */
function longestBarMinutes(streams: readonly Stream[]): number {
  return Math.max(...streams.map(({ timeframe }) => (timeframeMs(timeframe) ?? monthMs) / minuteMs));
}

function nextStep(timeMs: number, stepMs: number): number {
  return (Math.floor(timeMs / stepMs) + 1) * stepMs;
}

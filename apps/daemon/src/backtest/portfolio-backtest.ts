import { Decimal } from 'decimal.js';
import { afterPortfolioEquity, haltOfChild } from '../core/halt-rules';
import { compareStreams } from '../core/bar-sequence';
import type { PortfolioSpec } from '../core/strategy-spec';
import { blankRecord, type HaltRecord, type StrategyRecord } from '../core/records';
import type { BarEvent } from '../core/strategy-event';
import type { Backtest } from './backtest';
import type { BacktestMarket } from './backtest-market';
import { EquityCurve } from './equity-curve';
import { sum } from './exact-sum';
import { playMarket, type MarketTrader } from './market-loop';
import type { PackedResult } from './packed-result';
import { BacktestRefusedError } from './period';
import type { PackedPortfolioResult, StrategyFate } from './portfolio-result';
import { StrategyThrewError } from './strategy-threw-error';

/** A bar that a strategy is to handle. */
interface DueBar {
  readonly strategy: Backtest;
  readonly event: BarEvent;
}

/**
 * One run of the strategies of a portfolio over a market, on one account. Each strategy has its own core and its own
 * sequence of bars, as in the daemon; the portfolio halts all of them.
 */
export class PortfolioBacktest implements MarketTrader {
  /** In the order of their names: the order in which they are listed has no effect. */
  private readonly all: readonly Backtest[];
  /** Those that warmed up. */
  private running: readonly Backtest[] = [];
  /** What strategies threw while they warmed up, by name. */
  private readonly failures = new Map<string, string>();
  private record: StrategyRecord;
  private readonly halts: HaltRecord[] = [];
  private readonly curve = new EquityCurve();
  private readonly hasLimits: boolean;
  /** What the limits were last checked for. */
  private checked = { equity: Number.NaN, day: Number.NaN };

  constructor(
    private readonly spec: PortfolioSpec,
    strategies: readonly Backtest[],
    private readonly market: BacktestMarket,
  ) {
    this.all = [...strategies].sort((a, b) => compareTexts(a.name, b.name));
    this.record = blankRecord(spec.name);
    this.hasLimits = spec.risk.maxDailyLoss !== null || spec.risk.maxDrawdownPct !== null;
  }

  /** @throws BacktestRefusedError with a line for each strategy that has too few past bars */
  async run(onProgress: (share: number) => void): Promise<PackedPortfolioResult> {
    await this.warmUp();
    const startMs = this.market.nowMs;
    await playMarket(this.market, this, onProgress);
    return this.result(startMs);
  }

  get dueMs(): number {
    let first = Infinity;
    for (const { dueMs } of this.running) first = Math.min(first, dueMs);
    return first;
  }

  get heedsPrices(): boolean {
    return this.running.some(({ heedsPrices }) => heedsPrices);
  }

  get wantsStep(): boolean {
    return this.hasLimits || this.running.some(wantsStep);
  }

  /**
   * Handles the market up to this time: each strategy its fills, then its quotes; then the closed bars of all strategies, by
   * the order of streams and by the names of the strategies.
   */
  step(timeMs: number, closesBars: boolean): void {
    const { running } = this;
    const stepped = closesBars ? running : running.filter((one) => wantsStep(one) || one.dueMs <= timeMs);
    for (const strategy of stepped) strategy.bookDeals();
    this.heedLimits();
    for (const strategy of stepped) strategy.hear(timeMs, closesBars);
    for (const { strategy, event } of dueBars(stepped, timeMs)) strategy.handleBar(event);
    for (const strategy of stepped) strategy.endStep();
    this.heedLimits();
  }

  endMinute(timeMs: number): void {
    for (const strategy of this.running) strategy.endMinute(timeMs);
    const isOpen = this.running.some(({ trading }) => trading.holdsPosition);
    this.curve.note(timeMs, this.equity, isOpen);
  }

  look(): void {
    for (const strategy of this.running) strategy.look();
  }

  async rest(): Promise<void> {
    for (const strategy of this.running) await strategy.rest();
  }

  /** Capital, results and what is open of all strategies. */
  private get equity(): number {
    const earned = this.running.flatMap(({ trading }) => [trading.equity, -trading.book.spec.capital]);
    return sum([this.spec.capital, ...earned]);
  }

  /** A strategy that throws while it warms up never trades, as in the daemon; one without enough bars is refused. */
  private async warmUp(): Promise<void> {
    const refusals: string[] = [];
    const running: Backtest[] = [];
    for (const strategy of this.all) {
      try {
        await strategy.warmUp();
        running.push(strategy);
      } catch (error) {
        if (error instanceof StrategyThrewError) this.failures.set(strategy.name, error.message);
        else if (error instanceof BacktestRefusedError) refusals.push(`${strategy.name}: ${error.message}`);
        else throw error;
      }
    }
    if (refusals.length > 0) throw new BacktestRefusedError(refusals.join('\n'));
    this.running = running;
  }

  /** Holds the equity against the limits of the portfolio; a breach halts every strategy. */
  private heedLimits(): void {
    if (!this.hasLimits) return;
    this.look();
    const { equity, spec } = this;
    const { nowMs, moneyDigits } = this.market;
    const day = Math.floor(nowMs / 86_400_000);
    // Checked with every price: mostly neither the equity nor the day has changed.
    if (equity !== this.checked.equity || day !== this.checked.day) {
      const before = this.record.halt;
      this.record = afterPortfolioEquity(this.record, spec, new Decimal(equity), nowMs, nowMs, moneyDigits);
      this.checked = { equity, day };
      const { halt } = this.record;
      if (halt !== null && halt !== before) this.halts.push(halt);
    }
    if (this.record.halt === null) return;
    const halt = haltOfChild(spec, this.record.halt);
    for (const { trading } of this.running) if (trading.book.record.halt === null) trading.halt(halt);
  }

  private result(startMs: number): PackedPortfolioResult {
    const { market } = this;
    return {
      strategies: this.all.map((strategy) => ({ ...this.fateOf(strategy), result: ownResult(strategy, startMs) })),
      equity: this.curve.packed(),
      balance: market.terminal.accountInfo().balance,
      halts: this.halts,
      haltReason: this.record.halt?.reason ?? null,
    };
  }

  private fateOf({ name, trading, errors, firstError }: Backtest): StrategyFate {
    return { name, halts: trading.halts, errors, firstError, failure: this.failures.get(name) ?? null };
  }
}

/** Also when events of it wait that another strategy's request has brought about. */
function wantsStep({ wantsStep: wants, trading }: Backtest): boolean {
  return wants || trading.queue.depth > 0;
}

/** The bars that are due, in the order of their closes; at one instant by the order of streams, then by strategy. */
function dueBars(strategies: readonly Backtest[], timeMs: number): readonly DueBar[] {
  const due = strategies.flatMap((strategy) => strategy.dueBars(timeMs).map((event): DueBar => ({ strategy, event })));
  return due.length < 2 ? due : due.sort(compareBars);
}

function compareBars(a: DueBar, b: DueBar): number {
  const [first, second] = [a, b].map(({ strategy, event: { bar } }) => {
    // No name has a space, so that the strategy's name decides before the alias.
    return { symbol: bar.symbol, timeframe: bar.timeframe, alias: `${strategy.name} ${bar.stream}` };
  });
  const byStream = first && second ? compareStreams(first, second) : 0;
  return a.strategy.closeMs(a.event) - b.strategy.closeMs(b.event) || byStream || a.event.serverMs - b.event.serverMs;
}

/** The result of a strategy without what the others did on the account. */
function ownResult(strategy: Backtest, startMs: number): PackedResult {
  const result = strategy.result(startMs);
  const own = new Set(result.fills.map(({ position }) => position));
  const costs = new Map([...result.costs].filter(([position]) => own.has(position)));
  return { ...result, costs, balance: strategy.trading.book.balance.toNumber() };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

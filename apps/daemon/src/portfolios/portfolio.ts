import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@libs/clock';
import { Decimal } from 'decimal.js';
import type { PortfolioSpec } from '../daemon-file/daemon-file';
import { Persistence } from '../state/persistence';
import { remembered } from '../state/remembered';
import type { StrategyRecord } from '../state/records';
import type { StateStore } from '../state/state-store';
import type { StrategyRunner } from '../strategies/strategy-runner';
import { withCapital, withEquityMoved } from '../trading/capital-change';
import { afterEquity, drawdown } from '../trading/halt-rules';

/** Several strategies that share a capital, and the limits they share. */
export class Portfolio {
  readonly persistence: Persistence;
  private current: StrategyRecord;
  private readonly ownUnreadable: string | null;
  private halting: Promise<void> | null = null;

  constructor(
    private currentSpec: PortfolioSpec,
    private currentChildren: readonly StrategyRunner[],
    store: StateStore,
    private readonly clock: Clock,
  ) {
    const { name, capital } = currentSpec;
    const { record, unreadable } = remembered(store, name, []);
    this.current = withCapital(record, capital);
    this.ownUnreadable = unreadable;
    this.persistence = new Persistence(store, unreadable);
  }

  /** Why its sums are not known, its own state or a child's being unreadable; null when they are. */
  get unreadable(): string | null {
    const [unreadable = null] = this.children.flatMap(({ trading }) => trading.unreadable ?? []);
    return this.ownUnreadable ?? unreadable;
  }

  get spec(): PortfolioSpec {
    return this.currentSpec;
  }

  get children(): readonly StrategyRunner[] {
    return this.currentChildren;
  }

  get record(): StrategyRecord {
    return this.current;
  }

  get realized(): Decimal {
    return this.sum((child) => child.book.realized);
  }

  get unrealized(): Decimal {
    return this.sum((child) => child.book.unrealized);
  }

  get balance(): Decimal {
    return this.realized.plus(this.spec.capital);
  }

  get equity(): Decimal {
    return this.balance.plus(this.unrealized);
  }

  get trades(): number {
    return this.children.reduce((sum, { book }) => sum + book.record.trades, 0);
  }

  get drawdownPct(): number {
    const peak = new Decimal(this.current.peakEquity ?? this.equity);
    return Number(drawdown(peak, this.equity).toFixed(4));
  }

  /** Children whose account cannot be read at the moment, so that their figures may have aged. */
  get unreachable(): readonly string[] {
    return this.children.filter((child) => !child.isAccountCurrent).map(({ spec }) => spec.name);
  }

  /**
   * Goes on under another configuration; its halt stays. What a child that comes or goes brings or takes along is neither
   * profit nor loss of the portfolio, and neither is capital.
   */
  async respec(spec: PortfolioSpec, children: readonly StrategyRunner[]): Promise<void> {
    const isSame = children.length === this.children.length && children.every((child) => this.children.includes(child));
    if (isSame && isDeepStrictEqual(spec, this.spec)) return;
    const before = this.equity;
    this.currentSpec = spec;
    this.currentChildren = children;
    this.current = { ...withEquityMoved(this.current, this.equity.minus(before)), capital: spec.capital };
    await this.persistence.write({ strategy: this.current });
  }

  /** Holds the portfolio's equity against its limits; a breach halts every child. */
  watch(): void {
    const { unreadable } = this;
    if (unreadable !== null) {
      // Without its sums its limits cannot be held, so nothing may be entered on its capital.
      this.halting ??= this.haltChildren('persistent', unreadable).finally(() => (this.halting = null));
      return;
    }
    const date = new Date(Math.max(...this.children.map(({ marketMs }) => marketMs))).toISOString().slice(0, 10);
    const record = afterEquity(this.current, this.spec.risk, this.equity, date, this.clock.nowMs());
    // What a full disk refused is tried again: a halt that is only in memory ends with the process.
    if (record !== this.current || this.persistence.lastError !== null) {
      this.current = record;
      void this.persistence.write({ strategy: record });
    }
    const { halt } = this.current;
    if (halt !== null) this.halting ??= this.haltChildren(halt.kind, halt.reason).finally(() => (this.halting = null));
  }

  /** Ends the portfolio's halt and its children's; the limits count anew from the equity of the moment. */
  async resume(): Promise<void> {
    const equity = this.equity.toString();
    const { day } = this.current;
    this.current = { ...this.current, halt: null, peakEquity: equity, day: day === null ? null : { ...day, equity } };
    await this.persistence.write({ strategy: this.current });
    for (const child of this.children) if (child.book.record.halt !== null) await child.account.resume();
  }

  private async haltChildren(kind: 'daily' | 'persistent', reason: string): Promise<void> {
    for (const child of this.children) {
      if (child.trading.unreadable === null && child.book.record.halt === null)
        await child.account.halt(kind, `portfolio ${this.spec.name}: ${reason}`);
    }
  }

  private sum(of: (child: StrategyRunner) => Decimal): Decimal {
    return this.children.reduce((sum, child) => sum.plus(of(child)), new Decimal(0));
  }
}

import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '@libs/clock';
import { Decimal } from 'decimal.js';
import type { Logger } from 'pino';
import type { PortfolioSpec } from '../core/strategy-spec';
import type { StrategyLog } from '../logs/strategy-log';
import { Persistence, remembered } from '../state/persistence';
import type { HaltRecord, StrategyRecord } from '../core/records';
import type { StrategyState } from '../state/state-store';
import type { StrategyRunner } from '../strategies/strategy-runner';
import { withCapital, withEquityMoved } from '../core/ledger';
import { drawdown, resumed, afterPortfolioEquity, haltOfChild } from '../core/halt-rules';
import { guarded } from '../guarded';

/** Maximum age of the shares on disk. They give the result of a child that is removed while the daemon is down. */
const oldestSharesMs = 60_000;

/** Several strategies that share a capital, and the limits they share. */
export class Portfolio {
  readonly persistence: Persistence;
  private current: StrategyRecord;
  private readonly ownUnreadable: string | null;
  private halting: Promise<void> | null = null;
  /** The record that was last written, or last tried. */
  private written: StrategyRecord;
  private writtenMs: number;
  /** When it was deployed, in milliseconds since the epoch. */
  readonly deployedAtMs: number;
  private readonly deployedMs: number;

  constructor(
    private currentSpec: PortfolioSpec,
    private currentChildren: readonly StrategyRunner[],
    store: StrategyState,
    private readonly clock: Clock,
    private readonly log: Pick<StrategyLog, 'info' | 'warning' | 'error'>,
  ) {
    const { name, capital } = currentSpec;
    const { record, unreadable } = remembered(store, name, []);
    this.written = record;
    this.writtenMs = clock.monotonicMs();
    this.deployedAtMs = clock.nowMs();
    this.deployedMs = clock.monotonicMs();
    this.current = withCapital(withShares(record, currentChildren), capital);
    this.ownUnreadable = unreadable;
    this.persistence = new Persistence(store, unreadable);
    this.count();
  }

  /** Milliseconds since it was deployed. */
  get uptimeMs(): number {
    return Math.round(this.clock.monotonicMs() - this.deployedMs);
  }

  /** Why the sums are unknown (the state of the portfolio or of a child is unreadable); null if they are known. */
  get unreadable(): string | null {
    const [unreadable = null] = this.children.flatMap(({ trading }) => trading.unreadable ?? []);
    return this.ownUnreadable ?? unreadable;
  }

  /** Current problem of the portfolio; null if there is none. */
  get problem(): string | null {
    return this.unreadable ?? (this.children.length === 0 ? "none of the portfolio's children is deployed" : null);
  }

  /** Whether the positions of all children are in a snapshot; until then its equity is incomplete. */
  get isEquityKnown(): boolean {
    return this.unreadable === null && this.children.every(isWorthKnown);
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

  /** Null while its equity is not known. */
  get drawdownPct(): number | null {
    if (!this.isEquityKnown) return null;
    const peak = new Decimal(this.current.peakEquity ?? this.equity);
    return Number(drawdown(peak, this.equity).toFixed(4));
  }

  /** Children whose account cannot be read at the moment, so that their figures may be outdated. */
  get unreachable(): readonly string[] {
    return this.children.filter((child) => !child.accounts.areCurrent).map(({ spec }) => spec.name);
  }

  /**
   * Continues under another configuration; its halt stays. Results of a child that is added or removed do not count as
   * profit or loss of the portfolio, and neither does its capital.
   */
  async respec(spec: PortfolioSpec, children: readonly StrategyRunner[]): Promise<void> {
    const isSame = children.length === this.children.length && children.every((child) => this.children.includes(child));
    if (isSame && isDeepStrictEqual(spec, this.spec)) return;
    // A child keeps its results of this moment.
    this.current = refreshed(this.current, sharesOf(this.children));
    this.currentSpec = spec;
    this.currentChildren = children;
    this.current = withCapital(this.current, spec.capital);
    this.count();
    await this.write();
  }

  /** Holds the portfolio's equity against its limits; a breach halts every child. */
  watch(): void {
    const { unreadable, children } = this;
    // A reload can leave it without children, and thus without a market day.
    if (children.length === 0) return;
    if (unreadable !== null) {
      // Without its sums the limits cannot be checked, so entries are denied.
      this.halting ??= this.haltChildren({ kind: 'persistent', reason: unreadable }).finally(
        () => (this.halting = null),
      );
      return;
    }
    // Positions without a snapshot count as nothing: this is neither a loss nor the baseline of a day.
    if (this.isEquityKnown) {
      this.count();
      const marketMs = Math.max(...children.map((child) => child.marketMs));
      const before = this.current.halt;
      const digits = children[0]?.accounts.money?.digits;
      this.current = afterPortfolioEquity(this.current, this.spec, this.equity, marketMs, this.clock.nowMs(), digits);
      const { halt } = this.current;
      if (halt !== null && halt !== before) this.log.error('halted', halt);
      if (halt === null && before !== null) this.log.info('the daily halt ended: a new market day began');
    }
    // Retries a failed write: a halt that is only in memory ends with the process.
    if (this.isDue || this.persistence.lastError !== null) void this.write();
    const { halt } = this.current;
    if (halt !== null) this.halting ??= this.haltChildren(halt).finally(() => (this.halting = null));
  }

  /**
   * Halts the portfolio and its children.
   * @param flattens whether their positions are to be closed as well
   */
  async halt(kind: HaltRecord['kind'], reason: string, flattens = false, byOperator?: true): Promise<void> {
    const halt = { kind, reason, ...(flattens ? { flattens } : {}) };
    this.current = { ...this.current, halt: { ...halt, atMs: this.clock.nowMs() } };
    if (byOperator === true) this.log.warning('halted', halt);
    else this.log.error('halted', halt);
    await this.write();
    await this.haltChildren(halt, byOperator);
  }

  /** Ends the portfolio's halt and its children's; the limits count anew from the equity of the moment it is known. */
  async resume(): Promise<void> {
    this.count();
    this.current = resumed(this.current, this.isEquityKnown ? this.equity : null);
    this.log.info('resumed');
    await this.write();
    for (const child of this.children) if (child.book.record.halt !== null) await child.account.resume();
  }

  /** Keeps what the children have at the end of the process. */
  async close(): Promise<void> {
    this.current = refreshed(this.current, sharesOf(this.children));
    if (!isDeepStrictEqual(this.current, this.written)) await this.write();
  }

  /** Takes over what the children have now; one that came or went is counted in or out when all of them are known. */
  private count(): void {
    if (this.isEquityKnown) this.current = withChildren(this.current, sharesOf(this.children));
  }

  /** Whether there is anything new for the disk; the shares alone move all the time. */
  private get isDue(): boolean {
    const { current, written } = this;
    const names = (record: StrategyRecord): unknown => record.shares && Object.keys(record.shares).sort();
    if (!isDeepStrictEqual({ ...current, shares: names(current) }, { ...written, shares: names(written) })) return true;
    const isOld = this.clock.monotonicMs() - this.writtenMs >= oldestSharesMs;
    return isOld && !isDeepStrictEqual(current.shares, written.shares);
  }

  private async write(): Promise<void> {
    this.written = this.current;
    this.writtenMs = this.clock.monotonicMs();
    await this.persistence.write({ strategy: this.current });
  }

  private async haltChildren(halt: Omit<HaltRecord, 'atMs'>, byOperator?: true): Promise<void> {
    const { kind, reason } = haltOfChild(this.spec, halt);
    const flattens = halt.flattens === true;
    for (const { trading, book, account } of this.children) {
      const own = book.record.halt;
      const isDue = own === null || (flattens && own.flattens !== true);
      if (trading.unreadable === null && isDue) await account.halt(kind, reason, flattens, byOperator);
    }
  }

  private sum(of: (child: StrategyRunner) => Decimal): Decimal {
    return this.children.reduce((sum, child) => sum.plus(of(child)), new Decimal(0));
  }
}

/** Each child's part of a portfolio's equity, realized and unrealized, by name. */
export type Shares = Readonly<Record<string, string>>;

/** Whether the value of a child's positions is known. */
function isWorthKnown({ trading, book }: StrategyRunner): boolean {
  return trading.unreadable === null && book.isEquityKnown;
}

/** The shares of the children; those with an unknown value are left out. */
export function sharesOf(children: readonly StrategyRunner[]): Shares {
  return Object.fromEntries(
    children.filter(isWorthKnown).map(({ spec, book }) => [spec.name, book.realized.plus(book.unrealized).toString()]),
  );
}

/**
 * A record that names the children in its equities. Records of earlier versions name none: they get the children of now, so that
 * an upgrade shows neither a profit nor a loss.
 */
function withShares(record: StrategyRecord, children: readonly StrategyRunner[]): StrategyRecord {
  if (record.shares !== undefined) return record;
  const shares = Object.fromEntries(children.map(({ spec, book }) => [spec.name, book.realized.toString()]));
  return { ...record, shares };
}

/**
 * The record with the shares of the children it counts as they are now; those that came or went are left as they were.
 */
export function refreshed(record: StrategyRecord, now: Shares): StrategyRecord {
  const counted = Object.entries(record.shares ?? {}).map(([name, share]) => [name, now[name] ?? share]);
  return { ...record, shares: Object.fromEntries(counted) as Shares };
}

/**
 * The record as if these had always been the children: what one brings or takes along is neither profit nor loss.
 * @param now the shares of all of them
 */
function withChildren(record: StrategyRecord, now: Shares): StrategyRecord {
  const before = record.shares ?? now;
  const came = Object.entries(now).filter(([name]) => !(name in before));
  const gone = Object.entries(before).filter(([name]) => !(name in now));
  const moved = sum(came).minus(sum(gone));
  return { ...withEquityMoved(record, moved), shares: now };
}

function sum(shares: readonly (readonly [string, string])[]): Decimal {
  return shares.reduce((total, [, share]) => total.plus(share), new Decimal(0));
}

/** Interval of the checks of portfolio limits. */
const watchEveryMs = 1_000;

/** Checks the limits of all portfolios until cancelled; an error of one does not affect the others. */
export function watchPortfolios(portfolios: () => readonly Portfolio[], clock: Clock, logger: Logger): Timer {
  return clock.every(watchEveryMs, () => {
    for (const portfolio of portfolios()) {
      guarded(logger, `portfolio ${portfolio.spec.name} could not be checked against its limits`, () =>
        portfolio.watch(),
      );
    }
  });
}

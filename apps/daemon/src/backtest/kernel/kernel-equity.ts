import { PositionType } from '@libs/terminal-client';
import type { CurveColumns, EquityPoint } from '../curve';
import { EquityCurve } from '../equity-curve';
import type { KernelAccount } from './kernel-account';
import type { KernelMarket } from './kernel-market';

/** The equity of a run at the ends of minutes. */
export class KernelEquity {
  private readonly curve: EquityCurve;
  /** The highest equity so far, and the lowest since. */
  private peak: number;
  private low: number;

  /** @param isWhole whether it has all minutes; false: those that a figure may be made of */
  constructor(
    private readonly market: KernelMarket,
    private readonly account: KernelAccount,
    first: EquityPoint,
    private readonly isWhole: boolean,
  ) {
    this.curve = new EquityCurve(market.curve, first);
    this.peak = this.low = first[1];
  }

  /** Ends a minute. @param last its last quote, which the account has */
  endMinute(last: number): void {
    this.note(last, this.account.equity);
  }

  /** Ends minutes in which nothing happened. */
  endMinutes(from: number, until: number): void {
    const { dayEnds } = this.market.minutes;
    if (this.isWhole || this.account.positions.length !== 1) return this.noteMinutes(from, until);
    // The last minute of a UTC day has its close, from which the next day's change is reckoned.
    for (let [start, minute] = [from, from]; minute < until; minute++) {
      if (minute + 1 < until && dayEnds[minute] === 0) continue;
      this.noteMinutes(this.isWithin(start, minute + 1) ? minute : start, minute + 1);
      start = minute + 1;
    }
  }

  /** As {@link EquityCurve.columns}. */
  columns(last: EquityPoint): CurveColumns {
    return this.curve.columns(last);
  }

  /** As {@link EquityCurve.packed}. */
  packed(): Float64Array {
    return this.curve.packed();
  }

  private noteMinutes(from: number, until: number): void {
    const { account, market } = this;
    const { minutes, quotes } = market;
    for (let minute = from; minute < until; minute++) {
      const last = (minutes.starts[minute + 1] ?? 0) - 1;
      this.note(last, account.equityAt(quotes.bids[last] ?? 0, quotes.asks[last] ?? 0));
    }
  }

  private note(last: number, equity: number): void {
    if (equity >= this.peak) this.peak = this.low = equity;
    else if (equity < this.low) this.low = equity;
    this.curve.note(this.market.quotes.times[last] ?? 0, equity, this.account.positions.length > 0);
  }

  /**
   * Whether the equity neither reaches its highest nor falls below the lowest since, with one position open: then no drawdown is
   * deeper or ends in these minutes. The equity changes in one direction with the price, so those at its ends decide.
   */
  private isWithin(from: number, until: number): boolean {
    const { account, market } = this;
    const { bids, asks } = market.quotes;
    const { starts } = market.minutes;
    const prices = account.positions[0]?.type === PositionType.BUY ? bids : asks;
    let lowest = Number.POSITIVE_INFINITY;
    let highest = Number.NEGATIVE_INFINITY;
    for (let minute = from; minute < until; minute++) {
      const price = prices[(starts[minute + 1] ?? 0) - 1] ?? 0;
      if (price < lowest) lowest = price;
      if (price > highest) highest = price;
    }
    return this.isInside(account.equityAt(lowest, lowest)) && this.isInside(account.equityAt(highest, highest));
  }

  private isInside(equity: number): boolean {
    return equity < this.peak && equity >= this.low;
  }
}

import { type Prices, thresholdOf, type Trigger } from './triggers';

/** A point of the path, as a share of it: 0 at the last quote, 1 at the present one. */
export interface Crossing {
  readonly share: number;
  /** Price of the fill. */
  readonly price: number;
}

/**
 * The path of the price from one point of a bar to the next. Bid and ask move evenly and together, and take every value
 * between their ends.
 */
export class BarPath {
  private readonly from: Readonly<Prices>;
  private readonly to: Readonly<Prices>;

  /** @param digits digits behind the point of the symbol's prices */
  constructor(
    { bid, ask }: Readonly<Prices>,
    to: Readonly<Prices>,
    private readonly digits: number,
  ) {
    this.from = { bid, ask };
    this.to = { bid: to.bid, ask: to.ask };
  }

  /**
   * Where a trigger is reached, and at which price; null when it is not reached. A trigger that is reached already when it
   * comes into being fills at once, at the price of that point.
   * @param since point of the path at which the trigger came into being
   * @param beyond by how much a limit or a target has to be exceeded
   */
  crossing(trigger: Trigger, since: number, beyond: number): Crossing | null {
    const { side, isAbove, price } = trigger;
    const needed = thresholdOf(trigger, beyond);
    const start = this.priceAt(side, since);
    if (isAbove ? start >= needed : start <= needed) return { share: since, price: start };
    const end = this.to[side];
    if (isAbove ? end < needed : end > needed) return null;
    return { share: Math.max(since, (needed - this.from[side]) / (end - this.from[side])), price };
  }

  /** The end of the path, for an order that takes the next quote whatever it is. */
  end(side: keyof Prices): Crossing {
    return { share: 1, price: this.to[side] };
  }

  /** Sets the prices of a quote to those of a point of the path, rounded to the symbol's digits. */
  show(share: number, quote: Prices): void {
    quote.bid = this.priceAt('bid', share);
    quote.ask = this.priceAt('ask', share);
  }

  private priceAt(side: keyof Prices, share: number): number {
    const [from, to] = [this.from[side], this.to[side]];
    if (share === 0 || share === 1) return share === 0 ? from : to;
    return Number((from + (to - from) * share).toFixed(this.digits));
  }
}

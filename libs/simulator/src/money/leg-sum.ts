import { exact, type Money } from './decimals';

/** One side of a symbol: its volume, and the means of open price and margin rate over it. */
export interface Leg {
  readonly volume: number;
  readonly price: number;
  /** Deposit currency for one unit of margin currency. */
  readonly rate: number;
}

interface Sums {
  readonly volume: Money;
  readonly price: Money;
  readonly rate: Money;
}

const noLeg: Leg = { volume: 0, price: 0, rate: 0 };

/** What a leg adds to a side, in decimals: kept by a caller that adds the same leg again and again. */
export class LegWeight {
  private made: Sums | null = null;

  constructor(readonly leg: Leg) {}

  /** Made when they are read: a leg that is alone on its side needs none. */
  get sums(): Sums {
    if (this.made === null) {
      const volume = exact(this.leg.volume);
      this.made = { volume, price: volume.mul(this.leg.price), rate: volume.mul(this.leg.rate) };
    }
    return this.made;
  }
}

export function weigh(leg: Leg): LegWeight {
  return new LegWeight(leg);
}

/** Adds positions of one side up to a {@link Leg}: its volume, and the volume-weighted means of price and rate. */
export class LegSum {
  /** @param sum of no leg, of one, or of several */
  private constructor(private readonly sum: LegWeight | Sums | null) {}

  static readonly none = new LegSum(null);

  /** The sum with one leg more; this one stays as it is. */
  plus(weight: LegWeight): LegSum {
    const { sum } = this;
    if (weight.leg.volume === 0) return this;
    if (sum === null) return new LegSum(weight);
    const before = sum instanceof LegWeight ? sum.sums : sum;
    const { volume, price, rate } = weight.sums;
    return new LegSum({
      volume: before.volume.add(volume),
      price: before.price.add(price),
      rate: before.rate.add(rate),
    });
  }

  /** The sum without a leg that it contains. */
  minus(weight: LegWeight): LegSum {
    const { sum } = this;
    if (weight.leg.volume === 0) return this;
    if (sum === null || sum instanceof LegWeight) return LegSum.none;
    const { volume, price, rate } = weight.sums;
    const left = sum.volume.sub(volume);
    if (left.isZero()) return LegSum.none;
    return new LegSum({ volume: left, price: sum.price.sub(price), rate: sum.rate.sub(rate) });
  }

  get isNone(): boolean {
    return this.sum === null;
  }

  leg(): Leg {
    const { sum } = this;
    if (sum === null) return noLeg;
    if (sum instanceof LegWeight) return sum.leg;
    const { volume, price, rate } = sum;
    return { volume: volume.toNumber(), price: price.div(volume).toNumber(), rate: rate.div(volume).toNumber() };
  }
}

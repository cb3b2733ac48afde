import { exact, type Money, zero } from './decimals';

/** One side of a symbol: its volume, and the means of open price and margin rate over it. */
export interface Leg {
  readonly volume: number;
  readonly price: number;
  /** Deposit currency for one unit of margin currency. */
  readonly rate: number;
}

/** What a leg adds to a side, in decimals: kept by a caller that adds the same leg again and again. */
export interface LegWeight {
  readonly volume: Money;
  readonly price: Money;
  readonly rate: Money;
}

export function weigh({ volume, price, rate }: Leg): LegWeight {
  const weight = exact(volume);
  return { volume: weight, price: weight.mul(price), rate: weight.mul(rate) };
}

/** Adds positions of one side up to a {@link Leg}: its volume, and the volume-weighted means of price and rate. */
export class LegSum {
  private constructor(private readonly sum: LegWeight) {}

  static readonly none = new LegSum({ volume: zero, price: zero, rate: zero });

  /** The sum with one leg more; this one stays as it is. */
  plus({ volume, price, rate }: LegWeight): LegSum {
    const { sum } = this;
    return new LegSum({ volume: sum.volume.add(volume), price: sum.price.add(price), rate: sum.rate.add(rate) });
  }

  /** The sum without a leg that it contains. */
  minus({ volume, price, rate }: LegWeight): LegSum {
    const { sum } = this;
    return new LegSum({ volume: sum.volume.sub(volume), price: sum.price.sub(price), rate: sum.rate.sub(rate) });
  }

  get isNone(): boolean {
    return this.sum.volume.isZero();
  }

  leg(): Leg {
    const { volume, price, rate } = this.sum;
    if (volume.isZero()) return { volume: 0, price: 0, rate: 0 };
    return {
      volume: volume.toNumber(),
      price: price.div(volume).toNumber(),
      rate: rate.div(volume).toNumber(),
    };
  }
}

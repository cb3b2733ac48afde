import { exact, type Money, zero } from './decimals';

/** One side of a symbol: its volume, and the means of open price and margin rate over it. */
export interface Leg {
  readonly volume: number;
  readonly price: number;
  /** Deposit currency for one unit of margin currency. */
  readonly rate: number;
}

/** Adds positions of one side up to a {@link Leg}: its volume, and the volume-weighted means of price and rate. */
export class LegSum {
  private volume: Money = zero;
  private price: Money = zero;
  private rate: Money = zero;

  add(leg: Leg): void {
    const volume = exact(leg.volume);
    this.volume = this.volume.add(volume);
    this.price = this.price.add(volume.mul(leg.price));
    this.rate = this.rate.add(volume.mul(leg.rate));
  }

  leg(): Leg {
    if (this.volume.isZero()) return { volume: 0, price: 0, rate: 0 };
    return {
      volume: this.volume.toNumber(),
      price: this.price.div(this.volume).toNumber(),
      rate: this.rate.div(this.volume).toNumber(),
    };
  }
}

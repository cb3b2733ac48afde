/** Where levels and resting orders are set, seen from the market at the start of a run: far from where it gets to. */
const shares = { low: 0.75, buyAt: 0.85, sellAt: 1.07, high: 1.25 } as const;

export type Band = keyof typeof shares;

/** The symbols that clients trade, with the digits of their prices. */
const digitsOf: Readonly<Record<string, number>> = { EURUSD: 5, USDJPY: 3 };

export const tradedSymbols = Object.keys(digitsOf);

/** Numbers above this one would come near the market. */
const mostNumbers = 8_000;

/** Where the numbers of other parameters under the same keys begin. */
export const secondVariants = mostNumbers / 2;

/** Prices that carry a number: no two requests set the same, so a level at the broker says which one set it. */
export class NumberedPrices {
  /** @param startPrices of the traded symbols */
  constructor(private readonly startPrices: ReadonlyMap<string, number>) {}

  /** The price of a number in a band. */
  price(symbol: string, band: Band, number: number): number {
    const digits = digitsIn(symbol);
    return Number((this.base(symbol, band) + number * 10 ** -digits).toFixed(digits));
  }

  /** The price of the same band for the other parameters under its key. */
  otherThan(symbol: string, price: number): number {
    const digits = digitsIn(symbol);
    return Number((price + secondVariants * 10 ** -digits).toFixed(digits));
  }

  private base(symbol: string, band: Band): number {
    const start = this.startPrices.get(symbol);
    if (start === undefined) throw new RangeError(`no prices of ${symbol}`);
    const digits = digitsIn(symbol);
    return Number((start * shares[band]).toFixed(digits - 3));
  }
}

function digitsIn(symbol: string): number {
  const digits = digitsOf[symbol];
  if (digits === undefined) throw new RangeError(`${symbol} is not traded here`);
  return digits;
}

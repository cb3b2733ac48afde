/** A price may be this share of a point off: TrueFX has 107.089996 for 107.09. */
const roundedShare = 0.01;
/** Of a price that was kept in four bytes. */
const singlePrecision = 6e-8;
const mostShare = 0.25;

/** The prices that a symbol may have. */
interface Grid {
  /** Decimal places. */
  readonly digits: number;
  readonly isRounding?: boolean;
}

/** A price on the grid of the symbol. */
export interface GridPrice {
  readonly text: string;
  readonly isRounded: boolean;
}

/**
 * A price of a file, without float noise.
 * @param isRounding whether a price between two of the grid becomes the nearest one
 * @returns what is wrong with it, if anything
 */
export function onGrid(text: string, { digits, isRounding = false }: Grid): GridPrice | string {
  const [, decimals = ''] = /^\d+(?:\.(\d+))?$/.exec(text) ?? [null, null];
  const price = Number(text);
  if (decimals === null || !(price > 0)) return notAPrice(text);
  if (decimals.length <= digits || decimals.replace(/0+$/, '').length <= digits) return { text, isRounded: false };
  const [rounded, point] = [price.toFixed(digits), 10 ** -digits];
  const noise = Math.max(roundedShare * point, Math.min(price * singlePrecision, mostShare * point));
  if (!isRounding && Math.abs(price - Number(rounded)) > noise) {
    return `${text} has more than ${digits} decimal places: see --digits and --round`;
  }
  return Number(rounded) > 0 ? { text: rounded, isRounded: true } : notAPrice(text);
}

function notAPrice(text: string): string {
  const advice = /^[\d.]+,\d+$/.test(text) ? ': if its comma is a decimal one, use --decimal-comma' : '';
  return `"${text}" is not a price${advice}`;
}

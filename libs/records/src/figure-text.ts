/*
 * Figures in texts for people. In JSON they are numbers as the terminal has them.
 */

/** Decimals beyond the digits of a symbol that an average price has; further ones are noise of binary fractions. */
const digitsOfAverages = 3;
/** Significant digits of a price whose symbol is not known. */
const digitsOfPrices = 12;
/** More decimals than any volume has. */
const digitsOfVolumes = 9;
/** Of most currencies. */
const usualCurrencyDigits = 2;

/**
 * A price with the digits of its symbol, so that 1.1 reads 1.10000. A price with further digits, as an average has, keeps them.
 * @param digits of the symbol; undefined if they are not known
 */
export function priceText(price: number, digits: number | undefined): string {
  if (digits === undefined) return trimmed(fixed(Number(price.toPrecision(digitsOfPrices)), digitsOfPrices), 0);
  return trimmed(fixed(price, digits + digitsOfAverages), digits);
}

/**
 * Digits of a symbol as its prices show them, for texts without the record of the symbol: so many as most of them use, because one
 * may end in zeros and another may be an average. {@link priceText} with these digits shows each of the prices in full.
 */
export function shownDigits(prices: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const price of prices) {
    const digits = priceText(price, undefined).split('.')[1]?.length ?? 0;
    counts.set(digits, (counts.get(digits) ?? 0) + 1);
  }
  const [usual = 0] = [...counts].sort(([a, times], [b, more]) => more - times || b - a)[0] ?? [];
  return Math.max(usual, ...[...counts.keys()].map((digits) => digits - digitsOfAverages));
}

/** Lots, without the noise of binary fractions. */
export function volumeText(volume: number): string {
  return trimmed(fixed(volume, digitsOfVolumes), 0);
}

/** A volume with its unit: `1 lot`, `0.1 lots`, `1 lot is open`. @param many for any other volume than 1 */
export function lotsText(volume: number, one = 'lot', many = 'lots'): string {
  const text = volumeText(volume);
  return `${text} ${text === '1' ? one : many}`;
}

/**
 * A count with what is counted: `1 deal`, `2 deals`, `1 bar is`, `2 bars are`.
 * @param many for any other count than 1; the noun with an s when omitted
 */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * Money with the digits of its currency.
 * @param digits of the currency; 2 if they are not known
 */
export function moneyText(amount: number, digits: number | undefined = usualCurrencyDigits): string {
  return unsignedZero(fixed(amount, digits));
}

/** Without an exponent, which toFixed gives from 10^21 on. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return text.includes('e') ? BigInt(value).toString() : text;
}

/** Without zeros at the end, but with so many decimals at least. */
function trimmed(text: string, decimals: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  const kept = fraction.slice(0, decimals) + fraction.slice(decimals).replace(/0+$/, '');
  return unsignedZero(kept === '' ? whole : `${whole}.${kept}`);
}

function unsignedZero(text: string): string {
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

/** Digits of the minor unit of a currency (ISO 4217) that has not 2. */
const otherDigits: Readonly<Record<string, number>> = {
  ...digitsOf(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'),
  ...digitsOf(3, 'BHD IQD JOD KWD LYD OMR TND'),
};

/** Decimals of amounts in a currency, where no account states them. */
export function currencyDigits(currency: string): number {
  return otherDigits[currency] ?? usualCurrencyDigits;
}

function digitsOf(digits: number, currencies: string): Readonly<Record<string, number>> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]));
}

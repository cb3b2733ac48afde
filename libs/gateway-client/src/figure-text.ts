import * as figures from '@libs/records/figure-text';

// With types of their own, because those who have the packed client do not have the libraries that it is made of.

/** A price with the digits of its symbol; undefined if they are not known. */
export const priceText: (price: number, digits: number | undefined) => string = figures.priceText;

/** Digits of a symbol as its prices show them, for texts without the record of the symbol. */
export const shownDigits: (prices: readonly number[]) => number = figures.shownDigits;

/** Lots, without the noise of binary fractions. */
export const volumeText: (volume: number) => string = figures.volumeText;

/** A volume with its unit: `1 lot`, `0.1 lots`; `many` for any other volume than 1. */
export const lotsText: (volume: number, one?: string, many?: string) => string = figures.lotsText;

/** A count with what is counted: `1 deal`, `2 deals`; `many` where it is not `one` with an s. */
export const countText: (count: number, one: string, many?: string) => string = figures.countText;

/** Decimals of amounts in a currency, where no account states them. */
export const currencyDigits: (currency: string) => number = figures.currencyDigits;

/** Money with the digits of its currency; 2 if they are not known. */
export const moneyText: (amount: number, digits?: number) => string = figures.moneyText;

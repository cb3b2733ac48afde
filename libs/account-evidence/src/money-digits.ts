import { Decimal } from 'decimal.js';

/** Of most currencies, where an account does not state them. */
const usualDigits = 2;
/** Decimals beyond those of a currency that are noise of binary fractions. */
const noiseDigits = 6;

/** One in the last digit of a currency: 0.01 euro, 1 yen, 0.001 dinar. */
export function lastDigit(digits: number = usualDigits): Decimal {
  return new Decimal(10).pow(-digits);
}

/** A change of money, rounded to its currency. */
export function roundedMoney(amount: Decimal, digits: number = usualDigits): Decimal {
  return amount.toDecimalPlaces(digits);
}

/** An amount without the noise of binary fractions, by which 1 cent may be shown as 0.0099999999. */
export function withoutNoise(amount: Decimal, digits: number = usualDigits): Decimal {
  return amount.toDecimalPlaces(digits + noiseDigits);
}

/** Money that rounding may take of each position, and of the account. */
export function roundedUnits(digits: number | undefined): Decimal {
  return lastDigit(digits).times(2);
}

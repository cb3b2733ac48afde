/** Digits of the minor unit of a currency (ISO 4217) that has not 2. */
const otherDigits: Readonly<Record<string, number>> = {
  ...digitsOf(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'),
  ...digitsOf(3, 'BHD IQD JOD KWD LYD OMR TND'),
};

/** Decimals of amounts in a currency, where no account states them. */
export function currencyDigits(currency: string): number {
  return otherDigits[currency] ?? 2;
}

function digitsOf(digits: number, currencies: string): Readonly<Record<string, number>> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]));
}

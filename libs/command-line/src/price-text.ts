/**
 * A price for people: with the digits of its symbol, so that 1.1 reads 1.10000. A price with further digits, as an average has, keeps
 * them.
 * @param digits of the symbol; undefined if they are not known
 */
export function priceText(price: number, digits: number | undefined): string {
  const text = price.toFixed(digits ?? 0);
  return Number(text) === price ? text : String(price);
}

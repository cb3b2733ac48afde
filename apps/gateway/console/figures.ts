import { moneyText, volumeText } from '@libs/gateway-client';

/** Money with the digits of its currency, and commas between thousands. @param digits 2 if they are not known */
export function money(amount: number, digits: number | undefined): string {
  return moneyText(amount, digits).replace(/\d{4,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/**
 * Money without a currency, such as a strategy's result: with the digits of the account's currency, unless the amount has more.
 * @param digits of the account's currency
 */
export function moneyOfAny(amount: number, digits: number | undefined): string {
  const fits = digits !== undefined && Number(amount.toFixed(digits)) === amount;
  return money(amount, fits ? digits : undefined);
}

/** The class of a result: none for one that is not known, or that is shown as 0. */
export function resultClass(amount: unknown): '' | 'gain' | 'loss' {
  if (typeof amount !== 'number' || Number(moneyText(amount)) === 0) return '';
  return amount < 0 ? 'loss' : 'gain';
}

/** Lots with the decimals of the symbol's step. @param decimals undefined while they are not known */
export function lots(volume: number, decimals: number | undefined): string {
  const [whole = '', fraction = ''] = volumeText(volume).split('.');
  const padded = fraction.padEnd(decimals ?? 0, '0');
  return padded === '' ? whole : `${whole}.${padded}`;
}

const orderTypes = [
  'BUY',
  'SELL',
  'BUY LIMIT',
  'SELL LIMIT',
  'BUY STOP',
  'SELL STOP',
  'BUY STOP LIMIT',
  'SELL STOP LIMIT',
];

/** The type of a position or of an order in words. */
export function orderTypeText(type: number): string {
  return orderTypes[type] ?? `type ${type}`;
}

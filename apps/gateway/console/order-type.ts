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

/** The message for a close or change of a position that is not open. */
export function noOpenPosition(ticket: number): string {
  return `no open position ${ticket}`;
}

/** The message for a change of the position that a symbol has on an account that nets. */
export function noOpenPositionOf(symbol: string): string {
  return `no open position of ${symbol}`;
}

/** The message for a change or cancellation of an order that is not pending. */
export function noPendingOrder(ticket: number): string {
  return `no pending order ${ticket}`;
}

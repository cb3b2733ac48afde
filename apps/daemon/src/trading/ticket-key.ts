/** A ticket's name among all gateways: the numbers of two brokers may well be the same. */
export function ticketKey(broker: string, ticket: number): string {
  return `${broker}:${ticket}`;
}

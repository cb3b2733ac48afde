/** Key of a ticket over all gateways: two brokers may use the same numbers. */
export function ticketKey(broker: string, ticket: number): string {
  return `${broker}:${ticket}`;
}

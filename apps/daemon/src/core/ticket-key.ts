/** The last key that was made: the same ticket is looked up many times in a row, and each new text has to be hashed. */
const last = { broker: '', ticket: Number.NaN, key: '' };

/** Key of a ticket over all gateways: two brokers may use the same numbers. */
export function ticketKey(broker: string, ticket: number): string {
  if (ticket !== last.ticket || broker !== last.broker) {
    last.key = `${broker}:${ticket}`;
    last.ticket = ticket;
    last.broker = broker;
  }
  return last.key;
}

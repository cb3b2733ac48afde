/** An order of a group, as the broker has it. */
export interface GroupedOrder {
  /** Names the group among those of all strategies. */
  readonly group: string;
  readonly gateway: string;
  readonly ticket: number;
  /** It waits for its price. */
  readonly isActive: boolean;
  /** A deal has executed it, in part or whole. */
  readonly isFilled: boolean;
}

/** No order of a group waits once another one of the group has filled. */
export function waitingBesideFilled(orders: readonly GroupedOrder[]): string[] {
  return orders.flatMap(({ group, gateway, ticket, isActive, isFilled }) => {
    const filled = orders.find((other) => other.group === group && other.isFilled && other.ticket !== ticket);
    if (!isActive || isFilled || !filled) return [];
    return [`order ${ticket} on ${gateway} waits, and order ${filled.ticket} of its group ${group} has filled`];
  });
}

/** What a strategy has on one gateway. */
export interface Holdings {
  /** Lots by ticket. */
  readonly positions: ReadonlyMap<number, number>;
  readonly orders: ReadonlySet<number>;
  /** In the account's currency. */
  readonly realized: number;
}

/** The ledger of a strategy is the account's: positions, orders and results. */
export function ledgerDiffers(who: string, ledger: Holdings, account: Holdings): string[] {
  const tickets = new Set([...ledger.positions.keys(), ...account.positions.keys()]);
  const positions = [...tickets].flatMap((ticket) => {
    const [mine, theirs] = [ledger.positions.get(ticket) ?? 0, account.positions.get(ticket) ?? 0];
    if (Math.abs(mine - theirs) < 1e-9) return [];
    return [`${who} has ${mine} lots of position ${ticket} in its ledger, and ${theirs} at the broker`];
  });
  const orders = [...new Set([...ledger.orders, ...account.orders])].flatMap((ticket) => {
    if (ledger.orders.has(ticket) === account.orders.has(ticket)) return [];
    return [`${who} ${ledger.orders.has(ticket) ? 'has' : 'does not have'} order ${ticket}, unlike the broker`];
  });
  const off = Math.abs(ledger.realized - account.realized) > 1e-6;
  const result = off ? [`${who} has realized ${ledger.realized}, and ${account.realized} by the broker's deals`] : [];
  return [...positions, ...orders, ...result];
}

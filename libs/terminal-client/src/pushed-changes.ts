/** Rows of the account that changed, to be read again. */
export interface AccountChange {
  /** Tickets of positions that were opened, changed or closed. */
  readonly positions: ReadonlySet<number>;
  /** Tickets of orders that were placed, changed, filled or ended. */
  readonly orders: ReadonlySet<number>;
  /** Something changed that no ticket names, such as a balance operation. */
  readonly isWider: boolean;
}

/** The changes of an account, from a terminal that reports every one of them when it happens. */
export interface PushedChanges {
  /**
   * Grows with every change of positions, orders and deals; prices alone leave it as it is. Null while the lists may not show
   * what happened, or there is no session: nothing can be concluded then.
   */
  readonly revision: number | null;
  /**
   * Grows with every change of what the account's record and the lists of positions and orders show: as {@link revision}, and with
   * every price. Null as that.
   */
  readonly priceRevision: number | null;
  /**
   * Milliseconds until the first of the symbols can have another quote, at the earliest; infinite if none will. Null if that is
   * not known, and in the cases in which {@link revision} is null.
   */
  quoteDueMs(symbols: readonly string[]): number | null;
  /** Reports a change after it happened. The listener must not throw, and must not call the terminal before it returns. @returns ends the reports */
  onChange(listener: (change: AccountChange) => void): () => void;
}

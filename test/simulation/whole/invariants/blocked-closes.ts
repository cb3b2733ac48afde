const blocked = /^position (\d+) could not be closed: kill_switch_active: /;

/**
 * Whether a problem of a strategy is the truth and remains so: the kill switch blocked the close of a position that is still
 * open. Nothing sends the close again after the release but the strategy or a person, so it is not waited for.
 * @param open tickets of the open positions of the strategy, on any gateway
 */
export function isOpenAfterBlockedClose(problem: string, open: ReadonlySet<number>): boolean {
  const ticket = blocked.exec(problem)?.[1];
  return ticket !== undefined && open.has(Number(ticket));
}

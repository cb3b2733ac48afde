import type { Desk } from './desk';
import type { Feed } from './feed';
import { openWriteOf } from './writes';

/** Whether the gateway said that this key is read-only. */
export function isReadOnly(desk: Desk): boolean {
  return desk.health.reading.value.value?.api_key === 'read_only';
}

/** Why a row of a list may not be changed now; null if it may. */
export function reasonAgainst(desk: Desk, list: Feed<unknown>, target: string): string | null {
  const reason = reasonAgainstAny(desk, list);
  if (reason !== null) return reason;
  const open = openWriteOf(target);
  if (open === undefined) return null;
  return open.state === 'in flight' ? 'a request is in flight' : 'the outcome of a request is unknown';
}

/** The same for what the gateway refuses while it is halted. */
export function reasonWhileTrading(desk: Desk, list: Feed<unknown>, target: string): string | null {
  const isHalted = desk.health.current?.kill_switch_active === true;
  return reasonAgainst(desk, list, target) ?? (isHalted ? 'trading is halted' : null);
}

/** The same as {@link reasonAgainst} for a change that does no harm if it is sent again: an unknown outcome does not forbid it. */
export function reasonAgainstRepeatable(desk: Desk, list: Feed<unknown>, target: string): string | null {
  return openWriteOf(target)?.state === 'unknown' ? reasonAgainstAny(desk, list) : reasonAgainst(desk, list, target);
}

function reasonAgainstAny(desk: Desk, list: Feed<unknown>): string | null {
  if (isReadOnly(desk)) return 'this key is read-only';
  return list.standing === 'current' ? null : 'the list is not current';
}

import type { Desk } from './desk';
import type { Feed } from './feed';
import { openWriteOf } from './writes';

/** Whether the gateway said that this key may only read. */
export function isReadOnly(desk: Desk): boolean {
  return desk.health.reading.value.value?.api_key === 'read_only';
}

/** Why a row of a list may not be changed now; null if it may. */
export function reasonAgainst(desk: Desk, list: Feed<unknown>, target: string): string | null {
  if (isReadOnly(desk)) return 'this key may only read';
  if (list.standing !== 'current') return 'the list is not current';
  const open = openWriteOf(target);
  if (open === undefined) return null;
  return open.state === 'in flight' ? 'a request is in flight' : 'the outcome of a request is unknown';
}

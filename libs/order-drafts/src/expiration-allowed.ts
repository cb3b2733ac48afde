import { ExpirationFlag, OrderTime } from '@libs/terminal-client';
import type { Market, ProposedOrder } from './proposed-order';
import { fieldRefused, type OrderRefusal } from './refusal';

/** A time of the terminal ends with the year 3000 (MQL5 reference, datetime). */
export const expirationsEndMs = Date.UTC(3001, 0, 1);

/** The symbol must support what an order says of its end, and a time of expiration must be in the future. */
export function expirationAllowed(
  { expirationMs, timeType }: Pick<ProposedOrder, 'expirationMs' | 'timeType'>,
  { info, nowMs }: Market,
): OrderRefusal | null {
  if (timeType === OrderTime.DAY && (info.expiration_mode & ExpirationFlag.DAY) === 0) {
    return fieldRefused(
      'type_time',
      `${info.name} takes no order for the day; use GTC 0`,
      info.expiration_mode,
      timeType,
    );
  }
  if (expirationMs === null) return null;
  const value = isoOf(expirationMs);
  // An order until the end of a day is valid on that day.
  const ofDay = timeType === OrderTime.SPECIFIED_DAY;
  if (expirationMs <= nowMs - (ofDay ? dayMs : 0)) {
    return fieldRefused('expiration', `must be in the future; now is ${isoOf(nowMs)}`, isoOf(nowMs), value);
  }
  if (expirationMs >= expirationsEndMs) {
    return fieldRefused(
      'expiration',
      'must be before the year 3001; leave it out for no end',
      isoOf(expirationsEndMs),
      value,
    );
  }
  const flag = ofDay ? ExpirationFlag.SPECIFIED_DAY : ExpirationFlag.SPECIFIED;
  if ((info.expiration_mode & flag) !== 0) return null;
  const what = ofDay ? 'no expiration day' : 'no expiration time';
  return fieldRefused('expiration', `${info.name} takes ${what}`, info.expiration_mode, value);
}

const dayMs = 86_400_000;

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

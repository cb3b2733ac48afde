import type { Ask } from '../asks';
import { mayBeDone, type SendRecord } from '../sends';

/**
 * No key has two orders: a send goes out only when no earlier one for the same wish was done, or may still be. What was
 * forgotten does not count.
 * @param earlier the other sends that ask the broker for the same
 * @param asked the clients' requests that ask for it
 */
export function orderedTwice(send: SendRecord, earlier: readonly SendRecord[], asked: readonly Ask[]): string[] {
  const done = earlier.filter((other) => mayBeDone(other) && !other.isForgotten);
  if (asked.length === 0 || done.length < asked.length) return [];
  const keys = asked.map(({ key }) => key).join(', ');
  const numbers = done.map(({ number, fate }) => `${number} (${fate})`).join(', ');
  return [`send ${send.number} (${send.marker}) for ${keys} goes out though send ${numbers} did or may do the same`];
}

/** Nothing is sent that no client asked for. @param isFlattening an operator has asked to close everything */
export function unasked(send: SendRecord, asked: readonly Ask[], isFlattening: boolean): string[] {
  if (asked.length > 0 || isFlattening) return [];
  return [`send ${send.number} (${send.marker}) goes out, and no client asked for it`];
}

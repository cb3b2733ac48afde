import { TradeAction } from '@libs/terminal-client';
import type { Ask } from '../asks';
import { mayBeDone, type SendRecord } from '../sends';

/** What was reported as refused, absent or void was not done. @param sends those that ask the broker for one of its variants */
export function doneThoughRefused(ask: Ask, words: string, sends: readonly SendRecord[], asked: AskedFor): string[] {
  return markersOf(sends).flatMap((marker) => {
    const done = sends.filter((send) => send.marker === marker && mayBeDone(send));
    const others = asked(marker).filter((other) => other !== ask && !isNegative(other));
    if (done.length <= others.length) return [];
    const numbers = done.map(({ number, fate }) => `${number} (${fate})`).join(', ');
    return [`${ask.key} was reported ${words}, and send ${numbers} (${marker}) did or may do it`];
  });
}

/** In transit for an order that has ended since, as by its expiration: the broker will refuse it. */
export function isTooLate({ fate, request }: SendRecord, isOrderActive: (ticket: number) => boolean): boolean {
  const isOfOrder = request.action === TradeAction.REMOVE || request.action === TradeAction.MODIFY;
  return fate === 'in transit' && isOfOrder && !isOrderActive(request.order);
}

/** Nothing is sent, or done, for a request after it was reported as refused, absent or void. */
export function sentThoughRefused(send: SendRecord, asked: readonly Ask[]): string[] {
  if (asked.length === 0 || asked.some((ask) => !isNegative(ask))) return [];
  const words = asked.map(({ key, lastWord }) => `${key} (${lastWord})`).join(', ');
  return [`send ${send.number} (${send.marker}) is ${send.fate} after the last word on ${words}`];
}

/** The requests behind what shows at the broker in one way. */
export type AskedFor = (marker: string) => readonly Ask[];

function isNegative({ lastWord }: Ask): boolean {
  return lastWord === 'refused' || lastWord === 'void';
}

function markersOf(sends: readonly SendRecord[]): string[] {
  return [...new Set(sends.map(({ marker }) => marker))];
}

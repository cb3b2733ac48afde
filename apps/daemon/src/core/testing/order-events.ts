import type { OrderAnswer } from '@libs/gateway-client';
import type { CoreEffect } from '../core-effect';
import type { CoreEventBody } from '../core-event';
import type { IntentEvent } from '../intent-life';
import type { OrderIntent } from '../plan';
import type { OwnedTicket } from '../records';
import { undisturbed } from '../risk';
import { kinds, type CoreRig } from './core-rig';
import { answered } from './request-events';

export const buy = { id: 'i1', action: 'enter', side: 'buy', stream: 'eur', options: { volume: 0.1 } } as const;
export const close = { id: 'c1', action: 'close', position: 1, broker: null, volume: null } as const;
export const half = { ...close, volume: 0.05 } as const;
export const limit = { volume: 0.1, kind: 'limit', price: 1.05 } as const;

export const wants = (intent: OrderIntent, key = 'k1'): CoreEventBody => {
  return { type: 'intent', intent, circumstances: undisturbed, key };
};
export const written = (n: number, isDurable = true): CoreEventBody => ({ type: 'persisted', n, isDurable });
export const asked = (event: Exclude<IntentEvent, { type: 'written' }>, key = 'k1'): CoreEventBody => {
  return { type: 'request', key, event };
};
export const executed = (body: OrderAnswer = { result: { order: 9, deal: 90 }, state: 'executed' }, key = 'k1') =>
  asked(answered({ kind: 'done', status: 200, body, replayed: false }), key);
export const refused = (retcode: number, key = 'k1') => {
  const terminalError = { retcode, retcode_name: 'NAME', comment: '' };
  const refusal = { status: 422, errorType: 'broker_rejected', error: 'no', details: null, terminalError };
  return asked(answered({ kind: 'rejected', retryable: false, ...refusal }), key);
};
export const found = (order: number | null, remembered: OwnedTicket | null = null, isRead?: false): CoreEventBody => {
  return { type: 'order found', key: 'k1', order, remembered, ...(isRead === undefined ? {} : { isRead }) };
};
export const [requote, invalidStops] = [10004, 10016];

/** The write that a request waits for. @throws Error if none does */
export function awaitedOf(effects: readonly CoreEffect[]) {
  const awaited = effects.find((effect) => effect.type === 'persist' && effect.key !== null);
  if (awaited?.type !== 'persist') throw new Error(`nothing is awaited: ${kinds(effects).join()}`);
  return awaited;
}

/** Sends a request. */
export function sent(rig: CoreRig, intent: OrderIntent, key = 'k1'): void {
  const { n } = awaitedOf(rig.does(wants(intent, key)));
  expect(kinds(rig.does(written(n)))).toEqual(['submit']);
}

/** What is written after a request was executed, with what else that has as its effects. */
export function doneWith(rig: CoreRig, answer: CoreEventBody, event: CoreEventBody) {
  expect(kinds(rig.does(answer))).toEqual(['find order']);
  return awaitedOf(rig.does(event));
}

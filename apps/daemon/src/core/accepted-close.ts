import type { OrderAnswer } from '@libs/gateway-client';
import { partOf, type Refusal, type Unfilled } from './exit-retry';
import type { IntentFacts, IntentLife } from './intent-life';
import { isClose } from './plan';
import type { IntentRecord } from './records';

/** A close that the broker accepted, and of which the books show nothing. */
export const unfilled: Unfilled = {
  kind: 'unfilled',
  reason: 'the broker accepted the close, and no fill was seen',
};

/** Whether the broker has accepted a close (10008) and no fill of it was seen: it may still be rejected. */
export function isOnlyAccepted(record: IntentRecord, { state }: OrderAnswer): boolean {
  return isClose(record) && state === 'placed';
}

/** Whether a close that was accepted is over: its part is closed, or nothing of it is left to do. */
export function isClosed({ record, volumeBefore }: IntentLife, { isWanted, openVolume }: IntentFacts): boolean {
  return !isWanted || (partOf(record) !== null && openVolume !== volumeBefore);
}

/**
 * Whether an accepted close without a fill may be sent again. It may still fill. Then the next close of the whole position
 * finds no position under its ticket, but the next close of a part closes too much. On a netting account two closes that
 * both wait at an exchange reverse the position.
 */
export function mayRepeat(record: IntentRecord, isHedging: boolean): boolean {
  return isHedging && partOf(record) === null;
}

/** Whether an intent that ends with a refusal was executed all the same: a try of it that was accepted has filled. */
export function isDoneMeanwhile(life: IntentLife, facts: IntentFacts): boolean {
  return life.wasAccepted && isClosed(life, facts);
}

/** The record of a try that had no effect, with its outcome. */
export function refusedRecord(record: IntentRecord, refusal: Refusal, reason: string): IntentRecord {
  // The broker did accept it.
  if (refusal.kind === 'unfilled') return { ...record, state: 'done', outcome: 'placed' };
  return { ...record, state: refusal.kind, outcome: reason };
}

import type { IntentRecord } from './journal-records';
import type { TradeState } from './trade-state';

/** A list that shows a row as it was before an executed send is not behind for longer than this. */
export const longestBehindMs = 60_000;

type Late = Pick<TradeState, 'late'>;

/**
 * Takes in the outcome of a send that changes what stands, or closes a part of it. It is kept while a list may still show its
 * position or order as it was before: if it was executed, or may have been.
 */
export function noteLate({ late }: Late, intent: IntentRecord, runningMs: number): void {
  const { id, outcome } = intent;
  for (const ticket of touchedBy(intent)) {
    const others = (late.get(ticket) ?? []).filter((one) => one.intent.id !== id);
    const isLate = outcome.kind === 'done' || outcome.kind === 'unknown';
    if (isLate) late.set(ticket, [...others, { intent, atMs: runningMs }]);
    else if (others.length > 0) late.set(ticket, others);
    else late.delete(ticket);
  }
}

/** The sends of the last minute on a position or order, by its ticket, the newest first. */
export function lateSends({ late }: Late, ticket: number, runningMs: number): IntentRecord[] {
  const sends = (late.get(ticket) ?? []).filter(({ atMs }) => runningMs - atMs < longestBehindMs);
  return sends.map(({ intent }) => intent).sort((a, b) => (b.writtenAtRunningMs ?? 0) - (a.writtenAtRunningMs ?? 0));
}

/** Forgets the sends that every list shows by now. */
export function forgetLate({ late }: Late, runningMs: number): void {
  for (const [ticket, sends] of late) {
    const left = sends.filter(({ atMs }) => runningMs - atMs < longestBehindMs);
    if (left.length === 0) late.delete(ticket);
    else if (left.length < sends.length) late.set(ticket, left);
  }
}

/** Tickets of what a send leaves standing with other values. */
function touchedBy({ purpose, request }: IntentRecord): number[] {
  switch (purpose) {
    case 'modify_levels':
    case 'close_partial':
      return [request.position];
    case 'modify_order':
      return [request.order];
    case 'close_by':
      return [request.position, request.position_by];
    case 'open':
    case 'place_pending':
    case 'close':
    case 'cancel':
      return [];
  }
}

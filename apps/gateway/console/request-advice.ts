import type { Difference, TradeRequestReport, UnresolvedRequest } from '@libs/gateway-client';

/** The state of a trade request in words, and what the operator should do. */
export interface Advice {
  readonly meaning: string;
  /** Null if there is nothing to do. */
  readonly advice: string | null;
  /** A write of the console that helps: `PUT /trade_requests/{key}/accept` or `/void`. */
  readonly action: 'accept' | 'void' | null;
}

const notDone = 'Nothing was done. A request for the same purpose needs a new key.';

/**
 * @param report what the journal has of the key; null if it has nothing
 * @param unresolved the same request among the unresolved ones of a reconciliation
 */
export function adviceOnRequest(report: TradeRequestReport | null, unresolved: UnresolvedRequest | undefined): Advice {
  if (report === null) {
    return {
      meaning: 'No request under this key was sent.',
      advice: 'One may still be on its way to the gateway. Make the key void to be certain that it is never sent.',
      action: 'void',
    };
  }
  switch (report.status) {
    case 'in_progress':
      return { meaning: 'The gateway is working on it.', advice: 'Wait for its outcome.', action: null };
    case 'completed':
      return (report.response_status ?? 0) < 300
        ? { meaning: 'Done.', advice: null, action: null }
        : { meaning: 'Rejected.', advice: notDone, action: null };
    case 'recovered':
      return { meaning: 'Done: its first answer was lost, and the look-up found it.', advice: null, action: null };
    case 'absent':
      return { meaning: 'Not done: the look-up found no trace of it.', advice: notDone, action: null };
    case 'accepted':
      return {
        meaning: 'Its outcome stays unknown, which an operator accepted.',
        advice: 'Nothing is sent under this key. Continue from the present state of the position or order.',
        action: null,
      };
    case 'void':
      return { meaning: 'Void: never sent, and never will be.', advice: null, action: null };
    case 'unknown':
      return isUndecidable(unresolved)
        ? {
            meaning: 'Unknown, and the look-ups have ended without a result.',
            advice: 'Compare the position or order with the broker. Then accept that the outcome stays unknown.',
            action: 'accept',
          }
        : {
            meaning: 'Unknown: the broker may have acted. The gateway is looking it up.',
            advice: 'Wait. Do not send another request for the same purpose under a new key.',
            action: null,
          };
  }
}

export function isUndecidable(unresolved: UnresolvedRequest | undefined): boolean {
  return unresolved?.sends.some(({ undecidable }) => undecidable) === true;
}

/** What to do about a difference between the broker and the journal. */
export function adviceOnDifference({ kind, intent_id }: Pick<Difference, 'kind' | 'intent_id'>): string {
  switch (kind) {
    case 'intent_without_trace':
      return 'See the history of the request. If the broker does not have it either, it was not executed.';
    case 'position_without_intent':
    case 'order_without_intent':
      return 'It was made in the terminal or by another program. Close or cancel it here if no bot owns it.';
    case 'undecided':
      return intent_id === null
        ? 'Leave it alone until you know which bot sent it: the journal that had its request was lost, or is that of another gateway.'
        : 'Leave it alone: the gateway finds out which request it belongs to. It may be the one whose outcome is unknown.';
    case 'level_mismatch':
      return 'Another program or the broker changed the level. Protect the position again if it is not what you want.';
    case 'volume_mismatch':
      return 'A part was closed or filled elsewhere. Compare the deals of the position with the broker.';
  }
}

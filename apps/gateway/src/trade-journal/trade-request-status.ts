/**
 * The life of one trade request in the journal (design: gateway-api §4):
 *
 * - `in_progress`: an intent is written, the answer is not.
 * - `completed`: answered with a definite outcome.
 * - `unknown`: the broker may have acted; being looked up.
 * - `recovered`: looked up, and something was done.
 * - `absent`: looked up, and nothing was done.
 */
export type TradeRequestStatus = 'in_progress' | 'completed' | 'unknown' | 'recovered' | 'absent';

export const tradeRequestStatuses = ['in_progress', 'completed', 'unknown', 'recovered', 'absent'] as const;

/** A status as GET /trade_requests/{key} reports it: of a request, or of a key that was made void instead. */
export type ReportedStatus = TradeRequestStatus | 'void';

export const reportedStatuses = [...tradeRequestStatuses, 'void'] as const;

/** `absent` gives way to one thing only: a late answer of the terminal that proves the opposite. */
const transitions: Record<TradeRequestStatus, readonly TradeRequestStatus[]> = {
  in_progress: ['completed', 'unknown'],
  unknown: ['recovered', 'absent'],
  absent: ['recovered'],
  recovered: [],
  completed: [],
};

/** Whether a request may go from one status to another; final ones are sinks. */
export function mayBecome(from: TradeRequestStatus, to: TradeRequestStatus): boolean {
  return transitions[from].includes(to);
}

/** A request that is not settled yet: it never expires, and nothing is sent under its key. */
export function isOpen(status: TradeRequestStatus): boolean {
  return status === 'in_progress' || status === 'unknown';
}

import { Retcode, type OrderSendResult } from '@libs/terminal-client';
import type { SettledOutcome } from '../trade-core/journal-records';

/**
 * The result of one read of the broker for a send. `nothing`: no trace in this snapshot. `undecided`: a trace that
 * cannot be decided yet. `contested`: a trace that may belong to another send without an outcome, until that has one.
 * `undecidable`: the evidence has been overwritten or is gone.
 */
export type Finding =
  | SettledOutcome
  | { readonly kind: 'undecidable'; readonly reason: string }
  | { readonly kind: 'contested'; readonly reason: string }
  | 'nothing'
  | 'undecided';

/** A send that took effect, with the known part of its result. */
export function found(known: Partial<OrderSendResult>): SettledOutcome {
  return {
    kind: 'done',
    source: 'lookup',
    result: {
      retcode: Retcode.DONE,
      deal: 0,
      order: 0,
      volume: 0,
      price: 0,
      bid: 0,
      ask: 0,
      comment: '',
      request_id: 0,
      retcode_external: 0,
      ...known,
    },
  };
}

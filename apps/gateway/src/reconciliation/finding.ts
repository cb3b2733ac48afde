import { Retcode, sendResult, type OrderSendResult } from '@libs/terminal-client';
import type { SettledOutcome } from '../trade-core/journal-records';

/**
 * The result of one read of the broker for a send. `nothing`: no trace in this snapshot. `undecided`: a trace that
 * cannot be decided yet. `contested`: a trace that may belong to another send without an outcome, until that has one.
 * `undecidable`: the evidence has been overwritten or is gone.
 */
export type Finding = SettledOutcome | Doubt | 'nothing' | 'undecided';

/** Why an outcome cannot be told from what the broker shows. */
export type Doubt =
  { readonly kind: 'undecidable'; readonly reason: string } | { readonly kind: 'contested'; readonly reason: string };

/** A send that took effect, with the known part of its result. */
export function found(known: Partial<OrderSendResult>): SettledOutcome {
  return {
    kind: 'done',
    source: 'lookup',
    result: sendResult({ retcode: Retcode.DONE, ...known }),
  };
}

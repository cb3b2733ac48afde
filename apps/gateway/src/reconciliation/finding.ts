import { Retcode, type OrderSendResult } from '@libs/terminal-client';
import type { SettledOutcome } from '../trade-journal/journal-records';

/**
 * What one look at the broker says about a send. `nothing`: no trace in this snapshot. `undecided`: a trace that cannot
 * be judged yet. `contested`: a trace that may as well be that of another send without an outcome. `undecidable`: what
 * would have proven it has been overwritten or is gone.
 */
export type Finding =
  SettledOutcome | { readonly kind: 'undecidable'; readonly reason: string } | 'nothing' | 'undecided' | 'contested';

/** A send that took effect, with what is known of its result. */
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

import type { Reject, Side } from '@libs/strategy';
import type { Intent } from '../core/strategy-event';

/** A reject in a backtest, with its time on the market's clock, in UTC milliseconds. */
export interface TimedReject extends Reject {
  readonly timeMs: number;
  /** The entry that had no effect, by the alias of its stream; null for a layer of a stack, and for anything but an entry. */
  readonly entry: { readonly stream: string; readonly side: Side } | null;
}

/** @param current the intent that is carried out now; null if none is */
export function timedReject(reject: Reject, timeMs: number, current: Intent | null): TimedReject {
  const { intentId, kind, reason, retcode } = reject;
  const isEntry = current !== null && current.id === intentId && current.action === 'enter';
  const entry = isEntry ? { stream: current.stream, side: current.side } : null;
  return { intentId, kind, reason, retcode, timeMs, entry };
}

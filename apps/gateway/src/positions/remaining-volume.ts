import { subtractVolume, type TradePosition } from '@libs/terminal-client';

/**
 * Lots of a position that remain open after a close: by a later read, because another request may have closed some of it since
 * the read before the send.
 * @param before lots before the send
 * @param shown the position in the later read; null if it is gone, undefined if it could not be read
 * @param closedAtMsc when the close was executed or later, server milliseconds; Infinity if not known
 */
export function remainingVolume(
  before: number,
  closedVolume: number,
  shown: TradePosition | null | undefined,
  closedAtMsc: number,
): number {
  const expected = subtractVolume(before, closedVolume);
  if (shown === undefined) return expected;
  if (shown === null) return 0;
  // A list that lags shows it as it was before.
  return shown.time_update_msc >= closedAtMsc ? shown.volume : Math.min(expected, shown.volume);
}

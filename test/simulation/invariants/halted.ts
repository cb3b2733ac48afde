import { TradeAction } from '@libs/terminal-client';
import type { SendRecord } from '../sends';

/**
 * Nothing but a cancellation is sent while the kill switch is active.
 * @param activeSinceMs since when it is certainly active; null when it may be inactive
 * @param marginMs how long before its send the gateway may have read the switch
 */
export function sentThoughHalted(send: SendRecord, activeSinceMs: number | null, marginMs: number): string[] {
  if (activeSinceMs === null || send.request.action === TradeAction.REMOVE) return [];
  if (send.atMs - activeSinceMs <= marginMs) return [];
  return [`send ${send.number} (${send.marker}) went out ${send.atMs - activeSinceMs} ms after trading was halted`];
}

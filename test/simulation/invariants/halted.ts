import { TradeAction } from '@libs/terminal-client';
import type { HttpAnswer } from '../asks';
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

/**
 * What came while trading was halted was refused: it is not sent after the release.
 * @param cameMs for how long trading stayed halted after each request that may have led to it came; 0 if it was not halted
 * @param marginMs how long a request may wait for the check
 */
export function sentAfterRelease(send: SendRecord, cameMs: readonly number[], marginMs: number): string[] {
  if (send.request.action === TradeAction.REMOVE || cameMs.length === 0) return [];
  const leastMs = Math.min(...cameMs);
  if (leastMs <= marginMs) return [];
  return [`send ${send.number} (${send.marker}) goes out for what came ${leastMs} ms before trading was released`];
}

/**
 * After a release, trading is not halted until it is halted again.
 * @param releasedSinceMs since when trading is certainly on; null while it may be halted
 * @param askedAtMs when the request reached the gateway
 */
export function refusedThoughReleased(
  { status, body }: Pick<HttpAnswer, 'status' | 'body'>,
  releasedSinceMs: number | null,
  askedAtMs: number,
): string[] {
  if (body['error_type'] !== 'kill_switch_active' || releasedSinceMs === null || askedAtMs < releasedSinceMs) return [];
  return [`a request was refused with ${status} as halted ${askedAtMs - releasedSinceMs} ms after the release`];
}

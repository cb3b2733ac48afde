import { GatewayReadError } from '@libs/gateway-client';
import { SharedThreadLostError } from './strategy-thread';

/** A step cannot be done now, but may be later with the same configuration. */
export class NotYetError extends Error {}

/** An account could not be read. That is no failure of the strategy, which waits for it. */
export class AccountUnreadError extends NotYetError {}

/** Whether a step that failed with this error may succeed later with the same configuration and the same files. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof NotYetError || error instanceof SharedThreadLostError) return true;
  return error instanceof GatewayReadError && error.isTransient;
}

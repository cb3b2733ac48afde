import type { SessionState } from './session-state';

export type UnavailableReason = Exclude<SessionState, 'connected'>;

const words: Record<UnavailableReason, string> = {
  disconnected: 'the terminal is not logged in',
  connecting: 'the login to the terminal is in progress',
  reconnecting: 'the connection to the terminal was lost and is being restored',
  cooldown: 'the terminal is unreachable; the next attempt follows the cooldown',
};

/** There is no verified session at this moment; nothing was sent to the terminal. */
export class SessionUnavailableError extends Error {
  constructor(
    readonly reason: UnavailableReason,
    /** Retry-After: whole seconds, rounded up, at least 1. */
    readonly retryAfterSeconds?: number,
  ) {
    super(words[reason]);
    this.name = 'SessionUnavailableError';
  }
}
